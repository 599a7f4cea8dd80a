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

/** The name that says it best first: a file may have a title before the name and a job title. */
const NAMES: Record<keyof Person, readonly string[]> = {
  email: ['email', 'email address', 'e-mail', 'mail'],
  first_name: ['first_name', 'first name', 'firstname', 'given name'],
  last_name: ['last_name', 'last name', 'lastname', 'surname', 'family name'],
  department: ['department', 'team', 'dept'],
  title: ['job title', 'title', 'position'],
  location: ['location', 'office', 'site'],
  manager_email: ['manager_email', 'manager email', 'manager'],
}
const REQUIRED = ['email', 'first_name', 'last_name'] as const
const FIELDS = Object.keys(NAMES) as (keyof Person)[]
const MOST_LINES = 20_000
/** What a browser reads in the place of bytes that are not UTF-8, such as the letters of an older code page. */
const UNREADABLE = '\ufffd'

export function readPeople(text: string): ReadFile {
  const [head, ...rows] = parseCsv(text)
  if (!head) return refuseFile('the file is empty')
  if (text.includes(UNREADABLE)) return refuseFile('the file is not in UTF-8: save it as CSV UTF-8')
  const unclosed = [head, ...rows].find(row => row.unclosed)
  if (unclosed)
    return refuseFile(
      `a quote in line ${unclosed.line} is never closed: all that follows would be one cell`,
    )
  const names = head.cells.map(cell => cell.trim().toLowerCase())
  const places = placesOf(names)
  const twice = names.find((name, i) => places.has(i) && names.lastIndexOf(name) !== i)
  if (twice !== undefined) return refuseFile(`the first line names the column ${twice} twice`)
  const found = new Set(places.values())
  const missing = REQUIRED.filter(name => !found.has(name))
  if (missing.length > 0)
    return refuseFile(
      `the first line must name the columns ${missing.join(', ')}; it reads “${sayHead(head.cells)}”`,
    )
  if (rows.length > MOST_LINES) return refuseFile(`at most ${count(MOST_LINES)} people at a time`)
  const ignored = head.cells.filter((_, i) => !places.has(i) && names[i] !== '')
  const seen = new Map<string, number>()
  const lines = rows.map(({ line, cells }) => {
    const person = personOf(places, cells)
    const beyond = cells.slice(head.cells.length).some(cell => cell.trim() !== '')
    return { line, person, faults: beyond ? [SHIFTED] : findFaults(person, line, seen) }
  })
  return { lines, fault: null, ignored }
}

const SHIFTED = 'has more cells than the first line: does one hold a separator without quotes?'

/** Which column each field is read from. */
function placesOf(names: readonly string[]): Map<number, keyof Person> {
  const places = new Map<number, keyof Person>()
  for (const field of FIELDS) {
    const best = NAMES[field].find(name => names.includes(name))
    if (best !== undefined) places.set(names.indexOf(best), field)
  }
  return places
}

/** Enough to see whose columns these are, or that the file has none. */
function sayHead(cells: readonly string[]): string {
  const words = cells.join(', ')
  return words.length > 120 ? `${words.slice(0, 120)}…` : words
}

export function refuseFile(fault: string): ReadFile {
  return { lines: [], fault, ignored: [] }
}

/** They come along when text is pasted from a chat or a calendar; an address or a department with one would match no other. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\ufff9-\ufffb]/gu
/** Of names the joiners and selectors of a variant stay: some scripts are written with them. */
const NEEDLESS = new RegExp(`(?!\\u200c|\\u200d|\\p{Variation_Selector})${UNSEEN.source}`, 'gu')
const SEEN = /[^\s\p{Default_Ignorable_Code_Point}]/u

const isAddress = (field: keyof Person): boolean => field === 'email' || field === 'manager_email'

function personOf(places: ReadonlyMap<number, keyof Person>, cells: readonly string[]): Person {
  const person: Person = { email: '', first_name: '', last_name: '' }
  for (const [i, field] of places) {
    const cell = cells[i] ?? ''
    const marks = isAddress(field) || field === 'department' ? UNSEEN : NEEDLESS
    const value = cell.replace(marks, '').trim()
    if (SEEN.test(value)) person[field] = value
  }
  return person
}

/** An address stands in a file once, however it is spelt. */
function findFaults(person: Person, line: number, seen: Map<string, number>): string[] {
  const missing = REQUIRED.filter(name => person[name] === '').map(name => `${name} is missing`)
  const faults = [...missing, ...FIELDS.flatMap(name => textFaults(name, person[name] ?? ''))]
  const key = emailKey(person.email)
  const before = seen.get(key)
  if (key !== '' && before !== undefined) faults.push(`the same email stands in line ${before}`)
  else if (key !== '') seen.set(key, line)
  return faults
}

const LONGEST: Record<keyof Person, number> = {
  email: 320,
  first_name: 100,
  last_name: 100,
  department: 200,
  title: 200,
  location: 200,
  manager_email: 320,
}
const ADDRESS = /^[^\s\p{Cc}@<>,;]+@[^\s\p{Cc}@<>,;"\\]+$/u
const CONTROL = /[\p{Cc}\u2028\u2029]/u

/** As the service judges them, so that nobody is ready here and refused there. */
function textFaults(name: keyof Person, text: string): string[] {
  if (text === '') return []
  if ([...text].length > LONGEST[name])
    return [`${name} must have at most ${LONGEST[name]} characters`]
  if (isAddress(name)) return ADDRESS.test(text) ? [] : [`${name} is not an address`]
  return CONTROL.test(text) ? [`${name} must not contain line breaks or control characters`] : []
}
