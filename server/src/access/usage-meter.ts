// Counts what tenants use in a day: in memory, so that a request hardly notices, and written every few seconds.
import { dayOf } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { relaxCommit } from '../platform/relax-commit.ts'
import { addUse, type Used, type UsedDay } from './usage.queries.ts'

export type UsageMeter = {
  count(tenant_id: string, what: keyof Used, amount: number): void
  /** Writes what was counted so far; what cannot be written is kept for the next time. */
  flush(): Promise<void>
}

const EVERY_MS = 5_000
/** So many tenants between two writes; beyond it a count that is short is better than memory that grows. */
const MOST_TENANTS = 20_000

type Counted = UsedDay & { tenant_id: string }

export function createUsageMeter({ db, clock, log }: Context): UsageMeter {
  const counts = new Map<string, Counted>()
  let timer: NodeJS.Timeout | undefined
  let written: Promise<void> = Promise.resolve()

  function add(tenant_id: string, day: string, used: Partial<Used>): void {
    const key = tenant_id + day
    let own = counts.get(key)
    if (!own) {
      if (counts.size >= MOST_TENANTS) return
      own = { tenant_id, day, requests: 0, events: 0, deliveries: 0 }
      counts.set(key, own)
      timer ??= setTimeout(flush, EVERY_MS).unref()
    }
    own.requests += used.requests ?? 0
    own.events += used.events ?? 0
    own.deliveries += used.deliveries ?? 0
  }

  async function write(): Promise<void> {
    const taken = [...counts.values()]
    counts.clear()
    for (const one of taken) {
      const { tenant_id, ...used } = one
      try {
        await db.inTenant(tenant_id, async tx => {
          await relaxCommit(tx)
          await addUse(tx, tenant_id, used)
        })
      } catch (error) {
        add(tenant_id, used.day, used)
        log.debug({ err: error }, 'the use of a tenant could not be written, will be tried again')
      }
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    written = written.then(write)
    return written
  }

  return {
    count: (tenant_id, what, amount) => {
      if (amount !== 0) add(tenant_id, dayOf(clock.now()), { [what]: amount })
    },
    flush,
  }
}
