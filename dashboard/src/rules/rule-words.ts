// A rule in the words people read. Pure.
import { conditionsFaults } from '../../../scoring/conditions.ts'
import type { Rule } from '../generated/api.ts'
import { signed } from '../ui/numbers.ts'
import { OPERATORS, readRows } from './condition-rows.ts'

export const CATEGORY_NAMES = {
  identity: 'Identity',
  email: 'Email',
  endpoint: 'Endpoint',
  training: 'Training',
  custom: 'Custom',
} as const satisfies Record<Rule['category'], string>

export const UNITS = {
  s: 'seconds',
  m: 'minutes',
  h: 'hours',
  d: 'days',
  w: 'weeks',
} as const

export type Unit = keyof typeof UNITS

export function splitCooldown(cooldown: string): { count: number; unit: Unit } {
  const [, count = '0', unit = 'h'] = /^(\d+)([smhdw])$/.exec(cooldown) ?? []
  return { count: Number(count), unit: unit as Unit }
}

/** Null where the rule never rests. */
export function sayCooldown(cooldown: string): string | null {
  const { count, unit } = splitCooldown(cooldown)
  return count === 0 ? null : `${count} ${unit === 'm' ? 'min' : unit}`
}

export type SaidCondition = { field: string; words: string; value: string }

/** Conditions that are still being typed may be anything: while they have faults, what they say is left open. */
export function sayConditions(conditions: Record<string, unknown>): SaidCondition[] {
  if (conditionsFaults(conditions).length > 0) return [{ field: '…', words: '', value: '' }]
  return readRows(conditions).map(({ field, operator, values }) => ({
    field,
    words: OPERATORS[operator].words,
    value: values.join(' or '),
  }))
}

export type Sayable = Pick<Rule, 'event_type' | 'conditions' | 'impact' | 'cooldown' | 'exclusive'>

export function sayRule(rule: Sayable): string {
  const conditions = sayConditions(rule.conditions)
    .map(({ field, words, value }) => ` and ${field} ${words} ${value}`.trimEnd())
    .join('')
  const rest = sayCooldown(rule.cooldown)
  const parts = [`When ${rule.event_type} happens${conditions}`, signed(rule.impact)]
  if (rest) parts.push(`at most once in ${rest}`)
  if (rule.exclusive) parts.push('and no rule after it')
  return parts.join(', ')
}
