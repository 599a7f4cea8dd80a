// Which actions a change sets off, decided in the change's own transaction by the policies in force there.
import type { CompiledRule } from '../../../scoring/rules.ts'
import type { Band } from '../../../scoring/settings.ts'
import { readHighestScores } from '../employees/drops.queries.ts'
import type { Standing, Step } from '../employees/standing.ts'
import { actorText, ENGINE } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { inPauses } from '../platform/in-pauses.ts'
import { judgeEvents } from '../rules/judge-events.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import { type ActionRow, lastActed } from './actions.queries.ts'
import { openAction } from './open-action.ts'
import { type CompiledPolicy, isWorse, type PolicyBook } from './policy.ts'
import { readPolicyBook } from './policy-book.ts'

/** What a policy may want to know of an event that was just recorded. */
export type Happening = {
  event_id: string
  employee_id: string
  employee_email: string
  department: string
  type: string
  source: string
  timestamp: Instant
  received_at: Instant
  details: Record<string, unknown>
  inert: boolean
  score_before: number
  score_after: number
}

type Candidate = {
  policy: CompiledPolicy
  transition: string
  at: Instant
  employee_id: string
  employee_email: string
  reason: string
  trigger_event: string
  event_id: string | null
  previous_score: number
  new_score: number
  previous_band: Band | null
  new_band: Band | null
}

const NONE: readonly ActionRow[] = []

/** Invariant: the caller holds the locks of the standings concerned, and the steps are not written yet. */
export async function decideActions(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  basis: ScoringBasis,
  standings: Iterable<Standing>,
  steps: readonly Step[],
  happenings: readonly Happening[] = [],
): Promise<readonly ActionRow[]> {
  if (basis.policies_version === 0) return NONE
  const book = await readPolicyBook(tx, tenant_id, basis.policies_version)
  if (book.by_id.size === 0) return NONE
  const found = [
    ...steps.filter(isOfActive).flatMap(step => enteredBands(book, step)),
    ...(await matchedEvents(book, happenings)),
    ...(await deepDrops(tx, tenant_id, book, steps)),
  ]
  const erased = new Set([...standings].filter(one => one.erased).map(one => one.employee_id))
  // The numbers of somebody erased go on moving, but there is nobody to act on.
  const meant = found.filter(one => !erased.has(one.employee_id))
  const fresh = await withoutResting(tx, tenant_id, meant)
  return fresh.map(one => describe(one, now))
}

/** Only active people are acted on. */
function isOfActive({ previous, status }: Step): boolean {
  return previous !== null && status === 'active'
}

function isFall(step: Step): boolean {
  return isOfActive(step) && step.score < step.previous!.score
}

function isMeant({ department }: CompiledPolicy, subject: { department: string }): boolean {
  return department === null || department === subject.department
}

function ofStep(policy: CompiledPolicy, transition: string, step: Step): Candidate {
  const { at, employee_id, email, reason, trigger_event, event_id } = step
  const { score: previous_score, band: previous_band } = step.previous!
  return {
    policy,
    transition,
    at,
    employee_id,
    employee_email: email,
    reason,
    trigger_event,
    event_id,
    previous_score,
    new_score: step.score,
    previous_band,
    new_band: step.band,
  }
}

function enteredBands(book: PolicyBook, step: Step): Candidate[] {
  if (!isWorse(step.band, step.previous!.band)) return []
  return (book.by_band.get(step.band) ?? [])
    .filter(policy => isMeant(policy, step))
    .map(policy => ofStep(policy, `band:${step.band}`, step))
}

async function matchedEvents(
  book: PolicyBook,
  happenings: readonly Happening[],
): Promise<Candidate[]> {
  const events = happenings.filter(event => !event.inert)
  const meant = await judgeEvents(book.events, events)
  return events.flatMap((event, i) => ofEvent(book, event, meant[i]!))
}

function ofEvent(book: PolicyBook, event: Happening, meant: readonly CompiledRule[]): Candidate[] {
  return meant
    .map(rule => book.by_id.get(rule.id)!)
    .filter(policy => isMeant(policy, event))
    .map(policy => ({
      policy,
      transition: `event:${event.type}`,
      at: event.received_at,
      employee_id: event.employee_id,
      employee_email: event.employee_email,
      reason: 'event',
      trigger_event: event.type,
      event_id: event.event_id,
      previous_score: event.score_before,
      new_score: event.score_after,
      previous_band: null,
      new_band: null,
    }))
}

/** The score after a fall against the highest that held at any instant of the time before it. */
async function deepDrops(tx: Tx, tenant_id: string, book: PolicyBook, steps: readonly Step[]) {
  const falls = book.drops.length === 0 ? [] : steps.filter(isFall)
  const own = Map.groupBy(falls.length === 0 ? [] : steps, step => step.employee_id)
  const pairs = book.drops.flatMap(policy =>
    falls.filter(step => isMeant(policy, step)).map(step => ({ policy, step })),
  )
  const asked = await inPauses(pairs, ({ policy, step }) =>
    askHighest(policy, step, own.get(step.employee_id)!),
  )
  const recorded = await readHighestScores(
    tx,
    tenant_id,
    asked.map(one => one.question),
  )
  return asked.flatMap(({ policy, step, held }, i) => {
    const highest = Math.max(recorded[i] ?? 0, held)
    return highest - step.score >= policy.points ? [ofStep(policy, 'drop', step)] : []
  })
}

/** Steps of this very transaction (`own`) are not on record yet; each says what held until it was taken. */
function askHighest(policy: PolicyBook['drops'][number], step: Step, own: readonly Step[]) {
  const { employee_id, version } = step
  const since = step.at - policy.within_ms
  let held = 0
  for (const one of own) {
    if (one.version <= version && one.at >= since) held = Math.max(held, one.previous?.score ?? 0)
  }
  const first = own[0]!
  // What is on record ended with the first of these steps.
  const before_version = first.at >= since ? first.version : 0
  return { policy, step, held, question: { employee_id, since, before_version } }
}

const keyOf = (policy_id: string, employee_id: string, transition: string) =>
  `${policy_id} ${employee_id} ${transition}`

/** The same policy rests for the same employee and transition; entering critical always acts. */
async function withoutResting(tx: Tx, tenant_id: string, found: readonly Candidate[]) {
  const rests = ({ policy, transition }: Candidate) =>
    policy.quiet_ms > 0 && transition !== 'band:critical'
  const asked = found.filter(rests).map(({ policy, employee_id, transition }) => {
    return { policy_id: policy.id, employee_id, transition }
  })
  const last = new Map(
    (await lastActed(tx, tenant_id, asked)).map(row => [
      keyOf(row.policy_id, row.employee_id, row.transition),
      row.occurred_at.getTime(),
    ]),
  )
  return found
    .toSorted((a, b) => a.at - b.at)
    .filter(one => {
      if (!rests(one)) return true
      const key = keyOf(one.policy.id, one.employee_id, one.transition)
      const before = last.get(key)
      if (before !== undefined && Math.abs(one.at - before) < one.policy.quiet_ms) return false
      last.set(key, one.at)
      return true
    })
}

/** What a replay makes of the past is never acted on unseen. */
const REPLAYED = ['recalculation', 'settings']

function describe({ policy, at, ...rest }: Candidate, now: Instant): ActionRow {
  const waits = policy.requires_approval || REPLAYED.includes(rest.reason)
  const { id: policy_id, type, parameters } = policy
  return openAction(now, waits, {
    ...rest,
    policy_id,
    type,
    parameters,
    note: '',
    requested_by: actorText(ENGINE),
    occurred_at: new Date(at),
  })
}
