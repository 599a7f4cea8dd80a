// SQL of the hot half of an employee: lock, read and write standings and their history.
import type { Band } from '../../../scoring/settings.ts'
import type { Tx } from '../platform/database.ts'
import type { Write } from '../platform/write-together.ts'
import { aliasOf } from './email-address.ts'
import { nextDueAt, type Standing, type Status, type Step } from './standing.ts'

type StandingRow = {
  employee_id: string
  email: string
  created_at: Date
  department: string
  status: Status
  score: number
  band: Band
  risk: number
  recovery: number
  as_of: Date
  next_change_at: Date | null
  streak_due_at: Date | null
  version: number
  settings_version: number
  edges_version: number
  carried_risk: number
  carried_recovery: number
  carried_as_of: Date | null
  last_event_at: Date | null
  last_negative_at: Date | null
  last_streak_at: Date | null
  reactivated_at: Date | null
  sources: string[]
  erased: boolean
}

const columns = (tx: Tx) => tx`
  e.email, e.created_at, s.employee_id, s.department, s.status, s.score, s.band, s.risk, s.recovery, s.as_of,
  s.next_change_at, s.streak_due_at, s.version, s.settings_version, s.edges_version, s.carried_risk,
  s.carried_recovery, s.carried_as_of, s.last_event_at, s.last_negative_at, s.last_streak_at, s.reactivated_at,
  s.sources, s.erased_at IS NOT NULL AS erased`

const ms = (date: Date | null): number | null => date?.getTime() ?? null

/** Named one by one: taking a row apart and putting it together again took longer than reading it. */
export function readStanding(row: StandingRow): Standing {
  const { risk, recovery, carried_risk, carried_recovery, carried_as_of } = row
  return {
    employee_id: row.employee_id,
    // The row was locked, the profile beside it was not: after a wait for an erasure it is still the profile before it.
    email: row.erased ? aliasOf(row.employee_id) : row.email,
    created_at: row.created_at.getTime(),
    department: row.department,
    status: row.status,
    score: row.score,
    band: row.band,
    state: { risk, recovery, as_of: row.as_of.getTime() },
    next_change_at: ms(row.next_change_at),
    streak_due_at: ms(row.streak_due_at),
    version: row.version,
    settings_version: row.settings_version,
    edges_version: row.edges_version,
    carried: carried_as_of && {
      risk: carried_risk,
      recovery: carried_recovery,
      as_of: carried_as_of.getTime(),
    },
    last_event_at: ms(row.last_event_at),
    last_negative_at: ms(row.last_negative_at),
    last_streak_at: ms(row.last_streak_at),
    reactivated_at: ms(row.reactivated_at),
    sources: row.sources,
    erased: row.erased,
  }
}

/**
 * Locks the employees of these addresses in one order everywhere, so that no two writers cross.
 * Invariant: whether someone is erased is asked of the row that is locked, so it is judged anew after a wait.
 */
export async function lockStandingsByEmail(tx: Tx, tenant_id: string, email_keys: string[]) {
  const rows = await tx<(StandingRow & { email_key: string })[]>`
    SELECT e.email_key, ${columns(tx)}
    FROM employees e JOIN employee_states s ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id
    WHERE e.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id}
      AND e.email_key = ANY(${email_keys}::text[]) AND s.erased_at IS NULL
    ORDER BY s.employee_id FOR UPDATE OF s`
  return new Map(rows.map(row => [row.email_key, readStanding(row)]))
}

/** Which of these belong to somebody whom another transaction holds at this moment; the others are held until commit. */
export async function listHeld(tx: Tx, tenant_id: string, email_keys: string[]): Promise<string[]> {
  const rows = await tx<{ email_key: string }[]>`
    WITH free AS MATERIALIZED (SELECT s.employee_id FROM employees e
        JOIN employee_states s ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id
      WHERE e.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} AND e.email_key = ANY(${email_keys}::text[])
      FOR UPDATE OF s SKIP LOCKED)
    SELECT e.email_key FROM employees e
    WHERE e.tenant_id = ${tenant_id} AND e.email_key = ANY(${email_keys}::text[])
      AND e.employee_id NOT IN (SELECT employee_id FROM free)`
  return rows.map(row => row.email_key)
}

