// SQL of replays: the log and the shares of a few employees at once, and what a replay writes back.
import { MANUAL_EVENT_TYPE } from '../../../scoring/streak.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { RecordedEvent, Rescored, ShareInForce } from './revision.ts'

type EventRow = {
  event_id: string
  employee_id: string
  department: string
  type: string
  source: string
  timestamp: Date
  received_at: Date
  impact: number
  details: Record<string, unknown>
  rules_matched: string[]
  cooling: { rule_id: string; until: number }[] | null
  inert: boolean
}

function toRecorded(row: EventRow): RecordedEvent {
  const { timestamp, received_at, cooling, impact, type } = row
  const fixed = type === MANUAL_EVENT_TYPE && !row.inert ? { fixed_impact: impact } : {}
  return {
    ...{ event_id: row.event_id, type, source: row.source, details: row.details },
    ...{ department: row.department, inert: row.inert, impact, ...fixed },
    rules_matched: row.rules_matched,
    timestamp: timestamp.getTime(),
    received_at: received_at.getTime(),
    cooling: cooling ?? [],
  }
}

/** The events that count, by employee. Invariant: the caller holds the employees' locks. */
export async function readLogs(tx: Tx, tenant_id: string, employee_ids: string[]) {
  const rows = await tx<EventRow[]>`
    SELECT e.event_id, e.employee_id, e.department, e.type, e.source, e.timestamp, e.received_at, e.impact,
      e.details, e.rules_matched, e.cooling, e.inert
    FROM events e WHERE e.tenant_id = ${tenant_id} AND e.employee_id = ANY(${employee_ids}::text[])
      AND e.retracted_at IS NULL
    ORDER BY e.employee_id, e.timestamp, e.event_id`
  return group(rows, toRecorded)
}

type ShareRow = Omit<ShareInForce, 'timestamp' | 'dated_at'> & { timestamp: Date; dated_at: Date }

export async function readSharesInForce(tx: Tx, tenant_id: string, employee_ids: string[]) {
  const rows = await tx<ShareRow[]>`
    SELECT s.employee_id, s.rule_id, s.timestamp, s.event_id, s.from_version, s.impact, s.dated_at, s.folded
    FROM shares s WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ANY(${employee_ids}::text[])
      AND s.to_version IS NULL`
  return group(rows, row => ({
    ...row,
    timestamp: row.timestamp.getTime(),
    dated_at: row.dated_at.getTime(),
  }))
}

function group<R extends { employee_id: string }, T>(rows: readonly R[], read: (row: R) => T) {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const known = groups.get(row.employee_id)
    if (known === undefined) groups.set(row.employee_id, [read(row)])
    else known.push(read(row))
  }
  return groups
}

export async function updateScoring(tx: Tx, tenant_id: string, rescored: readonly Rescored[]) {
  if (rescored.length === 0) return
  const column = <T>(read: (one: Rescored) => T): T[] => rescored.map(read)
  await tx`UPDATE events e SET impact = u.impact, rules_matched = string_to_array(u.rules_matched, ','),
      cooling = u.cooling::jsonb
    FROM unnest(${column(r => r.event.event_id)}::text[], ${column(r => r.impact)}::int[],
      ${column(r => r.rules_matched.join(','))}::text[],
      ${column(r => (r.cooling.length > 0 ? JSON.stringify(r.cooling) : null))}::text[])
      AS u(event_id, impact, rules_matched, cooling)
    WHERE e.tenant_id = ${tenant_id} AND e.event_id = u.event_id`
}

export type Selected = { employee_id: string; due: boolean }

/** The next active employees of the tenant, or of one department, in the order of their ids. */
export async function selectActive(
  tx: Tx,
  tenant_id: string,
  department: string | null,
  after: string,
  limit: number,
  now: Instant,
): Promise<Selected[]> {
  return tx<Selected[]>`
    SELECT s.employee_id, coalesce(s.next_due_at <= ${new Date(now)}, false) AS due FROM employee_states s
    WHERE s.tenant_id = ${tenant_id} AND s.status = 'active' AND s.employee_id > ${after}
      ${department === null ? tx`` : tx`AND s.department = ${department}`}
    ORDER BY s.employee_id LIMIT ${limit}`
}

export async function countActive(tx: Tx, tenant_id: string, department: string | null) {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM employee_states s WHERE s.tenant_id = ${tenant_id} AND s.status = 'active'
      ${department === null ? tx`` : tx`AND s.department = ${department}`}`
  return row!.n
}

/** The next employees, inactive ones included. */
export async function selectEveryone(
  tx: Tx,
  tenant_id: string,
  after: string,
  limit: number,
  now: Instant,
): Promise<Selected[]> {
  return tx<Selected[]>`
    SELECT s.employee_id, coalesce(s.next_due_at <= ${new Date(now)}, false) AS due FROM employee_states s
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id > ${after} ORDER BY s.employee_id LIMIT ${limit}`
}

export async function countEveryone(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM employee_states s WHERE s.tenant_id = ${tenant_id}`
  return row!.n
}

/** Whether anybody, active or not, is in the department. */
export async function departmentExists(tx: Tx, tenant_id: string, department: string) {
  const [row] = await tx`
    SELECT 1 FROM employee_states WHERE tenant_id = ${tenant_id} AND department = ${department} LIMIT 1`
  return row !== undefined
}
