// Natural group commit: events of a tenant that arrive while its transaction is in flight go together in the next
// one, so a lone event never waits and a thousand cost a few statements.
import { setTimeout } from 'node:timers/promises'
import { emailKey } from '../employees/email-address.ts'
import { listHeld } from '../employees/standings.queries.ts'
import type { Answer } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import { isLockTimeout } from '../platform/database-errors.ts'
import { ApiError, busy } from '../platform/errors.ts'
import { createGauge, createHistogram } from '../platform/metrics.ts'
import { step } from '../platform/steps.ts'
import { type JudgedEarly, judgeEarly } from './ask-early.ts'
import type { EventInput } from './event-input.ts'
import { ingestTogether, type Submission, wantedBy } from './ingest-events.ts'
import { patience } from './patience.ts'
import { createHands, type Hand } from './people-in-hand.ts'
import {
  enqueue,
  type Lane,
  largeEvents,
  nextGroup,
  openLane,
  queueBehind,
  queueFor,
  setAside,
  takeBack,
  takeHeld,
  type Waiting,
} from './waiting-lanes.ts'

export type Ingest = (tenant_id: string, submission: Submission) => Promise<Answer>

const MOST_WAITING = 20_000
const LANES = 2
const WORTH_WAITING = 4
const MOST_TICKS = 4
/** So often a group is tried without those whose people others hold at that moment. */
const MOST_TURNS = 3
/** So long a lane waits for somebody that others hold, such as a recalculation, before it goes on with the rest. */
const LONGEST_HOLD_MS = 250

const batches = createHistogram(
  'bellwether_ingest_batch_events',
  'Events that went together in one transaction.',
  [],
  [1, 2, 4, 8, 16, 32, 64, 128, 256, 1000],
)

export function createIngest(context: Context): Ingest {
  const lanes = new Map<string, Lane>()
  const hands = createHands()
  createGauge(
    'bellwether_ingest_waiting_requests',
    'Requests with events that wait for the transaction in flight.',
    [],
    () => [[[], lanes.values().reduce((sum, lane) => sum + countWaiting(lane), 0)]],
  )

  async function drain(name: string, tenant_id: string, lane: Lane): Promise<void> {
    lane.isDraining = true
    for (let group = nextGroup(lane.queue); group.length > 0; group = nextGroup(lane.queue)) {
      await passGroup(name, tenant_id, lane, group)
      await gather(lane.queue, group.length)
    }
    lane.isDraining = false
    if (!lane.aside) lanes.delete(name)
  }

  /** Until the group is answered; of one that waits for its people, once in a lane, only until that is known. */
  async function passGroup(name: string, tenant_id: string, lane: Lane, group: Waiting[]) {
    const { promise: locked, resolve } = Promise.withResolvers<void>()
    const over = ingestGroup(tenant_id, group, resolve).then(left => {
      for (const one of group) if (!left.includes(one)) lane.large -= largeEvents(one.submission)
      return left
    })
    if (!lane.aside && (await isLate(Promise.race([locked, over])))) {
      setAside(lane, group)
      void over.then(left => waitAside(name, tenant_id, lane, left))
      return
    }
    const left = await over
    if (left.length === 0) return
    if (lane.aside) queueBehind(lane, left)
    else void waitAside(name, tenant_id, lane, left)
  }

  /** Those whose people others hold wait for them, and with them whoever has something in common, but nobody else. */
  async function waitAside(name: string, tenant_id: string, lane: Lane, left: Waiting[]) {
    const resume = () => {
      if (!lane.isDraining) void drain(name, tenant_id, lane)
    }
    if (left.length > 0) {
      setAside(lane, left)
      resume()
      await answerPatiently(tenant_id, left)
    }
    for (const one of left) lane.large -= largeEvents(one.submission)
    takeBack(lane, performance.now())
    resume()
  }

  /**
   * Returns those who were left over, because others hold their people. A group that fails for a reason of its own is
   * taken apart, so that a bad event fails alone.
   */
  async function ingestGroup(
    tenant_id: string,
    group: readonly Waiting[],
    locked: () => void,
  ): Promise<Waiting[]> {
    const rest = [...group]
    const left: Waiting[] = []
    for (let turn = 0; turn < MOST_TURNS && rest.length > 0; turn++) {
      const tried = await tryGroup(tenant_id, rest, false, locked)
      if (tried === 'answered') return left
      if (tried === 'failed') {
        for (const one of rest) await tryGroup(tenant_id, [one], true, locked)
        return left
      }
      left.push(...takeHeld(rest, await findHeld(context, tenant_id, rest)))
    }
    return [...left, ...rest]
  }

  async function answerPatiently(tenant_id: string, group: Waiting[]): Promise<void> {
    if ((await tryGroup(tenant_id, group, true, () => {})) === 'answered') return
    for (const one of group) await tryGroup(tenant_id, [one], true, () => {})
  }

  async function tryGroup(
    tenant_id: string,
    group: Waiting[],
    isPatient: boolean,
    locked: () => void,
  ): Promise<Tried> {
    const inputs = group.flatMap(one => one.submission.inputs)
    // Invariant: before it is in hand: of two transactions the earlier one asks for its connection first. Where it fails,
    // it fails again in the transaction, for the event that is to blame.
    const early = await judgeEarly(tenant_id, inputs).catch(() => null)
    const wanted = new Set(group.flatMap(one => wantedBy(one.submission)))
    return hands(tenant_id, wanted, isPatient, hand => {
      const sayLocked = () => {
        hand.sayLocked()
        locked()
      }
      return answerGroup(context, tenant_id, group, { ...hand, sayLocked }, early)
    })
  }

  return (tenant_id, submission) =>
    new Promise((resolve, reject) => {
      const name = `${tenant_id} ${laneFor(lanes, tenant_id, submission)}`
      const lane = lanes.get(name) ?? openLane()
      lanes.set(name, lane)
      admit(lane, { submission, since: performance.now(), resolve, reject })
      if (!lane.isDraining) void drain(name, tenant_id, lane)
    })
}