/** The profile is looked up for each row by itself (OFFSET 0), however few rows the planner expects. */
function profileOf(tx: Tx, tenant_id: string) {
  return tx`SELECT e.email, e.created_at FROM employees e
    WHERE e.tenant_id = ${tenant_id} AND e.employee_id = s.employee_id OFFSET 0`
}

export async function lockStandings(tx: Tx, tenant_id: string, employee_ids: string[]) {
  const rows = await tx<StandingRow[]>`
    SELECT ${columns(tx)} FROM employee_states s CROSS JOIN LATERAL (${profileOf(tx, tenant_id)}) e
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ANY(${employee_ids}::text[])
    ORDER BY s.employee_id FOR UPDATE OF s`
  return new Map(rows.map(row => [row.employee_id, readStanding(row)]))
}

/** Those due, longest first, as one text: there may be thousands. */
export async function listDue(
  tx: Tx,
  tenant_id: string,
  now: Date,
  limit: number,
): Promise<string[]> {
  const [row] = await tx<{ ids: string | null }[]>`
    SELECT string_agg(d.employee_id, ',') AS ids FROM (SELECT s.employee_id FROM employee_states s
      WHERE s.tenant_id = ${tenant_id} AND s.next_due_at <= ${now} ORDER BY s.next_due_at LIMIT ${limit}) d`
  return row?.ids?.split(',') ?? []
}

/** Locks those of them that are still due; employees that another writer holds are left out. */
export async function lockDueStandings(
  tx: Tx,
  tenant_id: string,
  employee_ids: string[],
  now: Date,
): Promise<Standing[]> {
  const rows = await tx<StandingRow[]>`
    SELECT ${columns(tx)} FROM employee_states s CROSS JOIN LATERAL (${profileOf(tx, tenant_id)}) e
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ANY(${employee_ids}::text[]) AND s.next_due_at <= ${now}
    FOR UPDATE OF s SKIP LOCKED`
  return rows.map(readStanding)
}

/** Without a lock, for reading only. */
export async function findStanding(tx: Tx, tenant_id: string, employee_id: string) {
  const [row] = await tx<StandingRow[]>`
    SELECT ${columns(tx)}
    FROM employees e JOIN employee_states s ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id
    WHERE e.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} AND s.employee_id = ${employee_id}`
  return row ? readStanding(row) : null
}

type Column = <T>(read: (standing: Standing) => T) => T[]

/** What is written of a standing whether it is new or not. */
const written = (tx: Tx, column: Column) => tx`
  unnest(${column(s => s.employee_id)}::text[]) AS employee_id,
  unnest(${column(s => s.department)}::text[]) AS department,
  unnest(${column(s => s.status)}::text[]) AS status, unnest(${column(s => s.score)}::smallint[]) AS score,
  unnest(${column(s => s.band)}::text[]) AS band, unnest(${column(s => s.state.risk)}::float8[]) AS risk,
  unnest(${column(s => s.state.recovery)}::float8[]) AS recovery,
  timestamptz 'epoch' + unnest(${column(s => s.state.as_of)}::bigint[]) * interval '1 ms' AS as_of,
  timestamptz 'epoch' + unnest(${column(s => s.next_change_at)}::bigint[]) * interval '1 ms' AS next_change_at,
  timestamptz 'epoch' + unnest(${column(s => s.streak_due_at)}::bigint[]) * interval '1 ms' AS streak_due_at,
  timestamptz 'epoch' + unnest(${column(s => nextDueAt(s))}::bigint[]) * interval '1 ms' AS next_due_at,
  unnest(${column(s => s.version)}::bigint[]) AS version,
  unnest(${column(s => s.settings_version)}::int[]) AS settings_version,
  unnest(${column(s => s.edges_version)}::int[]) AS edges_version`

