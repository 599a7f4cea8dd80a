// Makes transactions meet: one is stopped at its last statement, and others are seen to wait.
import type { Tx } from '../src/platform/database.ts'
import { PATIENCE_MS } from './patience.ts'
import type { Service, Tenant } from './service.ts'

/** Nobody writes counts until it is let go: a transaction stops at its last statement, with all its locks. */
export function holdCounts({ context }: Service) {
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const over = context.db.sql.begin(async tx => {
    await tx`LOCK TABLE event_count_entries IN SHARE MODE`
    held.resolve()
    await letGo.promise
  })
  const release = async () => {
    letGo.resolve()
    await over
  }
  return { held: held.promise, release }
}

/** Runs the work while the person is held, until it is over. */
export async function holdPerson(
  { context }: Service,
  { tenant_id }: Tenant,
  email: string,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  await context.db.inTenant(tenant_id, async tx => {
    await tx`SELECT 1 FROM employee_states s JOIN employees e USING (tenant_id, employee_id)
      WHERE s.tenant_id = ${tenant_id} AND e.email_key = ${email} FOR UPDATE OF s`
    await work(tx)
  })
}

/** Resolves once somebody in this database waits for a whole table, or for another transaction to end. */
export async function seeWaiting(
  { context }: Service,
  { tenant_id }: Tenant,
  locktype: 'relation' | 'transactionid',
): Promise<void> {
  await see(async () => {
    const [row] = await context.db.inTenant(
      tenant_id,
      tx => tx`SELECT count(*) AS n FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE a.datname = current_database() AND l.locktype = ${locktype} AND NOT l.granted`,
    )
    return row!.n > 0
  })
}

/** Resolves once somebody waits for what this transaction holds. */
export async function seeBlocked(tx: Tx): Promise<void> {
  await see(async () => {
    const rows = await tx`SELECT 1 FROM pg_locks
      WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`
    return rows.length > 0
  })
}

/** By the clock: on a fast machine thousands of looks are over before a slow part of it has come so far. */
async function see(isWaiting: () => Promise<boolean>): Promise<void> {
  const began = performance.now()
  while (performance.now() - began < PATIENCE_MS) if (await isWaiting()) return
  throw new Error('nobody ever waited')
}
