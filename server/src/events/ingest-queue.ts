// Natural group commit: events of a tenant that arrive while its transaction is in flight go together in the next
// one, so a lone event never waits and a thousand cost a few statements.
import { setTimeout } from 'node:timers/promises'
import { emailKey } from '../employees/email-address.ts'
import type { Answer } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import { busy } from '../platform/errors.ts'
import { createGauge } from '../platform/metrics.ts'
import { createAnswering } from './answer-groups.ts'
import type { Submission } from './ingest-events.ts'
import { patience } from './patience.ts'
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
  type Waiting,
} from './waiting-lanes.ts'

export type Ingest = (tenant_id: string, submission: Submission) => Promise<Answer>

const MOST_WAITING = 20_000
const LANES = 2
const WORTH_WAITING = 4
const MOST_TICKS = 4
/** So long a lane waits for somebody that others hold, such as a recalculation, before it goes on with the rest. */
const LONGEST_HOLD_MS = 250

export function createIngest(context: Context): Ingest {
  const lanes = new Map<string, Lane>()
  const { answerGroup, answerPatiently } = createAnswering(context)
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
    const over = answerGroup(tenant_id, group, resolve).then(left => {
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
