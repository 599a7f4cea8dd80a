// SQL of what tenants use in a day.
import type { Tx } from '../platform/database.ts'

export type Used = { requests: number; events: number; deliveries: number }
export type UsedDay = Used & { day: string }

/** Adds to the day's row. A tenant that is gone gets none. */
export async function addUse(tx: Tx, tenant_id: string, { day, ...used }: UsedDay): Promise<void> {
  await tx`INSERT INTO usage_days AS x (tenant_id, day, requests, events, deliveries)
    SELECT tn.tenant_id, ${day}::date, ${used.requests}::bigint, ${used.events}::bigint, ${used.deliveries}::bigint
    FROM tenants tn WHERE tn.tenant_id = ${tenant_id}
    ON CONFLICT (tenant_id, day) DO UPDATE SET requests = x.requests + excluded.requests,
      events = x.events + excluded.events, deliveries = x.deliveries + excluded.deliveries`
}

/** Oldest first; a day without use has no row. */
export async function listUse(tx: Tx, tenant_id: string, from: string): Promise<UsedDay[]> {
  return tx<UsedDay[]>`
    SELECT day::text AS day, requests, events, deliveries FROM usage_days
    WHERE tenant_id = ${tenant_id} AND day >= ${from}::date ORDER BY day`
}