export function insertStandings(tx: Tx, tenant_id: string, standings: readonly Standing[]): Write {
  const column = <T>(read: (standing: Standing) => T): T[] => standings.map(read)
  return tx`INSERT INTO employee_states AS x (tenant_id, employee_id, department, status, score, band, risk,
      recovery, as_of, next_change_at, streak_due_at, next_due_at, version, settings_version, edges_version,
      carried_risk, carried_recovery, sources, past_score)
    SELECT tn.tenant_id, u.employee_id, u.department, u.status, u.score, u.band, u.risk, u.recovery, u.as_of,
      u.next_change_at, u.streak_due_at, u.next_due_at, u.version, u.settings_version, u.edges_version, 0, 0, '{}',
      u.score
    FROM tenants tn, (SELECT ${written(tx, column)}) AS u
    WHERE tn.tenant_id = ${tenant_id}`
}

export function updateStandings(
  tx: Tx,
  tenant_id: string,
  standings: readonly Standing[],
): Write | null {
  if (standings.length === 0) return null
  const column = <T>(read: (standing: Standing) => T): T[] => standings.map(read)
  return tx`UPDATE employee_states s SET department = u.department, status = u.status, score = u.score,
      band = u.band, risk = u.risk, recovery = u.recovery, as_of = u.as_of, next_change_at = u.next_change_at,
      streak_due_at = u.streak_due_at, next_due_at = u.next_due_at, version = u.version,
      settings_version = u.settings_version, edges_version = u.edges_version, carried_risk = u.carried_risk,
      carried_recovery = u.carried_recovery, carried_as_of = u.carried_as_of, last_event_at = u.last_event_at,
      last_negative_at = u.last_negative_at, last_streak_at = u.last_streak_at,
      reactivated_at = u.reactivated_at, sources = string_to_array(u.sources, chr(10))
    FROM (SELECT ${written(tx, column)},
      unnest(${column(s => s.carried?.risk ?? 0)}::float8[]) AS carried_risk,
      unnest(${column(s => s.carried?.recovery ?? 0)}::float8[]) AS carried_recovery,
      timestamptz 'epoch' + unnest(${column(s => s.carried?.as_of ?? null)}::bigint[]) * interval '1 ms'
        AS carried_as_of,
      timestamptz 'epoch' + unnest(${column(s => s.last_event_at)}::bigint[]) * interval '1 ms' AS last_event_at,
      timestamptz 'epoch' + unnest(${column(s => s.last_negative_at)}::bigint[]) * interval '1 ms' AS last_negative_at,
      timestamptz 'epoch' + unnest(${column(s => s.last_streak_at)}::bigint[]) * interval '1 ms' AS last_streak_at,
      timestamptz 'epoch' + unnest(${column(s => s.reactivated_at)}::bigint[]) * interval '1 ms' AS reactivated_at,
      unnest(${column(s => s.sources.join('\n'))}::text[]) AS sources) AS u
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = u.employee_id`
}

export function insertHistory(tx: Tx, tenant_id: string, steps: readonly Step[]): Write | null {
  if (steps.length === 0) return null
  const column = <T>(read: (step: Step) => T): T[] => steps.map(read)
  return tx`INSERT INTO score_history AS x (tenant_id, employee_id, version, at, score, band, risk, recovery,
      status, department, settings_version, edges_version, reason, trigger_event, event_id, actor)
    SELECT tn.tenant_id, u.* FROM tenants tn, (SELECT unnest(${column(s => s.employee_id)}::text[]) AS employee_id,
      unnest(${column(s => s.version)}::bigint[]) AS version,
      timestamptz 'epoch' + unnest(${column(s => s.at)}::bigint[]) * interval '1 ms' AS at,
      unnest(${column(s => s.score)}::smallint[]) AS score,
      unnest(${column(s => s.band)}::text[]) AS band, unnest(${column(s => s.risk)}::float8[]) AS risk,
      unnest(${column(s => s.recovery)}::float8[]) AS recovery, unnest(${column(s => s.status)}::text[]) AS status,
      unnest(${column(s => s.department)}::text[]) AS department,
      unnest(${column(s => s.settings_version)}::int[]) AS settings_version,
      unnest(${column(s => s.edges_version)}::int[]) AS edges_version,
      unnest(${column(s => s.reason)}::text[]) AS reason,
      unnest(${column(s => s.trigger_event)}::text[]) AS trigger_event,
      unnest(${column(s => s.event_id)}::text[]) AS event_id, unnest(${column(s => s.actor)}::text[]) AS actor) AS u
    WHERE tn.tenant_id = ${tenant_id}`
}
