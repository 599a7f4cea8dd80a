// Those who wait for the transaction of their lane, and apart from them whoever waits for somebody that others hold.
import type { Answer } from '../idempotency/answer-once.ts'
import { type Submission, wantedBy } from './ingest-events.ts'
import { listSharing } from './people-in-hand.ts'

export type Waiting = {
  submission: Submission
  since: number
  resolve(answer: Answer): void
  reject(error: unknown): void
}

export type Lane = {
  queue: Waiting[]
  /** How many events of large requests wait or are under way. */
  large: number
  isDraining: boolean
  /** A group that waits for its people longer than usual, by what it wants, and who has to wait behind it. */
  aside: { wanted: Set<string>; queue: Waiting[] } | null
}

const MOST_EVENTS = 256

export function openLane(): Lane {
  return { queue: [], large: 0, isDraining: false, aside: null }
}

/** Of a request that fills a transaction of its own. */
export function largeEvents({ inputs }: Submission): number {
  return inputs.length > MOST_EVENTS ? inputs.length : 0
}

/** Where it waits: behind what was set aside if they have something in common, so that each person's events keep their order. */
export function queueFor({ queue, aside }: Lane, submission: Submission): Waiting[] {
  const isBehind = aside && wantedBy(submission).some(key => aside.wanted.has(key))
  return isBehind ? aside.queue : queue
}

export function enqueue(lane: Lane, waiting: Waiting): void {
  const queue = queueFor(lane, waiting.submission)
  queue.push(waiting)
  if (queue === lane.queue) return
  for (const key of wantedBy(waiting.submission)) lane.aside!.wanted.add(key)
}

/** Whoever has nothing to do with the group need not wait for it, nor for one that was aside until now. */
export function setAside(lane: Lane, group: readonly Waiting[]): void {
  const waiting = [...(lane.aside?.queue ?? []), ...lane.queue.splice(0)]
  const wanted = new Set(group.flatMap(one => wantedBy(one.submission)))
  lane.aside = { wanted, queue: [] }
  for (const one of waiting) enqueue(lane, one)
}

/** Behind what is aside already; whoever came after them and has something in common stays behind them. */
export function queueBehind(lane: Lane, group: readonly Waiting[]): void {
  const { wanted, queue } = lane.aside!
  queue.push(...group)
  for (const one of group) for (const key of wantedBy(one.submission)) wanted.add(key)
  for (const one of lane.queue.splice(0)) enqueue(lane, one)
}

/** Takes out of the group whoever wants what is held, or has something in common with one who does. */
export function takeHeld(group: Waiting[], held: ReadonlySet<string>): Waiting[] {
  const taken = listSharing(group, held, one => wantedBy(one.submission))
  group.splice(0, group.length, ...group.filter(one => !taken.has(one)))
  return [...taken]
}

/** They were not waiting for the lane: from here on they do. */
export function takeBack(lane: Lane, now: number): void {
  const back = lane.aside!.queue.map(one => ({ ...one, since: now }))
  lane.aside = null
  lane.queue.unshift(...back)
}

/** As many submissions as fit; one larger than that goes alone, and a repeat after what it repeats. */
export function nextGroup(queue: Waiting[]): Waiting[] {
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
