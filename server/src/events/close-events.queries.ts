// SQL of closing past events: how far it has come, which blocks are in doubt, and what they are built from.
import { DAY, type Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { MarkKind } from './marks.queries.ts'
import { BASE_MS, type Block, HOUR_LEVEL, spanOf } from './time-blocks.ts'

export type DueQuestion = {
  /** Where a tenant may be closed to at most. */
  limit: Instant
  /** What was announced since then is not relied on yet. */
  waited: Instant
  /** Fewer new events than this are left to be read as rows. */
  least: number
  after: string
  tenants: number
}

const BLOCKS_PER_DAY = DAY / BASE_MS

/** Reads across tenants: ids only. Something to announce, to close, to keep, or to build. */
export async function tenantsToCloseEvents(tx: Tx, asked: DueQuestion) {
  const { limit, waited, least, after, tenants } = asked
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t LEFT JOIN event_closings c ON c.tenant_id = t.tenant_id
    WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND (
      (c.closing_since <= ${new Date(waited)})
      OR c.closed_to / ${BLOCKS_PER_DAY}::int > coalesce(c.days_to - DATE '1970-01-01', 0)
      OR (c.closing_since IS NULL AND EXISTS (SELECT 1 FROM events e WHERE e.tenant_id = t.tenant_id
        AND e.timestamp >= coalesce(t.closing_to, ${new Date(0)}) AND e.timestamp < ${new Date(limit)}
        OFFSET ${least - 1}))
      OR EXISTS (SELECT 1 FROM event_marks m WHERE m.tenant_id = t.tenant_id
        AND (m.block + 1) << (3 * m.level) <= c.closed_to))
    ORDER BY t.tenant_id LIMIT ${tenants}`
}

export type Closing = {
  closed_to: number
  /** How many have a number; the next one is this. */
  people: number
  closing_since: Date | null
  closing_to: Date | null
  /** Every day before it is kept; null: none is. */
  days_to: string | null
}

export async function openClosing(tx: Tx, tenant_id: string): Promise<void> {
  await tx`INSERT INTO event_closings AS x (tenant_id, closed_to, people)
    SELECT tn.tenant_id, 0, 0 FROM tenants tn WHERE tn.tenant_id = ${tenant_id}
    ON CONFLICT (tenant_id) DO NOTHING`
}

/** Invariant: held until commit, so that one worker at a time closes and builds; the second gets nothing. */
export async function takeClosing(tx: Tx, tenant_id: string): Promise<Closing | undefined> {
  const [row] = await tx<Closing[]>`
    SELECT c.closed_to, c.people, c.closing_since, c.days_to, t.closing_to FROM event_closings c
    JOIN tenants t ON t.tenant_id = c.tenant_id AND t.tenant_id = ${tenant_id}
    WHERE c.tenant_id = ${tenant_id} FOR UPDATE OF c SKIP LOCKED`
  return row
}

export async function isWorthClosing(
  tx: Tx,
  tenant_id: string,
  from: Instant,
  limit: Instant,
  least: number,
): Promise<boolean> {
  const [row] = await tx`SELECT 1 FROM events e WHERE e.tenant_id = ${tenant_id}
    AND e.timestamp >= ${new Date(from)} AND e.timestamp < ${new Date(limit)} OFFSET ${least - 1} LIMIT 1`
  return row !== undefined
}

/** Invariant: the caller holds the closing. */
export async function announce(tx: Tx, tenant_id: string, to: Instant, now: Instant) {
  await tx`UPDATE tenants SET closing_to = ${new Date(to)} WHERE tenant_id = ${tenant_id}`
  await tx`UPDATE event_closings SET closing_since = ${new Date(now)} WHERE tenant_id = ${tenant_id}`
}

/** Invariant: the caller holds the closing. */
export async function close(tx: Tx, tenant_id: string, closed_to: number): Promise<void> {
  await tx`UPDATE event_closings SET closed_to = ${closed_to}, closing_since = NULL
    WHERE tenant_id = ${tenant_id}`
}

const SECONDS = BASE_MS / 1000

/** The base blocks that hold events, each found by one step in the index. */
export async function listFilledBlocks(
  tx: Tx,
  tenant_id: string,
  from: Instant,
  to: Instant,
): Promise<number[]> {
  const [first, last] = [new Date(from), new Date(to)]
  const rows = await tx<{ block: number }[]>`
    WITH RECURSIVE found AS (
      (SELECT e.timestamp AS at FROM events e WHERE e.tenant_id = ${tenant_id}
        AND e.timestamp >= ${first} AND e.timestamp < ${last} ORDER BY e.timestamp LIMIT 1)
      UNION ALL
      SELECT (SELECT e.timestamp FROM events e WHERE e.tenant_id = ${tenant_id} AND e.timestamp < ${last}
        AND e.timestamp >= to_timestamp((floor(extract(epoch FROM f.at) / ${SECONDS}::int) + 1) * ${SECONDS}::int)
        ORDER BY e.timestamp LIMIT 1)
      FROM found f WHERE f.at IS NOT NULL)
    SELECT floor(extract(epoch FROM f.at) / ${SECONDS}::int)::int AS block FROM found f WHERE f.at IS NOT NULL`
  return rows.map(row => row.block)
}

/** Slot -1 is the worker's own. */
export async function addMarks(
  tx: Tx,
  tenant_id: string,
  kind: MarkKind,
  level: number,
  blocks: readonly number[],
): Promise<void> {
  if (blocks.length === 0) return
  await tx`INSERT INTO event_marks AS x (tenant_id, kind, level, block, slot, version)
    SELECT tn.tenant_id, ${kind}, ${level}::smallint, u.block, -1, 1
    FROM tenants tn, unnest(${blocks}::int[]) AS u(block) WHERE tn.tenant_id = ${tenant_id} ORDER BY u.block
    ON CONFLICT (tenant_id, kind, level, block, slot) DO UPDATE SET version = x.version + 1`
}

export type Mark = { block: number; slot: number; version: number }

/** The newest of a level that are closed. */
export async function readMarks(
  tx: Tx,
  tenant_id: string,
  kind: MarkKind,
  level: number,
  closed_to: number,
  limit: number,
): Promise<Mark[]> {
  return tx<Mark[]>`
    SELECT m.block, m.slot, m.version FROM event_marks m
    WHERE m.tenant_id = ${tenant_id} AND m.kind = ${kind} AND m.level = ${level}
      AND m.block < ${Math.floor(closed_to / 8 ** level)}
    ORDER BY m.block DESC, m.slot DESC LIMIT ${limit}`
}

/**
 * Invariant: the marks were read before what the block was built from. One that was set again since, or is being
 * set by a transaction that is not over, stays.
 */
export async function removeMarks(
  tx: Tx,
  tenant_id: string,
  kind: MarkKind,
  level: number,
  marks: readonly Mark[],
): Promise<void> {
  await tx`DELETE FROM event_marks WHERE tenant_id = ${tenant_id} AND ctid = ANY(ARRAY(
    SELECT m.ctid FROM event_marks m
    JOIN unnest(${marks.map(m => m.block)}::int[], ${marks.map(m => m.slot)}::smallint[],
      ${marks.map(m => m.version)}::int[]) AS u(block, slot, version)
      ON u.block = m.block AND u.slot = m.slot AND u.version = m.version
    WHERE m.tenant_id = ${tenant_id} AND m.kind = ${kind} AND m.level = ${level}
    FOR UPDATE OF m SKIP LOCKED))`
}

function spansOf(blocks: readonly Block[]) {
  const spans = blocks.map(spanOf)
  return {
    ids: blocks.map(one => one.block),
    froms: spans.map(one => new Date(one.from)),
    tos: spans.map(one => new Date(one.to)),
  }
}

/** How many events each block holds, in the order given. */
export async function countInBlocks(tx: Tx, tenant_id: string, blocks: readonly Block[]) {
  const { froms, tos } = spansOf(blocks)
  const rows = await tx<{ n: number }[]>`
    SELECT (SELECT count(*) FROM events e WHERE e.tenant_id = ${tenant_id}
      AND e.timestamp >= u.since AND e.timestamp < u.until) AS n
    FROM unnest(${froms}::timestamptz[], ${tos}::timestamptz[]) WITH ORDINALITY AS u(since, until, place)
    ORDER BY u.place`
  return rows.map(row => row.n)
}

/** Invariant: the caller holds the closing. The first gets the number `next`, and so on. */
export async function numberPeople(
  tx: Tx,
  tenant_id: string,
  employee_ids: readonly string[],
  next: number,
): Promise<void> {
  if (employee_ids.length === 0) return
  await tx`INSERT INTO employee_numbers AS x (tenant_id, employee_id, number)
    SELECT tn.tenant_id, u.employee_id, ${next}::int + u.place::int - 1
    FROM tenants tn, unnest(${employee_ids}::text[]) WITH ORDINALITY AS u(employee_id, place)
    WHERE tn.tenant_id = ${tenant_id}`
  await tx`UPDATE event_closings SET people = ${next + employee_ids.length} WHERE tenant_id = ${tenant_id}`
}

/** Those with the same type, source and department in a block: numbers, or ids where there is none yet. */
export type Cell = {
  block: number
  type: string
  source: string
  department: string
  people: string
}

export async function readCells(tx: Tx, tenant_id: string, blocks: readonly Block[]) {
  const { ids, froms, tos } = spansOf(blocks)
  return tx<Cell[]>`
    SELECT u.block, f.type, f.source, f.department, string_agg(coalesce((SELECT n.number::text
      FROM employee_numbers n WHERE n.tenant_id = ${tenant_id} AND n.employee_id = f.employee_id), f.employee_id), ',')
      AS people
    FROM unnest(${ids}::int[], ${froms}::timestamptz[], ${tos}::timestamptz[]) AS u(block, since, until)
    CROSS JOIN LATERAL (SELECT e.type, e.source, e.department, e.employee_id FROM events e
      WHERE e.tenant_id = ${tenant_id} AND e.timestamp >= u.since AND e.timestamp < u.until
        AND e.retracted_at IS NULL OFFSET 0) f
    GROUP BY u.block, f.type, f.source, f.department`
}

export type PeopleRow = { block: number; by_type: Buffer; by_source: Buffer; by_department: Buffer }

export async function readPeople(
  tx: Tx,
  tenant_id: string,
  level: number,
  from: number,
  to: number,
) {
  return tx<PeopleRow[]>`
    SELECT p.block, p.by_type, p.by_source, p.by_department FROM event_people p
    WHERE p.tenant_id = ${tenant_id} AND p.level = ${level} AND p.block >= ${from} AND p.block < ${to}`
}

/** Blocks that are not among the rows have no events any more. */
export async function replacePeople(
  tx: Tx,
  tenant_id: string,
  level: number,
  blocks: readonly number[],
  rows: readonly PeopleRow[],
): Promise<void> {
  await tx`DELETE FROM event_people WHERE tenant_id = ${tenant_id} AND level = ${level}
    AND block = ANY(${blocks}::int[])`
  if (rows.length === 0) return
  const hex = (read: (row: PeopleRow) => Buffer) => rows.map(row => read(row).toString('hex'))
  await tx`INSERT INTO event_people AS x (tenant_id, level, block, by_type, by_source, by_department)
    SELECT tn.tenant_id, ${level}::smallint, u.block, decode(u.by_type, 'hex'), decode(u.by_source, 'hex'),
      decode(u.by_department, 'hex')
    FROM tenants tn, unnest(${rows.map(r => r.block)}::int[], ${hex(r => r.by_type)}::text[],
      ${hex(r => r.by_source)}::text[], ${hex(r => r.by_department)}::text[])
      AS u(block, by_type, by_source, by_department)
    WHERE tn.tenant_id = ${tenant_id}`
}

/** Counts the events of whole hours anew. */
export async function replaceSums(tx: Tx, tenant_id: string, hours: readonly number[]) {
  const { ids, froms, tos } = spansOf(hours.map(block => ({ level: HOUR_LEVEL, block })))
  await tx`DELETE FROM event_sums WHERE tenant_id = ${tenant_id} AND hour = ANY(${hours}::int[])`
  await tx`INSERT INTO event_sums AS x (tenant_id, hour, grouped_by, value, counted, impact)
    SELECT tn.tenant_id, u.hour, g.grouped_by, g.value, count(*), sum(f.impact)
    FROM tenants tn, unnest(${ids}::int[], ${froms}::timestamptz[], ${tos}::timestamptz[]) AS u(hour, since, until)
    CROSS JOIN LATERAL (SELECT e.type, e.source, e.department, e.impact FROM events e
      WHERE e.tenant_id = ${tenant_id} AND e.timestamp >= u.since AND e.timestamp < u.until
        AND e.retracted_at IS NULL OFFSET 0) f
    CROSS JOIN unnest(ARRAY['type', 'source', 'department'], ARRAY[f.type, f.source, f.department])
      AS g(grouped_by, value)
    WHERE tn.tenant_id = ${tenant_id} GROUP BY tn.tenant_id, u.hour, g.grouped_by, g.value`
}
