// SQL of a person's rights in this slice: everything kept about somebody, and taking the name off it.
import type { Tx } from '../platform/database.ts'

export async function exportProfile(tx: Tx, tenant_id: string, employee_id: string) {
  const [row] = await tx`
    SELECT e.employee_id AS id, e.email, e.first_name, e.last_name, e.title, e.location, e.manager_email,
      e.created_at, s.department, s.status, s.score, s.band, s.risk, s.recovery, s.as_of, s.carried_risk,
      s.carried_recovery, s.carried_as_of, s.last_event_at, s.last_negative_at, s.last_streak_at,
      s.reactivated_at, s.sources AS integrations, s.erased_at
    FROM employees e JOIN employee_states s ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id
    WHERE e.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} AND e.employee_id = ${employee_id}`
  return row
}

export async function listVersions(tx: Tx, tenant_id: string, employee_id: string) {
  const rows = await tx<{ version: number }[]>`
    SELECT version FROM score_history WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}
    ORDER BY version`
  return rows.map(row => row.version)
}

export async function exportHistory(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  versions: number[],
) {
  return tx`
    SELECT version, at, score, band, risk, recovery, status, department, reason, trigger_event, event_id
    FROM score_history WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}
      AND version = ANY(${versions}::bigint[]) ORDER BY version`
}

/** Invariant: the caller holds the employee's lock. The first instant stays. */
export async function markErased(tx: Tx, tenant_id: string, employee_id: string, now: Date) {
  await tx`UPDATE employee_states SET erased_at = coalesce(erased_at, ${now})
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}`
}

export async function findErasedAt(tx: Tx, tenant_id: string, employee_id: string) {
  const [row] = await tx<{ erased_at: Date | null }[]>`
    SELECT erased_at FROM employee_states WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}`
  return row?.erased_at ?? null
}

/** Those of these keyed hashes that belong to the address of somebody who is being erased. */
export async function findForgotten(
  tx: Tx,
  tenant_id: string,
  hashes: Buffer[],
): Promise<Buffer[]> {
  const rows = await tx<{ email_hash: Buffer }[]>`
    SELECT email_hash FROM jobs WHERE tenant_id = ${tenant_id} AND email_hash = ANY(${hashes}::bytea[])`
  return rows.map(row => row.email_hash)
}
