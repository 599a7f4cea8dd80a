// SQL of dry runs: one statement, so one instant; read in portions, so memory stays flat.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { Tried } from './dry-run.ts'

/** The types of the tenant's events, from the kept counts. */
export async function listEventTypes(tx: Tx, tenant_id: string): Promise<string[]> {
  const rows = await tx<{ type: string }[]>`
    SELECT DISTINCT type FROM event_counts WHERE tenant_id = ${tenant_id}`
  return rows.map(row => row.type)
}

export type DryRunQuestion = {
  types: string[]
  /** The rule whose recorded shares are replaced and whose firings cool, if there is one. */
  rule_id: string | null
  cooldown_ms: number
  /** Whether conditions look into the event; without it only times are read. */
  with_details: boolean
  from: Instant
  to: Instant
}

type Row = {
  employee_id: string
  score: number
  risk: number
  recovery: number
  as_of: Date
  next_change_at: Date | null
  settings_version: number
  /** Members of JSON arrays, or null for none. */
  log: string | null
  replaced: string | null
  firings: string | null
}

/** A time that is timestamp and date in one, or more of the event. */
type Entry = number | [number, number, string?, string?, Record<string, unknown>?]

export type TriedRow = Tried & { settings_version: number }

/**
 * Hands over everybody with an event of these types, or a replaced share, in the window. The parts are
 * put together by sorting, never by joining: the cost does not hang on what the planner guesses.
 */
export async function readTried(
  tx: Tx,
  tenant_id: string,
  asked: DryRunQuestion,
  each: (tried: TriedRow) => void,
): Promise<void> {
  const rows = tx<Row[]>`
    SELECT s.employee_id, s.score, s.risk, s.recovery, s.as_of, s.next_change_at, s.settings_version,
      g.log, g.replaced, g.firings
    FROM (SELECT u.employee_id,
        string_agg(u.entry, ',' ORDER BY u.timestamp, u.event_id) FILTER (WHERE u.part = 'event') AS log,
        string_agg(u.entry, ',') FILTER (WHERE u.part = 'share') AS replaced,
        string_agg(u.entry, ',') FILTER (WHERE u.part = 'firing') AS firings
      FROM (${windowEvents(tx, tenant_id, asked)} UNION ALL ${recordedShares(tx, tenant_id, asked)}) u
      GROUP BY u.employee_id HAVING bool_or(u.part <> 'firing')) g
    JOIN employee_states s ON s.tenant_id = ${tenant_id} AND s.employee_id = g.employee_id
      AND s.status = 'active' AND s.erased_at IS NULL`
  await rows.cursor(PORTION, portion => {
    for (const row of portion) each(readRow(row, asked.types))
  })
}

const PORTION = 1000

function windowEvents(tx: Tx, tenant_id: string, asked: DryRunQuestion) {
  const { types, from, to } = asked
  return tx`SELECT e.employee_id, e.timestamp, e.event_id, 'event' AS part, ${eventEntry(tx, asked)} AS entry
    FROM events e WHERE e.tenant_id = ${tenant_id} AND e.type = ANY(${types}::text[])
      AND e.timestamp >= ${new Date(from)} AND e.timestamp <= ${new Date(to)}
      AND e.retracted_at IS NULL AND NOT e.inert`
}

/** What is replaced; and what cools: the last firing before the window, and those of removed events. */
function recordedShares(
  tx: Tx,
  tenant_id: string,
  { rule_id, from, to, cooldown_ms }: DryRunQuestion,
) {
  const [first, last] = [new Date(from), new Date(to)]
  const cool = new Date(from - cooldown_ms)
  return tx`SELECT r.employee_id, r.timestamp, r.event_id, 'share',
      '[' || r.impact || ',' || (date_part('epoch', r.dated_at) * 1000)::bigint || ']'
    FROM shares r WHERE r.tenant_id = ${tenant_id} AND r.rule_id = ${rule_id} AND r.timestamp >= ${first}
      AND r.timestamp <= ${last} AND r.to_version IS NULL AND NOT r.folded
    UNION ALL
    SELECT b.employee_id, max(b.timestamp), '', 'firing',
      (date_part('epoch', max(b.timestamp)) * 1000)::bigint::text
    FROM shares b WHERE b.tenant_id = ${tenant_id} AND b.rule_id = ${rule_id} AND b.timestamp > ${cool}
      AND b.timestamp < ${first} AND b.to_version IS NULL AND NOT b.folded
    GROUP BY b.employee_id
    UNION ALL
    SELECT f.employee_id, f.timestamp, f.event_id, 'firing',
      (date_part('epoch', f.timestamp) * 1000)::bigint::text
    FROM shares f WHERE f.tenant_id = ${tenant_id} AND f.rule_id = ${rule_id} AND f.timestamp > ${cool}
      AND f.timestamp <= ${last} AND f.to_version IS NULL AND f.folded`
}

/** JSON put together as text, which costs a third; most often a time is all there is to say. */
function eventEntry(tx: Tx, { types, with_details }: DryRunQuestion) {
  const timestamp = tx`(date_part('epoch', e.timestamp) * 1000)::bigint`
  const dated_at = tx`(date_part('epoch', least(e.timestamp, e.received_at)) * 1000)::bigint`
  if (with_details || types.length > 1) {
    const details = with_details ? tx`to_json(e.source) || ',' || e.details` : tx`'"",{}'`
    return tx`'[' || ${timestamp} || ',' || ${dated_at} || ',' || to_json(e.type) || ',' || ${details} || ']'`
  }
  return tx`CASE WHEN e.received_at < e.timestamp THEN '[' || ${timestamp} || ',' || ${dated_at} || ']'
    ELSE ${timestamp}::text END`
}

const NOTHING: Record<string, unknown> = {}

function parseMembers<T>(members: string | null): T[] {
  return members === null ? [] : JSON.parse(`[${members}]`)
}

function readRow(row: Row, types: readonly string[]): TriedRow {
  const { employee_id, score, settings_version, risk, recovery } = row
  const [only = ''] = types
  const readEntry = (entry: Entry) => {
    const all: Exclude<Entry, number> = typeof entry === 'number' ? [entry, entry] : entry
    const [timestamp, dated_at, type = only, source = '', details = NOTHING] = all
    return { timestamp, dated_at, type, source, details }
  }
  return {
    ...{ employee_id, score, settings_version },
    state: { risk, recovery, as_of: row.as_of.getTime() },
    next_change_at: row.next_change_at?.getTime() ?? null,
    log: parseMembers<Entry>(row.log).map(readEntry),
    replaced: parseMembers<[number, number]>(row.replaced).map(([impact, dated_at]) => {
      return { impact, dated_at }
    }),
    firings: parseMembers<number>(row.firings),
  }
}
