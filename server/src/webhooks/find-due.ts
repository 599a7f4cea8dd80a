// Finds the tenants with something due: woken by NOTIFY, by looking again and again, and by the plan's rate.
import type { Context } from '../platform/context.ts'
import { createOutageFilter } from '../platform/once-a-minute.ts'
import { tenantsWithDueDeliveries } from './claims.queries.ts'
import { WAKE_CHANNEL } from './queue.queries.ts'

/** The backstop of NOTIFY, and how late a retry may be found. */
const POLL_MS = 500
const SCAN_SIZE = 200
/** Long enough for several tokens, so that they are claimed together. */
const LEAST_WAIT_MS = 50

/** Calls `found` for every tenant with something due, in pages. */
export async function scanDue(
  { db, clock }: Context,
  found: (tenant_id: string) => void,
): Promise<void> {
  const now = new Date(clock.now())
  for (let after = '', full = true; full; ) {
    const page = await db.acrossTenants(tx => tenantsWithDueDeliveries(tx, now, after, SCAN_SIZE))
    for (const { tenant_id } of page) found(tenant_id)
    full = page.length === SCAN_SIZE
    after = page.at(-1)?.tenant_id ?? ''
  }
}

export type Watch = {
  start(): void
  /** Calls `found` for the tenant after a while. */
  comeBack(tenant_id: string, wait_ms: number): void
  stop(): Promise<void>
}

export function createWatch(
  context: Context,
  { listen = true, poll_ms = POLL_MS }: { listen?: boolean; poll_ms?: number },
  found: (tenant_id: string) => void,
): Watch {
  const timers = new Map<string, NodeJS.Timeout>()
  const isNews = createOutageFilter(context.clock)
  let stopped = false
  let looking: Promise<void> | null = null
  let endRest = () => {}

  async function look(): Promise<void> {
    let deaf = listen
    while (!stopped) {
      if (deaf) deaf = await context.db.listen(WAKE_CHANNEL, found).then(isNever, isAlways)
      await scanDue(context, found).catch(error => {
        if (!isNews('look', error)) return
        context.log.warn(
          { err: error },
          'due deliveries could not be looked for, will be tried again',
        )
      })
      if (!stopped) await rest()
    }
  }

  function rest(): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, poll_ms)
      endRest = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  return {
    start: () => {
      looking ??= look()
    },
    comeBack: (tenant_id, wait_ms) => {
      if (timers.has(tenant_id) || stopped || !looking) return
      const again = () => {
        timers.delete(tenant_id)
        found(tenant_id)
      }
      timers.set(tenant_id, setTimeout(again, Math.max(wait_ms, LEAST_WAIT_MS)))
    },
    stop: async () => {
      stopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      endRest()
      await looking
    },
  }
}

const isNever = () => false
const isAlways = () => true
