// SQL of dry runs: slices of time, each one row whose columns are lists, so that many events cost few objects.

import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { Fragment } from '../platform/sql.ts'

/**
 * The types of the tenant's events that a rule covers: each type from the prefix on takes one step in the index.
 * A database that sorts by a language has others between them, so the first that is not covered ends nothing.
 */
export async function listCoveredTypes(tx: Tx, tenant_id: string, prefix: string) {
  const rows = await tx<{ type: string }[]>`
    WITH RECURSIVE found AS (
      (SELECT e.type FROM events e WHERE e.tenant_id = ${tenant_id} AND e.type > ${prefix} ORDER BY e.type LIMIT 1)
      UNION ALL
      SELECT (SELECT e.type FROM events e WHERE e.tenant_id = ${tenant_id} AND e.type > f.type
        ORDER BY e.type LIMIT 1)
      FROM found f WHERE f.type IS NOT NULL)
    SELECT f.type FROM found f WHERE starts_with(f.type, ${prefix})`
  return rows.map(row => row.type)
}

export type Slice = { from: Instant; to: Instant }

/** What is read of an event: `parts` are the paths into its details that conditions look at. */
export type EventQuestion = {
  types: string[]
  source: boolean
  parts: readonly (readonly string[])[]
  /** At least the events that have one of the texts at the path of their details. */
  wanted: readonly WantedText[]
  /** Whether those are exactly the events meant, so that nothing more need be told of them. */
  decided: boolean
}

export type WantedText = { path: string[]; texts: string[] }

/**
 * Lists of equal length, in order. Of each row two times, when it happened and what dates its share: seconds of eight
 * bytes, because as text they would take several times as long.
 */
export type Lists = { rows: number; ids: string | null; times: Buffer | null; more: string | null }

export const TIME_BYTES = 8

export const BREAK = '\n'
export const GAP = '\t'

/**
 * In order of timestamp, then id; of more than `limit` rows the first. Type by type, because each is in
 * order in its index; asked for together, all events of the slice would be looked at.
 */
export async function readEventSlice(
  tx: Tx,
  tenant_id: string,
  asked: EventQuestion,
  slice: Slice,
  limit: number,
): Promise<Lists> {
  const { types, source, parts, decided } = asked
  const plain = decided || (types.length === 1 && !source && parts.length === 0)
  const [lists] = await tx<Lists[]>`
    SELECT count(*) AS rows, string_agg(u.employee_id, ${BREAK} ORDER BY u.timestamp, u.event_id) AS ids,
      string_agg(float8send(date_part('epoch', u.timestamp))
        || float8send(date_part('epoch', least(u.received_at, u.timestamp))), ''::bytea
        ORDER BY u.timestamp, u.event_id) AS times,
      ${plain ? tx`NULL` : tx`string_agg(u.more, ${BREAK} ORDER BY u.timestamp, u.event_id)`} AS more
    FROM (${typesInOrder(tx, tenant_id, asked, slice, limit)}) u`
  return lists!
}

function typesInOrder(
  tx: Tx,
  tenant_id: string,
  { types, source, parts, wanted, decided }: EventQuestion,
  { from, to }: Slice,
  limit: number,
) {
  const having = wanted.reduce(
    (text, { path, texts }) =>
      tx`${text} AND e.details #>> ${path}::text[] = ANY(${texts}::text[])`,
    tx``,
  )
  const ofOne = (type: Fragment) => tx`
    SELECT e.employee_id, e.timestamp, e.event_id, e.received_at,
      ${decided ? tx`''` : describe(tx, source, parts)} AS more
    FROM events e WHERE e.tenant_id = ${tenant_id} AND e.type = ${type}
      AND e.timestamp >= ${new Date(from)} AND e.timestamp <= ${new Date(to)}
      AND e.retracted_at IS NULL AND e.redacted_at IS NULL AND NOT e.inert ${having}
    ORDER BY e.timestamp, e.event_id LIMIT ${limit}`
  if (types.length === 1) return ofOne(tx`${types[0]!}::text`)
  return tx`SELECT v.employee_id, v.timestamp, v.event_id, v.received_at, v.more
    FROM unnest(${types}::text[]) AS t(type) CROSS JOIN LATERAL (${ofOne(tx`t.type`)}) v
    ORDER BY v.timestamp, v.event_id LIMIT ${limit}`
}

/** Type, source and parts; JSON holds no line break and no tab, and a part that is missing is empty. */
function describe(tx: Tx, source: boolean, parts: EventQuestion['parts']) {
  return parts.reduce(
    (text, path) => tx`${text} || ${GAP} || coalesce((${stepInto(tx, path)})::text, '')`,
    tx`e.type || ${GAP} || ${source ? tx`to_json(e.source)::text` : tx`''`}`,
  )
}

