// Natural group commit: events of a tenant that arrive while its transaction is in flight go together in the next
// one, so a lone event never waits and a thousand cost a few statements.
import { setTimeout } from 'node:timers/promises'
import { emailKey } from '../employees/email-address.ts'
import type { Answer } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import { isLockTimeout } from '../platform/database-errors.ts'
import { ApiError, busy } from '../platform/errors.ts'
import { createGauge, createHistogram } from '../platform/metrics.ts'
import { step } from '../platform/steps.ts'
import { type JudgedEarly, judgeEarly } from './ask-early.ts'
import { ingestTogether, type Submission, wantedBy } from './ingest-events.ts'
import { patience } from './patience.ts'
import { createHands, type Hand } from './people-in-hand.ts'

type Waiting = {
  submission: Submission
  since: number
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/** Who waits, and how many events of large requests wait or are under way. */
type Lane = { queue: Waiting[]; large: number }

export type Ingest = (tenant_id: string, submission: Submission) => Promise<Answer>

const MOST_EVENTS = 256
const MOST_WAITING = 20_000
const LANES = 2
const WORTH_WAITING = 4
const MOST_TICKS = 4

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
    () => [[[], lanes.values().reduce((sum, lane) => sum + lane.queue.length, 0)]],
  )

  async function drain(name: string, tenant_id: string, lane: Lane): Promise<void> {
    const { queue } = lane
    let size = 0
    for (let group = nextGroup(queue); group.length > 0; group = nextGroup(queue)) {
      size = group.length
      await ingestGroup(tenant_id, group)
      for (const one of group) lane.large -= largeEvents(one.submission)
      await gather(queue, size)
    }
    lanes.delete(name)
  }

  /** A group that fails for a reason of its own is taken apart, so that a bad event fails alone. */
  async function ingestGroup(tenant_id: string, group: Waiting[]): Promise<void> {
    if (await tryGroup(tenant_id, group, false)) return
    for (const one of group) await tryGroup(tenant_id, [one], true)
  }

  async function tryGroup(
    tenant_id: string,
    group: Waiting[],
    isPatient: boolean,
  ): Promise<boolean> {
    const inputs = group.flatMap(one => one.submission.inputs)
    // Invariant: before it is in hand: of two transactions the earlier one asks for its connection first. Where it fails,
    // it fails again in the transaction, for the event that is to blame.
    const early = await judgeEarly(tenant_id, inputs).catch(() => null)
    const wanted = new Set(group.flatMap(one => wantedBy(one.submission)))
    return hands(tenant_id, wanted, isPatient, hand =>
      answerGroup(context, tenant_id, group, hand, early),
    )
  }

  return (tenant_id, submission) =>
    new Promise((resolve, reject) => {
      const name = `${tenant_id} ${laneFor(lanes, tenant_id, submission)}`
      const waiting = { submission, since: performance.now(), resolve, reject }
      const lane = lanes.get(name)
      if (!lane) {
        const fresh = { queue: [waiting], large: largeEvents(submission) }
        lanes.set(name, fresh)
        void drain(name, tenant_id, fresh)
      } else if (lane.queue.length >= MOST_WAITING || isSlow(lane)) {
        reject(busy())
      } else {
        lane.queue.push(waiting)
        lane.large += largeEvents(submission)
      }
    })
}

function isSlow({ queue: [first], large }: Lane): boolean {
  return first !== undefined && performance.now() - first.since > patience(large)
}

/** Of a request that fills a transaction of its own. */
function largeEvents({ inputs }: Submission): number {
  return inputs.length > MOST_EVENTS ? inputs.length : 0
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

/** As many submissions as fit; one larger than that goes alone, and a repeat after what it repeats. */
function nextGroup(queue: Waiting[]): Waiting[] {
  const requests = new Set<string>()
  let size = 0
  let count = 0
  for (const { submission } of queue) {
    const { inputs, repeatable } = submission
    size += inputs.length
    if (count > 0 && size > MOST_EVENTS) break
    if (repeatable && requests.has(repeatable.request)) break
    if (repeatable) requests.add(repeatable.request)
    count++
  }
  return queue.splice(0, count)
}

/** False: nobody was answered, and each may be tried alone. */
async function answerGroup(
  context: Context,
  tenant_id: string,
  group: Waiting[],
  hand: Hand,
  early: JudgedEarly | null,
): Promise<boolean> {
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
    if (!hand.isPatient && isLockTimeout((error as Error).cause)) return false
    if (group.length > 1 && !(error instanceof ApiError)) return false
    for (const one of group) one.reject(error)
  }
  return true
}
