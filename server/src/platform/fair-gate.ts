// Who waits, for a database connection or for large work: tenants take turns, and where a tenant's wait has grown long
// its next is refused.
import { busy } from './errors.ts'

/** Runs `work` once there is room for it; whoever gives a wait of their own is refused by that one. */
export type FairGate = <T>(
  tenant_id: string,
  work: () => Promise<T>,
  most_wait_ms?: number,
) => Promise<T>

type Waiting = { readonly since: number; enter(): void }

/** An answer that comes later than this is of no use to most callers, and one at once is. */
export const MOST_WAIT_MS = 1_000

/** For large work: whoever asked is served, however late. */
export function createPatientGate(width: number): FairGate {
  return createFairGate(width, () => 0, Infinity)
}

export function createFairGate(
  width: number,
  now: () => number,
  usual_wait_ms = MOST_WAIT_MS,
): FairGate {
  const queues = new Map<string, Waiting[]>()
  let inside = 0

  function enter(tenant_id: string, most_wait_ms: number): Promise<void> | null {
    if (inside < width) {
      inside++
      return null
    }
    const queue = queues.get(tenant_id) ?? []
    const first = queue[0]
    if (first && now() - first.since > most_wait_ms) throw busy()
    queues.set(tenant_id, queue)
    return new Promise(resolve => queue.push({ since: now(), enter: resolve }))
  }

  /** The place goes to the next tenant in the circle, so that one with much waiting keeps no other out. */
  function leave(): void {
    const turn = queues.entries().next().value
    if (!turn) {
      inside--
      return
    }
    const [tenant_id, queue] = turn
    const next = queue.shift()!
    queues.delete(tenant_id)
    if (queue.length > 0) queues.set(tenant_id, queue)
    next.enter()
  }

  return async (tenant_id, work, most_wait_ms = usual_wait_ms) => {
    await enter(tenant_id, most_wait_ms)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
