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
  const held = new Map<string, number>()
  let free = width

  /** Whoever holds much leaves some for others: of ten places one tenant has seven, however long it keeps them. */
  function hasRoom(tenant_id: string): boolean {
    return (held.get(tenant_id) ?? 0) < 2 * free
  }

  function take(tenant_id: string): void {
    free--
    held.set(tenant_id, (held.get(tenant_id) ?? 0) + 1)
  }

  function enter(tenant_id: string, most_wait_ms: number): Promise<void> | null {
    const queue = queues.get(tenant_id) ?? []
    if (queue.length === 0 && hasRoom(tenant_id)) {
      take(tenant_id)
      return null
    }
    const first = queue[0]
    if (first && now() - first.since > most_wait_ms) throw busy()
    queues.set(tenant_id, queue)
    return new Promise(resolve => queue.push({ since: now(), enter: resolve }))
  }

  /** The place goes to the next tenant in the circle, so that one with much waiting keeps no other out. */
  function leave(tenant_id: string): void {
    free++
    const left = held.get(tenant_id)! - 1
    if (left === 0) held.delete(tenant_id)
    else held.set(tenant_id, left)
    for (let next = findNext(); next !== undefined; next = findNext()) letIn(next)
  }

  function findNext(): string | undefined {
    return free === 0 ? undefined : queues.keys().find(hasRoom)
  }

  function letIn(tenant_id: string): void {
    const queue = queues.get(tenant_id)!
    const next = queue.shift()!
    queues.delete(tenant_id)
    if (queue.length > 0) queues.set(tenant_id, queue)
    take(tenant_id)
    next.enter()
  }

  return async (tenant_id, work, most_wait_ms = usual_wait_ms) => {
    await enter(tenant_id, most_wait_ms)
    try {
      return await work()
    } finally {
      leave(tenant_id)
    }
  }
}
