// How people are called.
import type { EmployeeSummary } from '../generated/api.ts'
import { straight } from '../ui/sentence.ts'
import type { Names } from '../ui/use-names.ts'

const ERASED = 'Erased person'

type Named = Pick<EmployeeSummary, 'first_name' | 'last_name' | 'email'>

/** Only an id and numbers are left of them; the address tells it, and nobody else can have such a one. */
export const isErased = ({ email }: Pick<Named, 'email'>): boolean =>
  /^erased-emp_\w+@invalid$/.test(email)

/** Where only an address is known of somebody. */
export const sayAddress = (email: string): string => (isErased({ email }) ? ERASED : email)

/** What is compared of an address, as the server does: neither its case nor how its accents are spelt matters. */
export const emailKey = (email: string): string =>
  email.toLowerCase().replaceAll('ς', 'σ').normalize('NFC')

const BETWEEN = ' · '

export function fullName(person: Named): string {
  if (isErased(person)) return ERASED
  return straight(`${person.first_name} ${person.last_name}`).trim() || person.email
}

/** For whoever has to choose: two people may have the same name. */
export function nameAndEmail(person: Named): string {
  return isErased(person) ? ERASED : `${fullName(person)}${BETWEEN}${person.email}`
}

export type Seen = { employee_id: string; employee_email: string }

/** In a list of something else: by name; two of one name in sight are told apart. Undefined while it is looked up. */
export function nameIn(names: Names, { employee_id, employee_email }: Seen): string | undefined {
  const name = names.get(employee_id)
  if (name === undefined) return undefined
  if (name === '') return sayAddress(employee_email)
  return hasTwin(names, employee_id) ? `${name}${BETWEEN}${employee_email}` : name
}

/** Whether another one of those in sight has the same name; those without one are called by their address. */
export function hasTwin(names: Names, employee_id: string): boolean {
  const own = names.get(employee_id)
  return !!own && [...names].some(([id, name]) => id !== employee_id && name === own)
}

/** What is looked for where the field holds what was typed, or the person who was chosen. */
export const searchOf = (text: string): string => text.split(BETWEEN)[0]!.trim()
