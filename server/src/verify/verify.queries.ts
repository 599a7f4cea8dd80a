// SQL of verification: the stored numbers beside those they must follow from. Reads only.
import { STREAK_EVENT_TYPE } from '../../../scoring/streak.ts'
import { asInstant, type Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'

export type StateRow = {
  employee_id: string
  created_at: Date
  status: 'active' | 'inactive'
  department: string
  score: number
  band: string
  risk: number
  recovery: number
  as_of: Date
  next_change_at: Date | null
  streak_due_at: Date | null
  next_due_at: Date | null
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
}

/** The next tenants after a cursor, in the order of their ids. */
export async function tenantsAfter(tx: Tx, after: string, limit: number): Promise<string[]> {
  const rows = await tx<{ tenant_id: string }[]>`
    SELECT tenant_id FROM tenants WHERE tenant_id > ${after} AND status <> 'deleting'
    ORDER BY tenant_id LIMIT ${limit}`
  return rows.map(row => row.tenant_id)
}

/** Some employees after a cursor, in the order of their ids. */
export async function readStates(tx: Tx, tenant_id: string, after: string, limit: number) {
  return tx<StateRow[]>`
    SELECT s.employee_id, e.created_at, s.status, s.department, s.score, s.band, s.risk, s.recovery, s.as_of,
      s.next_change_at, s.streak_due_at, s.next_due_at, s.version, s.settings_version, s.edges_version,
      s.carried_risk, s.carried_recovery, s.carried_as_of, s.last_event_at, s.last_negative_at, s.last_streak_at,
      s.reactivated_at
    FROM employee_states s JOIN employees e ON e.tenant_id = s.tenant_id AND e.employee_id = s.employee_id
    WHERE s.tenant_id = ${tenant_id} AND e.tenant_id = ${tenant_id} AND s.employee_id > ${after}
    ORDER BY s.employee_id LIMIT ${limit}`
}

export type ShareInForce = { impact: number; dated_at: Instant }

/** The impact of a share takes four bytes, the second that dates it eight. */
const SHARE_BYTES = 12

function* unpack(shares: Buffer): Generator<ShareInForce> {
  for (let i = 0; i < shares.length; i += SHARE_BYTES) {
    yield { impact: shares.readInt32BE(i), dated_at: asInstant(shares.readDoubleBE(i + 4)) }
  }
}

/** By employee. They come as bytes: somebody may have very many. */
export async function readSharesInForce(tx: Tx, tenant_id: string, employee_ids: string[]) {
  const rows = await tx<{ employee_id: string; shares: Buffer }[]>`
    SELECT employee_id, string_agg(int4send(impact) || float8send(date_part('epoch', dated_at)), ''::bytea) AS shares
    FROM shares WHERE tenant_id = ${tenant_id} AND employee_id = ANY(${employee_ids}::text[])
      AND to_version IS NULL AND NOT folded
    GROUP BY employee_id`
  return new Map(rows.map(row => [row.employee_id, unpack(row.shares)]))
}

export type LastRow = Pick<
  StateRow,
  'employee_id' | 'version' | 'status' | 'department' | 'score' | 'band' | 'risk' | 'recovery'
> & { at: Date }

export async function readLastHistory(tx: Tx, tenant_id: string, employee_ids: string[]) {
  return tx<LastRow[]>`
    SELECT u.employee_id, h.version, h.at, h.status, h.department, h.score, h.band, h.risk, h.recovery
    FROM unnest(${employee_ids}::text[]) AS u(employee_id)
    CROSS JOIN LATERAL (
      SELECT l.version, l.at, l.status, l.department, l.score, l.band, l.risk, l.recovery FROM score_history l
      WHERE l.tenant_id = ${tenant_id} AND l.employee_id = u.employee_id
      ORDER BY l.version DESC LIMIT 1) h`
}

/** The last of the events that are kept: of all, of those with a negative impact, of the clean streaks. */
export type LastEvents = {
  employee_id: string
  last_event_at: Date
  last_negative_at: Date | null
  last_streak_at: Date | null
}

export async function readLastEvents(tx: Tx, tenant_id: string, employee_ids: string[]) {
  return tx<LastEvents[]>`
    SELECT employee_id, max(timestamp) AS last_event_at,
      max(timestamp) FILTER (WHERE impact < 0 AND retracted_at IS NULL) AS last_negative_at,
      max(timestamp) FILTER (WHERE type = ${STREAK_EVENT_TYPE}) AS last_streak_at
    FROM events WHERE tenant_id = ${tenant_id} AND employee_id = ANY(${employee_ids}::text[])
    GROUP BY employee_id`
}

/** Events whose record is not what their shares in force say: the sum of their impacts, and the rules that gave them. */
export async function findWrongRecords(tx: Tx, tenant_id: string, employee_ids: string[]) {
  return tx<{ event_id: string }[]>`
    SELECT e.event_id FROM events e
    LEFT JOIN (SELECT s.event_id, sum(s.impact) AS impact, array_agg(s.rule_id) AS rules FROM shares s
      WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ANY(${employee_ids}::text[]) AND s.to_version IS NULL
      GROUP BY s.event_id) f ON f.event_id = e.event_id
    WHERE e.tenant_id = ${tenant_id} AND e.employee_id = ANY(${employee_ids}::text[])
      AND (coalesce(f.impact, 0) <> CASE WHEN e.retracted_at IS NULL THEN e.impact ELSE 0 END
        OR e.retracted_at IS NULL AND NOT coalesce(f.rules, '{}') @> e.rules_matched)
    LIMIT 20`
}

export type Miscount = { cell: string; kept: number; counted: number }

/** Where the kept counts of people differ from the people. */
export async function findMiscountedPeople(tx: Tx, tenant_id: string) {
  return tx<Miscount[]>`
    SELECT concat_ws(' ', k.status, k.department, k.band, k.score) AS cell, sum(k.kept)::bigint AS kept,
      sum(k.counted)::bigint AS counted
    FROM (
      SELECT c.status, c.department, c.band, c.score, c.people AS kept, 0 AS counted
      FROM all_score_counts c WHERE c.tenant_id = ${tenant_id}
      UNION ALL
      SELECT s.status, s.department, s.band, s.score, 0, 1
      FROM employee_states s WHERE s.tenant_id = ${tenant_id}) k
    GROUP BY k.status, k.department, k.band, k.score
    HAVING sum(k.kept) <> sum(k.counted) ORDER BY 1 LIMIT 20`
}

/** Where the kept counts of events differ from the events. */
export async function findMiscountedEvents(tx: Tx, tenant_id: string) {
  return tx<Miscount[]>`
    SELECT concat_ws(' ', k.day, k.type, k.source, k.department, k.sign) AS cell, sum(k.kept)::bigint AS kept,
      sum(k.counted)::bigint AS counted
    FROM (
      SELECT c.day, c.type, c.source, c.department, c.sign, c.events AS kept, 0 AS counted,
        c.counted AS kept_valid, 0 AS valid, c.impact AS kept_impact, 0 AS impact
      FROM all_event_counts c WHERE c.tenant_id = ${tenant_id}
      UNION ALL
      SELECT (e.timestamp AT TIME ZONE 'UTC')::date, e.type, e.source, e.department, sign(e.impact)::smallint, 0, 1,
        0, (e.retracted_at IS NULL)::int, 0, CASE WHEN e.retracted_at IS NULL THEN e.impact ELSE 0 END
      FROM events e WHERE e.tenant_id = ${tenant_id}) k
    GROUP BY k.day, k.type, k.source, k.department, k.sign
    HAVING sum(k.kept) <> sum(k.counted) OR sum(k.kept_valid) <> sum(k.valid) OR sum(k.kept_impact) <> sum(k.impact)
    ORDER BY 1 LIMIT 20`
}

/** Where the kept days, those in doubt aside, differ from the kept counts of events. */
export async function findMiscountedDays(tx: Tx, tenant_id: string) {
  return tx<Miscount[]>`
    SELECT concat_ws(' ', k.day, k.type, k.source, k.sign) AS cell, sum(k.kept)::bigint AS kept,
      sum(k.counted)::bigint AS counted
    FROM (
      SELECT d.day, d.type, d.source, d.sign, d.events AS kept, 0 AS counted
      FROM event_days d WHERE d.tenant_id = ${tenant_id}
      UNION ALL
      SELECT c.day, c.type, c.source, c.sign, 0, c.events FROM all_event_counts c WHERE c.tenant_id = ${tenant_id}) k
    WHERE k.day < (SELECT l.days_to FROM event_closings l WHERE l.tenant_id = ${tenant_id})
      AND k.day NOT IN (SELECT DATE '1970-01-01' + m.block / 24 FROM event_marks m
        WHERE m.tenant_id = ${tenant_id} AND m.kind = 'sums' AND m.level = 1)
    GROUP BY k.day, k.type, k.source, k.sign HAVING sum(k.kept) <> sum(k.counted) ORDER BY 1 LIMIT 20`
}

export async function findFirstEvent(tx: Tx, tenant_id: string): Promise<number | null> {
  const [row] = await tx<{ timestamp: Date }[]>`
    SELECT timestamp FROM events WHERE tenant_id = ${tenant_id} ORDER BY timestamp LIMIT 1`
  return row?.timestamp.getTime() ?? null
}

/** Where the kept sums of closed hours, those in doubt aside, differ from the events. */
export async function findMiscountedHours(tx: Tx, tenant_id: string, from: Date, to: Date) {
  return tx<Miscount[]>`
    SELECT concat_ws(' ', k.hour, k.grouped_by, k.value) AS cell, sum(k.kept)::bigint AS kept,
      sum(k.counted)::bigint AS counted
    FROM (
      SELECT s.hour, s.grouped_by, s.value, s.counted AS kept, 0 AS counted, s.impact AS kept_impact, 0 AS impact
      FROM event_sums s WHERE s.tenant_id = ${tenant_id}
        AND s.hour >= extract(epoch FROM ${from}::timestamptz) / 3600
        AND s.hour < floor(extract(epoch FROM ${to}::timestamptz) / 3600)
      UNION ALL
      SELECT floor(extract(epoch FROM e.timestamp) / 3600)::int, g.grouped_by, g.value, 0, 1, 0, e.impact
      FROM events e CROSS JOIN LATERAL (VALUES ('type', e.type), ('source', e.source),
        ('department', e.department)) AS g(grouped_by, value)
      WHERE e.tenant_id = ${tenant_id} AND e.timestamp >= ${from} AND e.retracted_at IS NULL
        AND e.timestamp < to_timestamp(floor(extract(epoch FROM ${to}::timestamptz) / 3600) * 3600)) k
    WHERE NOT EXISTS (SELECT 1 FROM event_marks m WHERE m.tenant_id = ${tenant_id} AND m.kind = 'sums'
      AND m.level = 1 AND m.block = k.hour)
    GROUP BY k.hour, k.grouped_by, k.value
    HAVING sum(k.kept) <> sum(k.counted) OR sum(k.kept_impact) <> sum(k.impact) ORDER BY 1 LIMIT 20`
}
