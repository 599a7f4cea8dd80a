// Work that many tenants may have: some of them in one run of a job, the next in the next, round and round.

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
