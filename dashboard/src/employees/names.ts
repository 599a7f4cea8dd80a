// How people are called.
import type { EmployeeSummary } from '../generated/api.ts'

export function fullName(
  person: Pick<EmployeeSummary, 'first_name' | 'last_name' | 'email'>,
): string {
  return `${person.first_name} ${person.last_name}`.trim() || person.email
}
