// An action policy as the dashboard knows it, and as a sentence.
import { sayCooldown } from '../rules/rule-words.ts'
import { BAND_LOOK, type Band } from '../ui/bands.ts'
import { departmentName } from '../ui/numbers.ts'
import { type ActionType, TYPES } from './action-words.ts'

export type Trigger =
  | { kind: 'band_entered'; bands: Band[] }
  | { kind: 'event'; event_type: string; conditions?: Record<string, unknown> }
  | { kind: 'score_drop'; points: number; within: string }

export type PolicyInput = {
  name: string
  trigger: Trigger
  department: string | null
  type: ActionType
  parameters: Record<string, unknown>
  requires_approval: boolean
  quiet_for: string
}

export type Policy = PolicyInput & { id: string; status: 'active' | 'inactive' }

/** As it is typed while it is not a span of time yet. */
const saySpan = (span: string): string => sayCooldown(span) ?? span

function sayTrigger(trigger: Trigger, department: string | null): string {
  const who = department === null ? 'someone' : `someone of ${departmentName(department)}`
  if (trigger.kind === 'band_entered') {
    return `When ${who} falls to ${trigger.bands.map(band => BAND_LOOK[band].label).join(' or ')}`
  }
  if (trigger.kind === 'score_drop') {
    return `When the score of ${who} drops by ${trigger.points} within ${saySpan(trigger.within)}`
  }
  const some = Object.keys(trigger.conditions ?? {}).length > 0 ? ' that fits the conditions' : ''
  return `When ${trigger.event_type} happens to ${who}${some}`
}

export function sayPolicy(policy: PolicyInput): string {
  const { trigger, department, type, parameters, requires_approval, quiet_for } = policy
  const course = typeof parameters.course === 'string' ? ` (${parameters.course})` : ''
  const asks = requires_approval ? ', once a person has approved' : ''
  const rest = sayRest(trigger, quiet_for)
  return `${sayTrigger(trigger, department)}, ${TYPES[type].phrase}${course}${asks}${rest}.`
}

/** Entering critical does, however long the policy rests. */
export const alwaysActs = (trigger: Trigger): boolean =>
  trigger.kind === 'band_entered' && trigger.bands.includes('critical')

function sayRest(trigger: Trigger, quiet_for: string): string {
  const always = alwaysActs(trigger)
  const alone = trigger.kind === 'band_entered' && trigger.bands.length === 1
  if (/^0/.test(quiet_for) || (always && alone)) return ''
  const but = always ? ', into Critical every time' : ''
  return `; at most once in ${saySpan(quiet_for)} for each${but}`
}
