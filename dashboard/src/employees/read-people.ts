// A CSV file becomes people, or for each line the reason why it does not. Pure.
import { parseCsv } from '../ui/csv.ts'
import { count } from '../ui/numbers.ts'
import { emailKey } from './names.ts'

export type Person = {
  email: string
  first_name: string
  last_name: string
  department?: string
  title?: string
  location?: string
  manager_email?: string
}

export type ReadLine = { line: number; person: Person; faults: string[] }
export type ReadFile = { lines: ReadLine[]; fault: string | null; ignored: string[] }

const NAMES: Record<keyof Person, readonly string[]> = {
  email: ['email', 'email address', 'e-mail', 'mail'],
  first_name: ['first_name', 'first name', 'firstname', 'given name'],
  last_name: ['last_name', 'last name', 'lastname', 'surname', 'family name'],
  department: ['department', 'team', 'dept'],
  title: ['title', 'job title', 'position'],
  location: ['location', 'office', 'site'],
  manager_email: ['manager_email', 'manager email', 'manager'],
}
const REQUIRED = ['email', 'first_name', 'last_name'] as const
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const MOST_LINES = 20_000
/** What a browser reads in the place of bytes that are not UTF-8, such as the letters of an older code page. */
const UNREADABLE = '\ufffd'

export function readPeople(text: string): ReadFile {
  const [head, ...rows] = parseCsv(text)
  if (!head) return failed('the file is empty')
  if (text.includes(UNREADABLE)) return failed('the file is not in UTF-8: save it as CSV UTF-8')
  const places = head.cells.map(cell => fieldOf(cell))
  const missing = REQUIRED.filter(name => !places.includes(name))
  if (missing.length > 0)
    return failed(
      `the first line must name the columns ${missing.join(', ')}; it reads “${sayHead(head.cells)}”`,
    )
  if (rows.length > MOST_LINES) return failed(`at most ${count(MOST_LINES)} people at a time`)
  const ignored = head.cells.filter((_, i) => places[i] === null)
  const seen = new Map<string, number>()
  const lines = rows.map(({ line, cells }) => {
    const person = personOf(places, cells)
    return { line, person, faults: findFaults(person, line, seen) }
  })
  return { lines, fault: null, ignored }
}

/** Enough to see whose columns these are, or that the file has none. */
function sayHead(cells: readonly string[]): string {
  const words = cells.join(', ')
  return words.length > 120 ? `${words.slice(0, 120)}…` : words
}

function failed(fault: string): ReadFile {
  return { lines: [], fault, ignored: [] }
}

function fieldOf(cell: string): keyof Person | null {
  const name = cell.trim().toLowerCase()
  const found = Object.entries(NAMES).find(([, names]) => names.includes(name))
  return (found?.[0] as keyof Person | undefined) ?? null
}

function personOf(places: readonly (keyof Person | null)[], cells: readonly string[]): Person {
  const person: Person = { email: '', first_name: '', last_name: '' }
  places.forEach((place, i) => {
    const value = cells[i]?.trim()
    if (place !== null && value) person[place] = value
  })
  return person
}

/** An address stands in a file once, however it is spelt. */
function findFaults(person: Person, line: number, seen: Map<string, number>): string[] {
  const faults: string[] = REQUIRED.filter(name => person[name] === '').map(
    name => `${name} is missing`,
  )
  if (person.email !== '' && !EMAIL.test(person.email)) faults.push('email is not an address')
  const key = emailKey(person.email)
  const before = seen.get(key)
  if (key !== '' && before !== undefined) faults.push(`the same email stands in line ${before}`)
  else if (key !== '') seen.set(key, line)
  return faults
}
