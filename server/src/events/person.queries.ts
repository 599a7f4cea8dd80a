// SQL of a person's rights in this slice: their events in full, and emptying them down to the numbers.
import { emailKey } from '../employees/email-address.ts'
import type { Tx } from '../platform/database.ts'

/** Of those that are kept, in order. */
export async function listKeptEventIds(tx: Tx, tenant_id: string, employee_id: string) {
  const rows = await tx<{ event_id: string }[]>`
    SELECT event_id FROM events WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}
    ORDER BY timestamp, event_id`
  return rows.map(row => row.event_id)
}

/** The next after one, in order. */
export async function listEventPage(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  after: readonly [timestamp: string, event_id: string] | null,
  limit: number,
) {
  const behind =
    after && tx`AND (timestamp, event_id) > (${after[0]}::text::timestamptz, ${after[1]})`
  return tx<{ timestamp: Date; event_id: string }[]>`
    SELECT timestamp, event_id FROM events
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} ${behind ?? tx``}
    ORDER BY timestamp, event_id LIMIT ${limit}`
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

/** Beyond ASCII databases differ in what is lower case, so such addresses are compared here. */
export async function listUnmatchedIds(tx: Tx, tenant_id: string, email_key: string) {
  const rows = await tx<{ unmatched_id: string; employee_email: string }[]>`
    SELECT unmatched_id, employee_email FROM unmatched_events
    WHERE tenant_id = ${tenant_id} AND (lower(employee_email COLLATE "C") = ${email_key}
      OR octet_length(employee_email) <> length(employee_email)) ORDER BY unmatched_id`
  return rows.flatMap(row => (emailKey(row.employee_email) === email_key ? row.unmatched_id : []))
}

export async function exportUnmatched(tx: Tx, tenant_id: string, unmatched_ids: string[]) {
  return tx`
    SELECT unmatched_id AS id, source, type, employee_email, timestamp, details, external_id, received_at, expires_at
    FROM unmatched_events WHERE tenant_id = ${tenant_id} AND unmatched_id = ANY(${unmatched_ids}::text[])
    ORDER BY unmatched_id`
}

/** Also those that retention has removed, as far as the history or a share still knows of them. */
export async function listEventIds(tx: Tx, tenant_id: string, employee_id: string) {
  const rows = await tx<{ event_id: string }[]>`
    SELECT event_id FROM events WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}
    UNION SELECT event_id FROM shares WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}
    UNION SELECT event_id FROM score_history
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND event_id IS NOT NULL`
  return rows.map(row => row.event_id)
}

/** Invariant: the caller holds the lock of whoever's they are. Types, times and impacts stay. */
export async function eraseEvents(tx: Tx, tenant_id: string, event_ids: string[]): Promise<void> {
  await tx`DELETE FROM external_ids WHERE tenant_id = ${tenant_id} AND event_id = ANY(${event_ids}::text[])`
  await tx`UPDATE events SET details = '{}'::jsonb, retraction = CASE WHEN retraction IS NULL THEN NULL ELSE '' END
    WHERE tenant_id = ${tenant_id} AND event_id = ANY(${event_ids}::text[])`
}

export async function eraseUnmatched(
  tx: Tx,
  tenant_id: string,
  unmatched_ids: string[],
): Promise<void> {
  await tx`DELETE FROM unmatched_events
    WHERE tenant_id = ${tenant_id} AND unmatched_id = ANY(${unmatched_ids}::text[])`
}

/**
 * What senders called the person's events, where it is long enough to mean nothing else and names no event of
 * somebody else.
 */
export async function listExternalIds(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  unmatched_ids: string[],
  least_length: number,
): Promise<string[]> {
  const rows = await tx<{ external_id: string }[]>`
    WITH own AS (
      SELECT x.external_id FROM external_ids x
      JOIN events e ON e.tenant_id = ${tenant_id} AND e.event_id = x.event_id
      WHERE x.tenant_id = ${tenant_id} AND e.employee_id = ${employee_id}
      UNION SELECT u.external_id FROM unmatched_events u
      WHERE u.tenant_id = ${tenant_id} AND u.unmatched_id = ANY(${unmatched_ids}::text[])
        AND u.external_id IS NOT NULL)
    SELECT o.external_id FROM own o
    WHERE length(o.external_id) >= ${least_length} AND NOT EXISTS (
      SELECT 1 FROM external_ids x JOIN events e ON e.tenant_id = ${tenant_id} AND e.event_id = x.event_id
      WHERE x.tenant_id = ${tenant_id} AND x.external_id = o.external_id AND e.employee_id <> ${employee_id})
    ORDER BY o.external_id`
  return rows.map(row => row.external_id)
}
