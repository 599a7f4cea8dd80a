// Decides which rules fire on an event: type, conditions, order, exclusiveness and cooldown.

import {
  compileConditions,
  conditionsFaults,
  type EventTest,
  type KnownTests,
  type MatchableEvent,
  type ScorableEvent,
} from './conditions.ts'
import { parseDuration } from './durations.ts'
import { type Fault, integerFaults } from './faults.ts'

export type { MatchableEvent, ScorableEvent } from './conditions.ts'

export const CATEGORIES = ['identity', 'email', 'endpoint', 'training', 'custom'] as const
export type Category = (typeof CATEGORIES)[number]

export type Rule = {
  id: string
  event_type: string
  impact: number
  cooldown: string
  conditions: Record<string, unknown>
  priority: number
  exclusive: boolean
  status: 'active' | 'inactive'
  created_at: number
}

export type CompiledRule = {
  id: string
  event_type: string
  impact: number
  cooldown_ms: number
  exclusive: boolean
  /** Its place in the order of evaluation. */
  rank: number
  /** Whether it looks at more than the type. */
  conditional: boolean
  /** Whether type and conditions hold; cooldown and status are not its matter. */
  matches: EventTest
}

/** Active rules by the types they name and by the prefixes they cover ("sim." for `sim.*`). */
export type RuleBook = {
  by_type: ReadonlyMap<string, readonly CompiledRule[]>
  by_prefix: ReadonlyMap<string, readonly CompiledRule[]>
}

export type Cooling = { rule_id: string; until: number }
export type Evaluation = { fired: CompiledRule[]; cooling: Cooling[] }

/** The order of evaluation: highest priority first, then the older rule, then the id. */
function compareRules(a: Rule, b: Rule): number {
  return b.priority - a.priority || a.created_at - b.created_at || (a.id < b.id ? -1 : 1)
}

/** Invariant: the rule has no faults. */
export function compileRule(rule: Rule, rank = 0, known?: KnownTests): CompiledRule {
  const { id, event_type, impact, exclusive } = rule
  const prefix = coveredPrefix(event_type)
  const holds = compileConditions(rule.conditions, known)
  const matches: EventTest =
    prefix === null
      ? event => event.type === event_type && holds(event)
      : event => isCovered(event.type, prefix) && holds(event)
  const cooldown_ms = parseDuration(rule.cooldown) as number
  const conditional = Object.keys(rule.conditions).length > 0
  return { id, event_type, impact, cooldown_ms, exclusive, rank, conditional, matches }
}

export function compileRules(rules: readonly Rule[]): RuleBook {
  const by_type = new Map<string, CompiledRule[]>()
  const by_prefix = new Map<string, CompiledRule[]>()
  const known: KnownTests = new Map()
  const active = rules.filter(rule => rule.status === 'active').sort(compareRules)
  for (const [rank, rule] of active.entries()) {
    const prefix = coveredPrefix(rule.event_type)
    const index = prefix === null ? by_type : by_prefix
    const key = prefix ?? rule.event_type
    const bucket = index.get(key)
    const compiled = compileRule(rule, rank, known)
    if (bucket === undefined) index.set(key, [compiled])
    else bucket.push(compiled)
  }
  return { by_type, by_prefix }
}

/** The types whose events are looked at closer than the type; null where a covering rule does. */
export function detailedTypes(book: RuleBook): string[] | null {
  const isDetailed = (rules: readonly CompiledRule[]) => rules.some(rule => rule.conditional)
  if ([...book.by_prefix.values()].some(isDetailed)) return null
  return [...book.by_type].flatMap(([type, rules]) => (isDetailed(rules) ? [type] : []))
}

function coveredPrefix(event_type: string): string | null {
  return event_type.endsWith('.*') ? event_type.slice(0, -1) : null
}

function isCovered(type: string, prefix: string): boolean {
  return type.length > prefix.length && type.startsWith(prefix)
}

/** The rules whose type and conditions hold, in order of evaluation; cooldown is ignored. */
export function candidates(book: RuleBook, event: MatchableEvent): CompiledRule[] {
  const found: CompiledRule[] = []
  for (const rules of rulesOfType(book, event.type)) {
    for (const rule of rules) if (rule.matches(event)) found.push(rule)
  }
  return inOrder(found)
}

