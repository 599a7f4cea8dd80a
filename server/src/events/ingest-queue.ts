// Natural group commit: events of a tenant that arrive while its transaction is in flight go together in the next
// one, so a lone event never waits and a thousand cost a few statements.
import { setTimeout } from 'node:timers/promises'
import type { Answer } from '../access/idempotency.ts'
import type { Context } from '../platform/context.ts'
import { ApiError, busy } from '../platform/errors.ts'
import { MOST_WAIT_MS } from '../platform/fair-gate.ts'
import { createGauge, createHistogram } from '../platform/metrics.ts'
import { step } from '../platform/steps.ts'
import { ingestTogether, type Submission } from './ingest-events.ts'

type Waiting = {
  submission: Submission
  since: number
  resolve(answer: Answer): void
  reject(error: unknown): void
}

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
  const lanes = new Map<string, Waiting[]>()
  createGauge(
    'bellwether_ingest_waiting_requests',
    'Requests with events that wait for the transaction in flight.',
    [],
    () => [[[], lanes.values().reduce((sum, queue) => sum + queue.length, 0)]],
  )

  async function drain(lane: string, tenant_id: string, queue: Waiting[]): Promise<void> {
    let size = 0
    for (let group = nextGroup(queue); group.length > 0; group = nextGroup(queue)) {
      size = group.length
      await ingestGroup(context, tenant_id, group)
      await gather(queue, size)
    }
    lanes.delete(lane)
  }

  return (tenant_id, submission) =>
    new Promise((resolve, reject) => {
      const lane = `${tenant_id} ${laneOf(submission)}`
      const waiting = { submission, since: performance.now(), resolve, reject }
      const queue = lanes.get(lane)
      if (!queue) {
        const fresh = [waiting]
        lanes.set(lane, fresh)
        void drain(lane, tenant_id, fresh)
      } else if (queue.length >= MOST_WAITING || isSlow(queue)) {
        reject(busy())
      } else {
        queue.push(waiting)
      }
    })
}

/** Who would wait so long is better told at once to come again. */
function isSlow([first]: readonly Waiting[]): boolean {
  return first !== undefined && performance.now() - first.since > MOST_WAIT_MS
}

/** One employee's events always take the same lane, so that two transactions seldom want one row. */
function laneOf({ inputs }: Submission): number {
  const email = inputs[0]?.employee_email.toLowerCase() ?? ''
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

/** As many submissions as fit; one larger than that goes alone. */
function nextGroup(queue: Waiting[]): Waiting[] {
  let size = 0
  let count = 0
  while (count < queue.length) {
    size += queue[count]!.submission.inputs.length
    if (count > 0 && size > MOST_EVENTS) break
    count++
  }
  return queue.splice(0, count)
}

/** A group that fails for a reason of its own is taken apart, so that a bad event fails alone. */
async function ingestGroup(context: Context, tenant_id: string, group: Waiting[]): Promise<void> {
  try {
    const answers = await ingestTogether(
      context,
      tenant_id,
      group.map(one => one.submission),
    )
    batches.observe(
      [],
      group.reduce((sum, one) => sum + one.submission.inputs.length, 0),
    )
    step('ingest.committed')
    group.forEach((one, i) => {
      const answer = answers[i]!
      if (answer instanceof Error) one.reject(answer)
      else one.resolve(answer)
    })
  } catch (error) {
    if (group.length === 1 || error instanceof ApiError) {
      for (const one of group) one.reject(error)
      return
    }
    for (const one of group) await ingestGroup(context, tenant_id, [one])
  }
}