/** Step by step, because a path in one would enter arrays, which conditions do not. */
function stepInto(tx: Tx, path: readonly string[]) {
  return path.reduce((value, step) => tx`${value} -> ${step}::text`, tx`e.details`)
}

/** Events whose details are gone: what a rule gave them stays as it is. They are few. */
function redacted(tx: Tx, tenant_id: string, { from, to }: Slice) {
  return tx`FROM events r WHERE r.tenant_id = ${tenant_id} AND r.redacted_at IS NOT NULL
    AND r.timestamp >= ${new Date(from)} AND r.timestamp <= ${new Date(to)}`
}

/** Shares in force of a rule that a trial replaces; `more` is their impact. */
export async function readShareSlice(
  tx: Tx,
  tenant_id: string,
  rule_id: string,
  slice: Slice,
  limit: number,
): Promise<Lists> {
  const { from, to } = slice
  const [lists] = await tx<Lists[]>`
    SELECT count(*) AS rows, string_agg(u.employee_id, ${BREAK} ORDER BY u.timestamp) AS ids,
      string_agg(float8send(date_part('epoch', u.timestamp)) || float8send(date_part('epoch', u.dated_at)),
        ''::bytea ORDER BY u.timestamp) AS times,
      string_agg(u.impact::text, ${BREAK} ORDER BY u.timestamp) AS more
    FROM (SELECT s.employee_id, s.timestamp, s.dated_at, s.impact FROM shares s
      WHERE s.tenant_id = ${tenant_id} AND s.rule_id = ${rule_id} AND s.timestamp >= ${new Date(from)}
        AND s.timestamp <= ${new Date(to)} AND s.to_version IS NULL AND NOT s.folded
        AND s.event_id NOT IN (SELECT r.event_id ${redacted(tx, tenant_id, slice)})
      ORDER BY s.timestamp LIMIT ${limit}) u`
  return lists!
}

/** Firings whose events are removed, or redacted: they cool, and stay as they are. */
export async function readFoldedSlice(
  tx: Tx,
  tenant_id: string,
  rule_id: string,
  slice: Slice,
  limit: number,
): Promise<Lists> {
  const { from, to } = slice
  const [lists] = await tx<Lists[]>`
    SELECT count(*) AS rows, string_agg(u.employee_id, ${BREAK} ORDER BY u.timestamp) AS ids,
      string_agg(float8send(date_part('epoch', u.timestamp)) || float8send(date_part('epoch', u.timestamp)),
        ''::bytea ORDER BY u.timestamp) AS times, NULL AS more
    FROM (SELECT f.employee_id, f.timestamp FROM (
      SELECT s.employee_id, s.timestamp FROM shares s
      WHERE s.tenant_id = ${tenant_id} AND s.rule_id = ${rule_id} AND s.timestamp >= ${new Date(from)}
        AND s.timestamp <= ${new Date(to)} AND s.to_version IS NULL AND s.folded
      UNION ALL
      SELECT k.employee_id, k.timestamp
      FROM (SELECT r.employee_id, r.timestamp, r.event_id ${redacted(tx, tenant_id, slice)}) k
      JOIN shares s ON s.tenant_id = ${tenant_id} AND s.employee_id = k.employee_id AND s.rule_id = ${rule_id}
        AND s.timestamp = k.timestamp AND s.event_id = k.event_id AND s.to_version IS NULL AND NOT s.folded) f
      ORDER BY f.timestamp LIMIT ${limit}) u`
  return lists!
}

/** Ids in lines, and for each of them the bytes of its numbers. */
export type Places = { ids: string | null; numbers: Buffer | null }

/** Risk, recovery, as of and next change (infinity for none) take eight bytes each, settings four, the score two. */
export const PLACE_BYTES = 38

/** Where active people stand. */
export async function readPlaces(
  tx: Tx,
  tenant_id: string,
  employee_ids: readonly string[],
): Promise<Places> {
  const [row] = await tx<Places[]>`
    SELECT string_agg(s.employee_id, ${BREAK}) AS ids, string_agg(float8send(s.risk) || float8send(s.recovery)
      || float8send(date_part('epoch', s.as_of)) || float8send(coalesce(date_part('epoch', s.next_change_at),
        'infinity')) || int4send(s.settings_version) || int2send(s.score), ''::bytea) AS numbers
    FROM employee_states s WHERE s.tenant_id = ${tenant_id} AND s.status = 'active' AND s.erased_at IS NULL
      AND s.employee_id = ANY(${employee_ids as string[]}::text[])`
  return row!
}