/** Those that may mean an event of this type: they name it, or cover it. Each list is in order of evaluation. */
export function rulesOfType(book: RuleBook, type: string): (readonly CompiledRule[])[] {
  const naming = book.by_type.get(type)
  const lists = naming === undefined ? [] : [naming]
  if (book.by_prefix.size === 0) return lists
  for (let dot = type.indexOf('.'); dot !== -1; dot = type.indexOf('.', dot + 1)) {
    const covering = book.by_prefix.get(type.slice(0, dot + 1))
    if (covering !== undefined) lists.push(covering)
  }
  return lists
}

/** Sorts them in place. */
export function inOrder(rules: CompiledRule[]): CompiledRule[] {
  return rules.length < 2 ? rules : rules.sort((a, b) => a.rank - b.rank)
}

/**
 * Null if a rule may fire at `at`, otherwise the first instant from there at which it may. Firings
 * on both sides count, since events may arrive late; exactly at the cooldown it fires.
 * Invariant: they are in order of time. There may be very many, and only those close by are looked at.
 */
export function coolingUntil(
  timestamps: readonly number[],
  cooldown_ms: number,
  at: number,
): number | null {
  let until = at
  for (let i = placeBehind(timestamps, at - cooldown_ms); i < timestamps.length; i++) {
    if (timestamps[i]! - until >= cooldown_ms) break
    until = timestamps[i]! + cooldown_ms
  }
  return until === at ? null : until
}

/** The place of the first that is later, in a list in order of time. */
export function placeBehind(timestamps: readonly number[], at: number): number {
  let [from, to] = [0, timestamps.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (timestamps[middle]! <= at) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * `coolsUntil` tells of a rule with a cooldown what `coolingUntil` says of its firings for the employee; `meant` are the
 * rules whose type and conditions hold, where they are known already.
 */
export function evaluate(
  book: RuleBook,
  event: ScorableEvent,
  coolsUntil: (rule: CompiledRule) => number | null,
  meant: readonly CompiledRule[] = candidates(book, event),
): Evaluation {
  const fired: CompiledRule[] = []
  const cooling: Cooling[] = []
  for (const rule of meant) {
    const until = rule.cooldown_ms === 0 ? null : coolsUntil(rule)
    if (until !== null) {
      cooling.push({ rule_id: rule.id, until })
      continue
    }
    fired.push(rule)
    // Only a rule that fires stops the others: a cooling one has had no effect on this event.
    if (rule.exclusive) break
  }
  return { fired, cooling }
}

export type RuleFields = {
  name: string
  event_type: string
  category: string
  impact: number
  cooldown: string
  conditions: unknown
  priority: number
}

const MAX_NAME_LENGTH = 200
const MAX_EVENT_TYPE_LENGTH = 100
const EVENT_TYPE = /^([A-Za-z0-9_-]+\.)+([A-Za-z0-9_-]+|\*)$/

export function ruleFaults(rule: RuleFields): Fault[] {
  const faults: Fault[] = []
  const demand = (path: string, holds: boolean, message: string) => {
    if (!holds) faults.push({ path, message })
  }
  const { name, event_type } = rule
  demand(
    'name',
    name.trim().length > 0 && [...name].length <= MAX_NAME_LENGTH,
    `must have 1 to ${MAX_NAME_LENGTH} characters and not be blank`,
  )
  faults.push(...eventTypeFaults(event_type))
  demand(
    'category',
    CATEGORIES.some(category => category === rule.category),
    `must be one of ${CATEGORIES.join(', ')}`,
  )
  demand(
    'category',
    (rule.category === 'custom') === event_type.startsWith('custom.'),
    'must be custom for an event_type that begins with custom. and for no other',
  )
  faults.push(...integerFaults('impact', rule.impact, -100, 100))
  faults.push(...integerFaults('priority', rule.priority, 0, 1000))
  demand(
    'cooldown',
    parseDuration(rule.cooldown) !== null,
    'must be a whole number and one of s, m, h, d, w, such as 24h, and at most 365d',
  )
  faults.push(...conditionsFaults(rule.conditions))
  return faults
}

export function eventTypeFaults(event_type: string): Fault[] {
  const path = 'event_type'
  if (event_type.length > MAX_EVENT_TYPE_LENGTH || !EVENT_TYPE.test(event_type)) {
    const shape = 'a dotted kind such as sim.link_clicked or sim.*'
    return [{ path, message: `must be ${shape}, of at most ${MAX_EVENT_TYPE_LENGTH} characters` }]
  }
  if (!event_type.startsWith('manual.')) return []
  return [{ path, message: 'no rule may touch manual events' }]
}
