// What a notifying mail says. Pure.
import type { EmployeeRow } from '../employees/employees.queries.ts'
import type { ActionRow } from './actions.queries.ts'

export function writeMail(action: ActionRow, employee: EmployeeRow, tenant_name: string) {
  const name = `${employee.first_name} ${employee.last_name}`.trim()
  const { message } = action.parameters
  const lines = [
    `This concerns ${name} <${employee.email}>${employee.department ? `, ${employee.department}` : ''}.`,
    '',
    ...whatHappened(action),
    `Score now: ${employee.score} (${employee.band}).`,
    ...(typeof message === 'string' && message !== '' ? ['', message] : []),
    ...(action.note ? ['', `Note: ${action.note}`] : []),
    '',
    `Sent by Bellwether for ${tenant_name}. Reference: ${action.id}`,
  ]
  return { subject: `Security score of ${name}: ${employee.band}`, text: `${lines.join('\n')}\n` }
}

function whatHappened(action: ActionRow): string[] {
  const { previous_score, new_score, previous_band, new_band, trigger_event, reason } = action
  if (reason === 'manual') return []
  if (previous_score === new_score) return [`What happened: ${trigger_event}.`]
  const bands = previous_band !== new_band ? ` (${previous_band} to ${new_band})` : ''
  return [`The score went from ${previous_score} to ${new_score}${bands}: ${trigger_event}.`]
}
