// SQL of retraction by filter: whose events it concerns, and which they are.
import { MANUAL_EVENT_TYPE, STREAK_EVENT_TYPE } from '../../../scoring/streak.ts'
import type { Retractable } from '../events/retract.queries.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { PAGE, type Place, type Selected } from './replays.queries.ts'

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
  const { type, source, employee_id } = filter
  return tx`AND e.retracted_at IS NULL AND e.received_at <= ${asked_at} AND e.type <> ALL(${OWN_TYPES}::text[])
    ${employee_id === null ? tx`` : tx`AND e.employee_id = ${employee_id}`}
    ${type === null ? tx`` : tx`AND e.type = ${type}`}
    ${source === null ? tx`` : tx`AND e.source = ${source}`} ${within(tx, filter)}`
}

function within(tx: Tx, { from, to }: RetractionFilter) {
  return tx`${from === null ? tx`` : tx`AND e.timestamp >= ${new Date(from)}`}
    ${to === null ? tx`` : tx`AND e.timestamp <= ${new Date(to)}`}`
}

/** As many events are looked through to know whom a filter concerns. */
export const FEW = 20_000

/** What leads to the events along an index: the one person, the type, the source or, without any, the time alone. */
export type Lead = 'employee_id' | 'type' | 'source' | 'timestamp'

/** The first that leads to few events; null where each leads to many, and everyone is looked at. */
export async function findLead(
  tx: Tx,
  tenant_id: string,
  filter: RetractionFilter,
): Promise<Lead | null> {
  if (filter.employee_id !== null) return 'employee_id'
  const named = (['type', 'source'] as const).filter(lead => filter[lead] !== null)
  for (const lead of named.length > 0 ? named : (['timestamp'] as const)) {
    const [row] = await tx<{ n: number }[]>`
      SELECT count(*) AS n FROM (${along(tx, tenant_id, filter, lead)}) e`
    if (row!.n <= FEW) return lead
  }
  return null
}

/** In the order of the index, so that no other is taken for it. */
function along(tx: Tx, tenant_id: string, filter: RetractionFilter, lead: Lead) {
  const by = lead === 'timestamp' ? tx`` : tx`AND e.${tx(lead)} = ${filter[lead]!}`
  return tx`SELECT e.employee_id, e.type, e.source, e.timestamp, e.received_at, e.retracted_at FROM events e
    WHERE e.tenant_id = ${tenant_id} ${by} ${within(tx, filter)}
    ORDER BY e.timestamp, e.event_id LIMIT ${FEW + 1}`
}

export async function countConcerned(
  tx: Tx,
  tenant_id: string,
  filter: RetractionFilter,
  asked_at: Date,
  lead: Lead,
): Promise<number> {
  if (lead === 'employee_id') {
    const [one] = await tx<{ n: number }[]>`SELECT count(*) AS n FROM employee_states s
      WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ${filter.employee_id}`
    return one!.n
  }
  const [row] = await tx<{ n: number }[]>`
    WITH few AS MATERIALIZED (${along(tx, tenant_id, filter, lead)})
    SELECT count(DISTINCT e.employee_id) AS n FROM few e WHERE true ${where(tx, filter, asked_at)}`
  return row!.n
}

export async function selectConcerned(
  tx: Tx,
  tenant_id: string,
  filter: RetractionFilter,
  asked_at: Date,
  lead: Lead,
  { after, limit, now }: { after: string; limit: number; now: Instant },
): Promise<Selected[]> {
  const due = tx`coalesce(s.next_due_at <= ${new Date(now)}, false) AS due`
  if (lead === 'employee_id') {
    return tx<Selected[]>`SELECT s.employee_id, ${due} FROM employee_states s
      WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ${filter.employee_id} AND s.employee_id > ${after}
      LIMIT ${limit}`
  }
  return tx<Selected[]>`
    WITH few AS MATERIALIZED (${along(tx, tenant_id, filter, lead)})
    SELECT s.employee_id, ${due}
    FROM (SELECT e.employee_id FROM few e WHERE e.employee_id > ${after} ${where(tx, filter, asked_at)}
      GROUP BY e.employee_id ORDER BY e.employee_id LIMIT ${limit}) c
    JOIN employee_states s ON s.tenant_id = ${tenant_id} AND s.employee_id = c.employee_id
    ORDER BY s.employee_id`
}

/** What conditions on details cannot judge any more is marked. */
export type Candidate = Retractable & { redacted: boolean }

/** Of a person alone it is a page: those that come next. Invariant: asked under the employees' locks. */
export async function readCandidates(
  tx: Tx,
  tenant_id: string,
  filter: RetractionFilter,
  asked_at: Date,
  employee_ids: string[],
  { timestamp, event_id }: Place,
): Promise<Candidate[]> {
  const people =
    employee_ids.length === 1
      ? tx`e.employee_id = ${employee_ids[0]!} AND (e.timestamp, e.event_id) > (${new Date(timestamp)}, ${event_id})`
      : tx`e.employee_id = ANY(${employee_ids}::text[])`
  const rows = await tx<(Omit<Candidate, 'timestamp'> & { timestamp: Date })[]>`
    SELECT e.event_id, e.employee_id, e.department, e.type, e.source, e.timestamp, e.impact,
      e.redacted_at IS NOT NULL AS redacted
    FROM events e WHERE e.tenant_id = ${tenant_id} AND ${people} ${where(tx, filter, asked_at)}
    ORDER BY e.employee_id, e.timestamp, e.event_id ${employee_ids.length === 1 ? tx`LIMIT ${PAGE}` : tx``}`
  return rows.map(row => ({ ...row, timestamp: row.timestamp.getTime() }))
}
