// SQL of statistics: closed blocks and kept counts where they hold, rows where they do not, all in one picture.
import { dayOf, type Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { MarkKind } from './marks.queries.ts'
import { BASE_MS, type Block, type Span } from './time-blocks.ts'

const COLUMN = { type: 'type', source: 'source', department: 'department' } as const
export type Grouping = keyof typeof COLUMN
const LISTS = { type: 'by_type', source: 'by_source', department: 'by_department' } as const

/** Until when events are closed; 0 where nothing is. */
export async function readClosed(tx: Tx, tenant_id: string): Promise<Instant> {
  const [row] = await tx<{ closed_to: number }[]>`
    SELECT closed_to FROM event_closings WHERE tenant_id = ${tenant_id}`
  return (row?.closed_to ?? 0) * BASE_MS
}

/** What is in doubt within a window. */
export async function readDoubts(tx: Tx, tenant_id: string, kind: MarkKind, { from, to }: Span) {
  const [first, last] = [Math.floor(from / BASE_MS), Math.ceil(to / BASE_MS)]
  return tx<Block[]>`
    SELECT DISTINCT m.level, m.block FROM event_marks m
    WHERE m.tenant_id = ${tenant_id} AND m.kind = ${kind}
      AND (m.block::bigint + 1) << (3 * m.level) > ${first} AND m.block::bigint << (3 * m.level) < ${last}`
}

export type Sum = { value: string; count: number; impact: number }

/** Whole days, the last included. */
export async function sumDays(
  tx: Tx,
  tenant_id: string,
  by: Grouping,
  first: Instant,
  last: Instant,
) {
  return tx<Sum[]>`
    SELECT c.${tx(COLUMN[by])} AS value, sum(c.counted)::bigint AS count, sum(c.impact)::bigint AS impact
    FROM all_event_counts c WHERE c.tenant_id = ${tenant_id} AND c.day >= ${dayOf(first)} AND c.day <= ${dayOf(last)}
    GROUP BY 1 HAVING sum(c.counted) <> 0`
}

export async function sumHours(tx: Tx, tenant_id: string, by: Grouping, hours: readonly number[]) {
  if (hours.length === 0) return []
  return tx<Sum[]>`
    SELECT s.value, sum(s.counted)::bigint AS count, sum(s.impact)::bigint AS impact FROM event_sums s
    WHERE s.tenant_id = ${tenant_id} AND s.hour = ANY(${hours}::int[]) AND s.grouped_by = ${by}
    GROUP BY s.value`
}

const bounds = (spans: readonly Span[]) => ({
  froms: spans.map(span => new Date(span.from)),
  tos: spans.map(span => new Date(span.to)),
})

export async function sumRows(tx: Tx, tenant_id: string, by: Grouping, spans: readonly Span[]) {
  if (spans.length === 0) return []
  const { froms, tos } = bounds(spans)
  return tx<Sum[]>`
    SELECT f.value, count(*)::bigint AS count, sum(f.impact)::bigint AS impact
    FROM unnest(${froms}::timestamptz[], ${tos}::timestamptz[]) AS u(since, until)
    CROSS JOIN LATERAL (SELECT e.${tx(COLUMN[by])} AS value, e.impact FROM events e WHERE e.tenant_id = ${tenant_id}
      AND e.timestamp >= u.since AND e.timestamp < u.until AND e.retracted_at IS NULL OFFSET 0) f
    GROUP BY f.value`
}

/** The lists of one grouping; a block without a row has no events. */
export async function readLists(tx: Tx, tenant_id: string, by: Grouping, blocks: readonly Block[]) {
  if (blocks.length === 0) return []
  const rows = await tx<{ lists: Buffer }[]>`
    SELECT p.${tx(LISTS[by])} AS lists
    FROM unnest(${blocks.map(b => b.level)}::smallint[], ${blocks.map(b => b.block)}::int[]) AS u(level, block)
    JOIN event_people p ON p.tenant_id = ${tenant_id} AND p.level = u.level AND p.block = u.block`
  return rows.map(row => row.lists)
}

/** Numbers with commas between; people who have none yet stand there by id. */
export type Listed = { value: string; people: string }

/** Pairs first, by hashing, then the numbers one by one: a join might read those of everybody. */
export async function listRows(tx: Tx, tenant_id: string, by: Grouping, spans: readonly Span[]) {
  if (spans.length === 0) return []
  const { froms, tos } = bounds(spans)
  return tx<Listed[]>`
    SELECT d.value, string_agg(coalesce((SELECT n.number::text FROM employee_numbers n
      WHERE n.tenant_id = ${tenant_id} AND n.employee_id = d.employee_id), d.employee_id), ',') AS people
    FROM (SELECT DISTINCT f.value, f.employee_id
      FROM unnest(${froms}::timestamptz[], ${tos}::timestamptz[]) AS u(since, until)
      CROSS JOIN LATERAL (SELECT e.${tx(COLUMN[by])} AS value, e.employee_id FROM events e
        WHERE e.tenant_id = ${tenant_id} AND e.timestamp >= u.since AND e.timestamp < u.until
          AND e.retracted_at IS NULL OFFSET 0) f) d
    GROUP BY d.value`
}

export type Affected = { value: string; people: number }

/** The same without any block, counted where the rows are: many of them are never sent. */
export async function countRows(tx: Tx, tenant_id: string, by: Grouping, { from, to }: Span) {
  // Room for some hundred thousand pairs, which would go to disk otherwise.
  await tx`SET LOCAL work_mem = '32MB'`
  return tx<Affected[]>`
    SELECT g.value, count(*)::bigint AS people
    FROM (SELECT e.${tx(COLUMN[by])} AS value, e.employee_id FROM events e
      WHERE e.tenant_id = ${tenant_id} AND e.timestamp >= ${new Date(from)} AND e.timestamp < ${new Date(to)}
        AND e.retracted_at IS NULL
      GROUP BY 1, 2) g
    GROUP BY g.value`
}
