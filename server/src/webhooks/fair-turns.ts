// Tenants take turns: first come, first served, one turn each, never two at once for the same tenant.

export type Turns = {
  /** Queues a tenant, once; during its turn it is queued for another after it. */
  add(tenant_id: string): void
  /** Nobody waits and nobody has a turn. */
  isIdle(): boolean
  stop(): void
}

/** How many turns are taken at once; more where many wait. */
export type Width = { readonly few: number; readonly many: number }

/** Below this many that wait, what gathers meanwhile makes each turn worth more than a second one beside it would. */
const MANY_WAITING = 16

/** A turn that takes longer than this waits for something: another may begin beside it. */
const LONG_MS = 250
const MOST_LONG = 4

/** `take` does a bounded piece of work and says whether there is more; it must not throw. */
export function createTurns(width: Width, take: (tenant_id: string) => Promise<boolean>): Turns {
  const waiting = new Set<string>()
  const taking = new Set<string>()
  const again = new Set<string>()
  const long = new Set<string>()
  let stopped = false

  function add(tenant_id: string): void {
    if (stopped) return
    if (taking.has(tenant_id)) again.add(tenant_id)
    else waiting.add(tenant_id)
    startNext()
  }

  function startNext(): void {
    for (const tenant_id of waiting) {
      const most = waiting.size < MANY_WAITING ? width.few : width.many
      if (taking.size - long.size >= most) return
      waiting.delete(tenant_id)
      taking.add(tenant_id)
      void run(tenant_id)
    }
  }

  async function run(tenant_id: string): Promise<void> {
    const timer = setTimeout(passBy, LONG_MS, tenant_id)
    const more = await take(tenant_id)
    clearTimeout(timer)
    long.delete(tenant_id)
    taking.delete(tenant_id)
    const wanted = again.delete(tenant_id) || more
    if (wanted && !stopped) waiting.add(tenant_id)
    startNext()
  }

  function passBy(tenant_id: string): void {
    if (long.size >= MOST_LONG) return
    long.add(tenant_id)
    startNext()
  }

  return {
    add,
    isIdle: () => waiting.size === 0 && taking.size === 0,
    stop: () => {
      stopped = true
      waiting.clear()
      again.clear()
    },
  }
}
