// An action policy: when it acts, for whom, and what it sets off. Pure.
import { conditionsFaults } from '../../../scoring/conditions.ts'
import { parseDuration } from '../../../scoring/durations.ts'
import { integerFaults } from '../../../scoring/faults.ts'
import { compileRules, eventTypeFaults, type RuleBook } from '../../../scoring/rules.ts'
import { BANDS, type Band } from '../../../scoring/settings.ts'
import type { Instant } from '../platform/clock.ts'
import type { Fault } from '../platform/errors.ts'
import { isStoredLarger } from '../platform/stored-size.ts'
import { parameterFaults } from './action-parameters.ts'
import type { ActionType } from './action-types.ts'

export type Trigger =
  | { kind: 'band_entered'; bands: Band[] }
  | { kind: 'event'; event_type: string; conditions: Record<string, unknown> }
  | { kind: 'score_drop'; points: number; within: string }

export type Policy = {
  id: string
  name: string
  trigger: Trigger
  /** Null means everyone. */
  department: string | null
  type: ActionType
  parameters: Record<string, unknown>
  requires_approval: boolean
  /** How long it rests for one employee and one transition. */
  quiet_for: string
}

export type CompiledPolicy = Omit<Policy, 'quiet_for' | 'name' | 'trigger'> & { quiet_ms: Instant }

export type PolicyBook = {
  by_band: ReadonlyMap<Band, readonly CompiledPolicy[]>
  events: RuleBook
  by_id: ReadonlyMap<string, CompiledPolicy>
  drops: readonly (CompiledPolicy & { points: number; within_ms: Instant })[]
}

/** All policies of a tenant are listed together. */
const MAX_CONDITIONS_BYTES = 16 * 1024

const DURATION = 'must be a whole number and one of s, m, h, d, w, such as 24h, and at most 365d'

export function policyFaults(policy: Policy): Fault[] {
  const faults = [
    ...triggerFaults(policy.trigger),
    ...parameterFaults(policy.type, policy.parameters),
  ]
  if (policy.name.trim() === '') faults.push({ path: 'name', message: 'must not be empty' })
  if (parseDuration(policy.quiet_for) === null)
    faults.push({ path: 'quiet_for', message: DURATION })
  return faults
}

function triggerFaults(trigger: Trigger): Fault[] {
  if (trigger.kind === 'band_entered') {
    const message = 'must not name green: nobody falls to it from a better band'
    return trigger.bands.includes('green') ? [{ path: 'trigger.bands', message }] : []
  }
  const faults = trigger.kind === 'event' ? eventFaults(trigger) : dropFaults(trigger)
  return faults.map(({ path, message }) => ({ path: `trigger.${path}`, message }))
}

function eventFaults({ event_type, conditions }: Extract<Trigger, { kind: 'event' }>): Fault[] {
  const faults = [...eventTypeFaults(event_type), ...conditionsFaults(conditions)]
  if (isStoredLarger(conditions, MAX_CONDITIONS_BYTES)) {
    const message = `must not be larger than ${MAX_CONDITIONS_BYTES} bytes`
    faults.push({ path: 'conditions', message })
  }
  return faults
}

function dropFaults({ points, within }: { points: number; within: string }): Fault[] {
  const faults = integerFaults('points', points, 1, 100)
  const length = parseDuration(within)
  if (length === null || length === 0) faults.push({ path: 'within', message: DURATION })
  return faults
}

/** Invariant: the policies have no faults and are switched on. */
export function compilePolicies(policies: readonly Policy[]): PolicyBook {
  const by_band = new Map<Band, CompiledPolicy[]>()
  const drops: (CompiledPolicy & { points: number; within_ms: Instant })[] = []
  const by_id = new Map(policies.map(policy => [policy.id, compile(policy)]))
  for (const { id, trigger } of policies) {
    const compiled = by_id.get(id)!
    if (trigger.kind === 'band_entered') {
      for (const band of trigger.bands) by_band.set(band, [...(by_band.get(band) ?? []), compiled])
    } else if (trigger.kind === 'score_drop') {
      const within_ms = parseDuration(trigger.within)!
      drops.push({ ...compiled, points: trigger.points, within_ms })
    }
  }
  return { by_band, events: compileEvents(policies), by_id, drops }
}

function compile(policy: Policy): CompiledPolicy {
  const { id, department, type, parameters, requires_approval, quiet_for } = policy
  return {
    id,
    department,
    type,
    parameters,
    requires_approval,
    quiet_ms: parseDuration(quiet_for)!,
  }
}

/** Which events a policy means is asked in the same way as of a rule. */
function compileEvents(policies: readonly Policy[]): RuleBook {
  const asRules = policies.flatMap(({ id, trigger }) => {
    if (trigger.kind !== 'event') return []
    const { event_type, conditions } = trigger
    const silent = { impact: 0, cooldown: '0h', priority: 0, exclusive: false, created_at: 0 }
    return [{ id, event_type, conditions, ...silent, status: 'active' as const }]
  })
  return compileRules(asRules)
}

export function isWorse(band: Band, than: Band): boolean {
  return BANDS.indexOf(band) > BANDS.indexOf(than)
}
