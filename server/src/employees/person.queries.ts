// SQL of a person's rights in this slice: everything kept about somebody, and taking the name off it.
import type { Tx } from '../platform/database.ts'
import { namePatterns } from '../platform/mentions.ts'

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

/** Invariant: the caller holds the employee's lock. Whoever they managed no longer names them. */
export async function eraseProfile(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  email_key: string,
  alias: string,
  now: Date,
): Promise<Date> {
  await tx`UPDATE employees SET email = ${alias}, email_key = ${alias}, first_name = '', last_name = '',
      title = '', location = '', manager_email = '', search_text = ''
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}`
  // Other spellings beyond ASCII, where databases differ in what is lower case, are left to the search.
  await tx`UPDATE employees SET manager_email = ''
    WHERE tenant_id = ${tenant_id} AND lower(manager_email COLLATE "C") = ${email_key}`
  const [row] = await tx<{ erased_at: Date }[]>`
    UPDATE employee_states SET erased_at = coalesce(erased_at, ${now})
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} RETURNING erased_at`
  return row!.erased_at
}

/** What is still looked for, sealed. */
export async function listOpenTraces(tx: Tx, tenant_id: string) {
  return tx<{ employee_id: string; traces: string }[]>`
    SELECT employee_id, traces FROM erasures
    WHERE tenant_id = ${tenant_id} AND finished_at IS NULL AND traces IS NOT NULL`
}

/**
 * Whether somebody else who is not erased would be taken for them where the name is looked for: the same words in either
 * order, compared here, since databases differ in what they put in lower case.
 */
export async function hasNamesake(
  tx: Tx,
  tenant_id: string,
  { id, first_name, last_name }: { id: string; first_name: string; last_name: string },
): Promise<boolean> {
  const { rough, same } = namePatterns([first_name, last_name])
  const rows = await tx<{ first_name: string; last_name: string }[]>`
    SELECT first_name, last_name FROM employees WHERE tenant_id = ${tenant_id} AND employee_id <> ${id}
      AND lower(concat_ws(' ', first_name, last_name)) ~ (SELECT lower(${rough}))`
  return rows.some(row => same.test(`${row.first_name.trim()} ${row.last_name.trim()}`))
}
