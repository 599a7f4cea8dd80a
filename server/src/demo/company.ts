// The people of the demo company: who they are, where they work and how careful they tend to be.
import { between, pick, type Random } from './random.ts'

export const COMPANY = 'Larkspur Instruments'
const DOMAIN = 'larkspur.example'

export type Person = {
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly department: string
  readonly title: string
  readonly location: string
  readonly manager_email: string
  /** How often this person slips, 1 being usual. */
  readonly slip: number
}

type Department = { name: string; people: number; slip: number; titles: readonly string[] }

/** Sales reads mail from strangers all day and shows it. */
const DEPARTMENTS: readonly Department[] = [
  {
    name: 'Engineering',
    people: 62,
    slip: 0.6,
    titles: [
      'Software Engineer',
      'Hardware Engineer',
      'Test Engineer',
      'Site Reliability Engineer',
    ],
  },
  {
    name: 'Sales',
    people: 48,
    slip: 2,
    titles: ['Account Executive', 'Sales Representative', 'Account Manager'],
  },
  {
    name: 'Customer Support',
    people: 40,
    slip: 1.2,
    titles: ['Support Specialist', 'Support Engineer', 'Customer Success Manager'],
  },
  {
    name: 'Operations',
    people: 30,
    slip: 1,
    titles: ['Logistics Planner', 'Warehouse Lead', 'Buyer'],
  },
  {
    name: 'Finance',
    people: 22,
    slip: 0.8,
    titles: ['Accountant', 'Controller', 'Payroll Specialist'],
  },
  {
    name: 'Marketing',
    people: 20,
    slip: 1.3,
    titles: ['Content Manager', 'Designer', 'Campaign Manager'],
  },
  {
    name: 'People',
    people: 14,
    slip: 0.9,
    titles: ['Recruiter', 'People Partner', 'Office Manager'],
  },
  { name: 'Legal', people: 14, slip: 0.5, titles: ['Counsel', 'Paralegal', 'Compliance Officer'] },
]

const LOCATIONS = ['Rotterdam', 'Rotterdam', 'Lyon', 'Leeds', 'Remote'] as const

const FIRST_NAMES = (
  'Ada Amir Anja Anton Aisha Bela Bruno Carla Chidi Clara Daan Dalia Diego Edith Elif Emil Esther Farid Femke ' +
  'Finn Freya Gita Goran Hana Hugo Ines Ivo Jana Jonas Jun Kaya Kofi Lara Leila Liam Lotte Luca Maja Malik Mara ' +
  'Mateo Mei Mila Milan Nadia Nico Nora Omar Otto Paula Pavel Priya Rafael Rosa Ruben Samira Sanne Selma Sofia ' +
  'Tariq Tess Theo Tomas Uma Vera Viktor Wanda Wim Yara Yusuf Zoe'
).split(' ')

const LAST_NAMES = (
  'Abbas Adler Alvarez Andersen Baker Bakker Bauer Becker Berg Bianchi Blom Brandt Carter Castro Chen Costa Cruz ' +
  'Dahl Dekker Diaz Dubois Dunn Eriksen Evans Farah Fischer Fontaine Garcia Girard Gomez Haas Hansen Hoffmann Holm ' +
  'Ibrahim Ito Jansen Jensen Kaya Keller Khan Klein Kowalski Kumar Lang Larsen Laurent Lindqvist Lopez Marsh Meyer ' +
  'Moreau Moreno Mueller Nakamura Nguyen Novak Okafor Olsen Osman Patel Pereira Petrov Popescu Reyes Ricci Rossi ' +
  'Santos Sato Schmidt Silva Singh Smit Sorensen Tanaka Varga Visser Weber Wright Yilmaz Young'
).split(' ')

export function hirePeople(random: Random): Person[] {
  const taken = new Set<string>()
  return DEPARTMENTS.flatMap(department => staff(department, random, taken))
}

/** The first of a department leads it. */
function staff(department: Department, random: Random, taken: Set<string>): Person[] {
  const people: Person[] = []
  for (let i = 0; i < department.people; i++) {
    const name = nameSomeone(random, taken)
    people.push({
      ...name,
      department: department.name,
      title: i === 0 ? `Head of ${department.name}` : pick(random, department.titles),
      location: pick(random, LOCATIONS),
      manager_email: people[0]?.email ?? '',
      slip: department.slip * temperament(random),
    })
  }
  return people
}

function nameSomeone(random: Random, taken: Set<string>) {
  for (;;) {
    const first_name = pick(random, FIRST_NAMES)
    const last_name = pick(random, LAST_NAMES)
    const email = `${first_name}.${last_name}@${DOMAIN}`.toLowerCase()
    if (taken.has(email)) continue
    taken.add(email)
    return { first_name, last_name, email }
  }
}

/** Most people are near 1; one in thirty slips again and again. */
function temperament(random: Random): number {
  if (random() < 1 / 30) return between(random, 35, 60) / 10
  return 0.3 + 1.1 * random() ** 1.5
}