/** Whoever would have to wait too long is told so at once. */
function admit(lane: Lane, waiting: Waiting): void {
  const queue = queueFor(lane, waiting.submission)
  if (queue.length >= MOST_WAITING || isSlow(queue, lane.large)) {
    waiting.reject(busy())
    return
  }
  enqueue(lane, waiting)
  lane.large += largeEvents(waiting.submission)
}

function isSlow([first]: readonly Waiting[], large: number): boolean {
  return first !== undefined && performance.now() - first.since > patience(large)
}

const countWaiting = ({ queue, aside }: Lane) => queue.length + (aside?.queue.length ?? 0)

/** Whether it takes longer than usual. */
async function isLate(work: Promise<unknown>): Promise<boolean> {
  const late = setTimeout(LONGEST_HOLD_MS, undefined, { ref: false })
  return Promise.race([work.then(() => false), late.then(() => true)])
}

/** A large request concerns people of both lanes, and takes the one with less before it. */
function laneFor(
  lanes: ReadonlyMap<string, Lane>,
  tenant_id: string,
  submission: Submission,
): number {
  if (largeEvents(submission) === 0) return laneOf(submission)
  const before = (lane: number) => lanes.get(`${tenant_id} ${lane}`)?.large ?? -1
  return before(0) <= before(1) ? 0 : 1
}

/** One employee's events always take the same lane, so that two transactions seldom want one row. */
function laneOf({ inputs }: Submission): number {
  const email = emailKey(inputs[0]?.employee_email ?? '')
  let hash = 0
  for (let i = 0; i < email.length; i++) hash = (hash * 31 + email.charCodeAt(i)) | 0
  return Math.abs(hash) % LANES
}

/**
 * Those just answered are likely to send their next: a lane that carried many waits a few milliseconds for as many
 * again, because a transaction costs as much for one event as for twenty. One that carried a lone event does not.
 */
async function gather(queue: readonly Waiting[], size: number): Promise<void> {
  if (size < WORTH_WAITING) return
  for (let tick = 0; tick < MOST_TICKS && queue.length < size; tick++) await setTimeout(1)
}

/** Unless answered nobody was: either others hold somebody, or each may be tried alone. */
type Tried = 'answered' | 'held' | 'failed'

/** Who cannot be locked at this moment. Where that cannot be told, nobody: what is behind it shows at the next try. */
async function findHeld({ db }: Context, tenant_id: string, group: readonly Waiting[]) {
  const emails = group.flatMap(one => one.submission.inputs.map(emailOf))
  const found = db.inTenant(tenant_id, tx => listHeld(tx, tenant_id, [...new Set(emails)]))
  return new Set(await found.catch(() => []))
}

const emailOf = (input: EventInput) => emailKey(input.employee_email)

async function answerGroup(
  context: Context,
  tenant_id: string,
  group: Waiting[],
  hand: Hand,
  early: JudgedEarly | null,
): Promise<Tried> {
  try {
    const submissions = group.map(one => one.submission)
    const answers = await ingestTogether(context, tenant_id, submissions, hand, early)
    batches.observe(
      [],
      submissions.reduce((sum, one) => sum + one.inputs.length, 0),
    )
    step('ingest.committed')
    group.forEach((one, i) => {
      const answer = answers[i]!
      if (answer instanceof Error) one.reject(answer)
      else one.resolve(answer)
    })
  } catch (error) {
    if (!hand.isPatient && isLockTimeout((error as Error).cause)) return 'held'
    if (group.length > 1 && !(error instanceof ApiError)) return 'failed'
    for (const one of group) one.reject(error)
  }
  return 'answered'
}
