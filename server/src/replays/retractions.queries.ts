// SQL of retraction by filter: whose events it concerns, and which they are.
import { MANUAL_EVENT_TYPE, STREAK_EVENT_TYPE } from '../../../scoring/streak.ts'
import type { Retractable } from '../events/retract.queries.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { Selected } from './replays.queries.ts'

/** Instants are ISO texts: the filter is kept as the job's scope. */
export type RetractionFilter = {
  type: string | null
  source: string | null
  employee_id: string | null
  from: string | null
  to: string | null
  conditions: Record<string, unknown>
}

const OWN_TYPES = [MANUAL_EVENT_TYPE, STREAK_EVENT_TYPE]

/** All of the filter but its conditions; what came in after the request is not meant. */
function where(tx: Tx, filter: RetractionFilter, asked_at: Date) {
  const { type, source, employee_id, from, to } = filter
  return tx`AND e.retracted_at IS NULL AND e.received_at <= ${asked_at} AND e.type <> ALL(${OWN_TYPES}::text[])
    ${employee_id === null ? tx`` : tx`AND e.employee_id = ${employee_id}`}
    ${type === null ? tx`` : tx`AND e.type = ${type}`}
    ${source === null ? tx`` : tx`AND e.source = ${source}`}
    ${from === null ? tx`` : tx`AND e.timestamp >= ${new Date(from)}`}
    ${to === null ? tx`` : tx`AND e.timestamp <= ${new Date(to)}`}`
}

export async function countConcerned(
  tx: Tx,
  tenant_id: string,
  filter: RetractionFilter,
  asked_at: Date,
): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM (SELECT e.employee_id FROM events e
      WHERE e.tenant_id = ${tenant_id} ${where(tx, filter, asked_at)} GROUP BY e.employee_id) c`
  return row!.n
}

export async function selectConcerned(
  tx: Tx,
  tenant_id: string,
  filter: RetractionFilter,
  asked_at: Date,
  after: string,
  limit: number,
  now: Instant,
): Promise<Selected[]> {
  return tx<Selected[]>`
    SELECT s.employee_id, coalesce(s.next_due_at <= ${new Date(now)}, false) AS due
    FROM (SELECT e.employee_id FROM events e
      WHERE e.tenant_id = ${tenant_id} AND e.employee_id > ${after} ${where(tx, filter, asked_at)}
      GROUP BY e.employee_id ORDER BY e.employee_id LIMIT ${limit}) c
    JOIN employee_states s ON s.tenant_id = ${tenant_id} AND s.employee_id = c.employee_id
    ORDER BY s.employee_id`
}

export type Candidate = Retractable & { details: Record<string, unknown> }

/** Invariant: asked under the employees' locks. */
export async function readCandidates(
  tx: Tx,
  tenant_id: string,
  filter: RetractionFilter,
  asked_at: Date,
  employee_ids: string[],
): Promise<Candidate[]> {
  const rows = await tx<(Omit<Candidate, 'timestamp'> & { timestamp: Date })[]>`
    SELECT e.event_id, e.employee_id, e.department, e.type, e.source, e.timestamp, e.impact, e.details
    FROM events e WHERE e.tenant_id = ${tenant_id} AND e.employee_id = ANY(${employee_ids}::text[])
      ${where(tx, filter, asked_at)}
    ORDER BY e.employee_id, e.timestamp, e.event_id`
  return rows.map(row => ({ ...row, timestamp: row.timestamp.getTime() }))
}
