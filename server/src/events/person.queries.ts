// SQL of a person's rights in this slice: their events in full.
import type { Tx } from '../platform/database.ts'

/** Of those that are kept, in order. */
export async function listKeptEventIds(tx: Tx, tenant_id: string, employee_id: string) {
  const rows = await tx<{ event_id: string }[]>`
    SELECT event_id FROM events WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}
    ORDER BY timestamp, event_id`
  return rows.map(row => row.event_id)
}

export async function exportEvents(tx: Tx, tenant_id: string, event_ids: string[]) {
  return tx`
    SELECT e.event_id AS id, e.type, e.source, e.department, e.timestamp, e.received_at, e.impact, e.details,
      e.rules_matched, e.cooling, e.inert, e.retracted_at, e.retraction, e.actor, (
        SELECT x.external_id FROM external_ids x
        WHERE x.tenant_id = ${tenant_id} AND x.event_id = e.event_id LIMIT 1) AS external_id
    FROM events e WHERE e.tenant_id = ${tenant_id} AND e.event_id = ANY(${event_ids}::text[])
    ORDER BY e.timestamp, e.event_id`
}

export async function countShares(tx: Tx, tenant_id: string, employee_id: string) {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM shares WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}`
  return row!.n
}

export type ExportedShare = { rule_id: string; timestamp: Date; event_id: string; version: number }

/** The next after one, in the order of their key; none that was given after a version of the employee. */
export async function exportShares(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  until: number,
  after: ExportedShare | null,
  limit: number,
) {
  const behind =
    after &&
    tx`AND (rule_id, timestamp, event_id, from_version)
      > (${after.rule_id}, ${after.timestamp}, ${after.event_id}, ${after.version})`
  return tx<ExportedShare[]>`
    SELECT rule_id, event_id, timestamp, from_version AS version, impact, dated_at, ended_at, ended_by, folded
    FROM shares WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}
      AND from_version <= ${until} ${behind ?? tx``}
    ORDER BY rule_id, timestamp, event_id, from_version LIMIT ${limit}`
}

export async function listUnmatchedIds(tx: Tx, tenant_id: string, email_key: string) {
  const rows = await tx<{ unmatched_id: string }[]>`
    SELECT unmatched_id FROM unmatched_events WHERE tenant_id = ${tenant_id} AND email_key = ${email_key}
    ORDER BY unmatched_id`
  return rows.map(row => row.unmatched_id)
}

export async function exportUnmatched(tx: Tx, tenant_id: string, unmatched_ids: string[]) {
  return tx`
    SELECT unmatched_id AS id, source, type, employee_email, timestamp, details, external_id, received_at, expires_at
    FROM unmatched_events WHERE tenant_id = ${tenant_id} AND unmatched_id = ANY(${unmatched_ids}::text[])
    ORDER BY unmatched_id`
}
