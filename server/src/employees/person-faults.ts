// What is refused in the texts of an employee, and why a field cannot be written. Pure.
import type { Fault } from '../platform/errors.ts'
import { keyFault, nameFault } from '../platform/unseen-marks.ts'
import { emailFaults, isAlias } from './email-address.ts'

type Texts = Partial<
  Record<
    'email' | 'first_name' | 'last_name' | 'department' | 'title' | 'location' | 'manager_email',
    string
  >
>

const NAMES = ['first_name', 'last_name', 'title', 'location'] as const
const NEVER_BLANK = ['first_name', 'last_name'] as const

export function personFaults(person: Texts): Fault[] {
  const faults: Fault[] = []
  if (person.email !== undefined) faults.push(...emailFaults('email', person.email))
  if (isAlias(person.email ?? '')) {
    faults.push({ path: 'email', message: 'is of the form kept for people who were erased' })
  }
  for (const path of NEVER_BLANK) {
    if (person[path]?.trim() === '') faults.push({ path, message: 'must not be blank' })
  }
  for (const path of NAMES) addFault(path, nameFault(person[path] ?? ''))
  addFault('department', keyFault(person.department ?? ''))
  if (person.manager_email) faults.push(...emailFaults('manager_email', person.manager_email))
  return faults

  function addFault(path: string, message: string | null): void {
    if (message !== null) faults.push({ path, message })
  }
}

const EARNED =
  'follows from the events of the employee and cannot be set through the API; ' +
  'manual adjustment exists only in the dashboard'
const FIXED = 'cannot be changed; department, title and status can'

/** Fields of an employee that no request changes, each with its reason. */
const READ_ONLY: Readonly<Record<string, string>> = {
  score: EARNED,
  band: EARNED,
  score_history: EARNED,
  id: FIXED,
  email: FIXED,
  first_name: FIXED,
  last_name: FIXED,
  location: FIXED,
  manager_email: FIXED,
  integrations: FIXED,
  last_event_at: FIXED,
  created_at: FIXED,
}

export function readOnlyFaults(body: unknown): Fault[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.keys(body)
    .filter(path => Object.hasOwn(READ_ONLY, path))
    .map(path => ({ path, message: READ_ONLY[path]! }))
}
