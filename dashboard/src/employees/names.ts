// How people are called.
import type { EmployeeSummary } from '../generated/api.ts'

const ERASED = 'Erased person'

type Named = Pick<EmployeeSummary, 'first_name' | 'last_name' | 'email'>

/** Only an id and numbers are left of them; the address tells it, and nobody else can have such a one. */
export const isErased = ({ email }: Pick<Named, 'email'>): boolean =>
  /^erased-emp_\w+@invalid$/.test(email)

/** Where only an address is known of somebody. */
export const sayAddress = (email: string): string => (isErased({ email }) ? ERASED : email)

export function fullName(person: Named): string {
  if (isErased(person)) return ERASED
  return `${person.first_name} ${person.last_name}`.trim() || person.email
}
