// Work that many tenants may have: some of them in one run of a job, the next in the next, round and round.
import type { Instant } from './clock.ts'
import type { Context } from './context.ts'
import { isLockTimeout } from './database-errors.ts'
import type { Job } from './jobs.ts'

type Found = { readonly tenant_id: string }

/** Lists tenants behind this one, in the order of their ids. */
type Find<T> = (after: string, limit: number) => Promise<readonly T[]>

/** True when there may be more at once: tenants that had no turn yet, or one whose `work` said so in this round. */
export type TenantTurns = <T extends Found>(
  find: Find<T>,
  work: (tenant: T) => Promise<boolean>,
) => Promise<boolean>

/** Where the work of a tenant fails, the run ends, and the next one begins behind it: it keeps no other waiting. */
export function createTenantTurns(most: number): TenantTurns {
  let after = ''
  let left = false
  return async (find, work) => {
    const tenants = await find(after, most)
    for (const tenant of tenants) {
      after = tenant.tenant_id
      left = (await work(tenant)) || left
    }
    if (tenants.length === most) return true
    const more = left
    after = ''
    left = false
    return more
  }
}

type TenantJob<T extends Found> = Pick<Job, 'name' | 'every_ms'> & {
  /** How many have their turn in one run. */
  readonly tenants: number
  find(context: Context, after: string, limit: number, now: Instant): Promise<readonly T[]>
  work(context: Context, tenant: T, now: Instant): Promise<boolean>
}

/** `now` is the instant at which the run began. */
export function createTenantJob<T extends Found>(job: TenantJob<T>): Job {
  const { name, every_ms, tenants } = job
  const inTurns = createTenantTurns(tenants)
  return {
    name,
    every_ms,
    run(context) {
      const now = context.clock.now()
      return inTurns(
        (after, limit) => job.find(context, after, limit, now),
        tenant => job.work(context, tenant, now),
      )
    },
  }
}

/** What waits for too long for somebody whom others hold is left to the next run; there is nothing more to do at once. */
export async function leaveHeld(work: Promise<boolean>): Promise<boolean> {
  return work.catch(error => {
    if (isLockTimeout(error.cause)) return false
    throw error
  })
}
