// SQL of retraction and redaction: the events they mark and what these leave behind.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'

/** What retraction needs to know of an event. */
export type Retractable = {
  event_id: string
  employee_id: string
  department: string
  type: string
  source: string
  timestamp: Instant
  impact: number
}

type Row = Omit<Retractable, 'timestamp'> & { timestamp: Date; retracted_at: Date | null }

export async function findEmployeeOf(tx: Tx, tenant_id: string, event_id: string) {
  const [row] = await tx<{ employee_id: string }[]>`
    SELECT employee_id FROM events WHERE tenant_id = ${tenant_id} AND event_id = ${event_id}`
  return row?.employee_id
}

/** Invariant: asked under the employee's lock, so that nobody else retracts it meanwhile. */
export async function findRetractable(tx: Tx, tenant_id: string, event_id: string) {
  const [row] = await tx<Row[]>`
    SELECT event_id, employee_id, department, type, source, timestamp, impact, retracted_at
    FROM events WHERE tenant_id = ${tenant_id} AND event_id = ${event_id}`
  return row && { ...row, timestamp: row.timestamp.getTime() }
}

export async function markRetracted(
  tx: Tx,
  tenant_id: string,
  event_ids: string[],
  now: Instant,
  reason: string,
): Promise<void> {
  await tx`UPDATE events SET retracted_at = ${new Date(now)}, retraction = ${reason}
    WHERE tenant_id = ${tenant_id} AND event_id = ANY(${event_ids}::text[])`
}

/** Invariant: under the employee's lock. */
export async function markRedacted(tx: Tx, tenant_id: string, event_id: string, at: Date) {
  await tx`UPDATE events SET details = '{}'::jsonb, redacted_at = ${at}
    WHERE tenant_id = ${tenant_id} AND event_id = ${event_id}`
}

/**
 * When each employee's last event with negative impact was; of those who carry something also among what retention has
 * removed.
 */
export async function lastNegatives(
  tx: Tx,
  tenant_id: string,
  employee_ids: string[],
  carrying: string[],
): Promise<Map<string, Instant>> {
  const rows = await tx<{ employee_id: string; at: Date }[]>`
    SELECT n.employee_id, max(n.timestamp) AS at FROM (
      SELECT u.employee_id, l.timestamp FROM unnest(${employee_ids}::text[]) AS u(employee_id)
      CROSS JOIN LATERAL (SELECT e.timestamp FROM events e
        WHERE e.tenant_id = ${tenant_id} AND e.employee_id = u.employee_id AND e.impact < 0
          AND e.retracted_at IS NULL
        ORDER BY e.timestamp DESC, e.event_id DESC LIMIT 1) l
      UNION ALL
      SELECT s.employee_id, s.timestamp FROM shares s
      WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ANY(${carrying}::text[])
        AND s.to_version IS NULL AND s.folded
      GROUP BY s.employee_id, s.event_id, s.timestamp HAVING sum(s.impact) < 0) n
    GROUP BY n.employee_id`
  return new Map(rows.map(row => [row.employee_id, row.at.getTime()]))
}
