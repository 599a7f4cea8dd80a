// SQL of the counts of people: each change of them is an entry of its own, and many entries are added up at once.
import { dayOf, type Instant } from '../platform/clock.ts'
import { ADDED_UP } from '../platform/count-slot.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import type { Write } from '../platform/write-together.ts'
import type { Step } from './standing.ts'

/** Moves people between cells, each move dated by the day of its step. */
export function countMoves(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  steps: readonly Step[],
): Write | null {
  const cells = sumMoves(steps)
  if (cells.length === 0) return null
  const column = <T>(read: (cell: CountedCell) => T): T[] => cells.map(read)
  return tx`INSERT INTO score_count_entries AS x (tenant_id, entry_id, days, statuses, departments, bands, scores,
      people)
    SELECT tn.tenant_id, ${newId('cnt', now)}, ${column(c => c.day)}::date[], ${column(c => c.status)}::text[],
      ${column(c => c.department)}::text[], ${column(c => c.band)}::text[], ${column(c => c.score)}::smallint[],
      ${column(c => c.people)}::bigint[]
    FROM tenants tn WHERE tn.tenant_id = ${tenant_id}`
}

/**
 * Adds the oldest entries to the counts; returns how many. Those that somebody else adds up are left out.
 * Invariant: the cells are taken in the order of their key, so that two that add up at once never wait in a circle.
 * A cell that adds up to nobody stays: it tells that somebody was in the department.
 */
export async function addUpScores(tx: Tx, tenant_id: string, most: number): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    WITH taken AS (DELETE FROM score_count_entries WHERE tenant_id = ${tenant_id} AND entry_id = ANY(ARRAY(
        SELECT e.entry_id FROM score_count_entries e WHERE e.tenant_id = ${tenant_id}
        ORDER BY e.entry_id LIMIT ${most} FOR UPDATE SKIP LOCKED))
      RETURNING days, statuses, departments, bands, scores, people),
    added AS (INSERT INTO score_counts AS x (tenant_id, day, status, department, band, score, slot, people)
      SELECT tn.tenant_id, u.day, u.status, u.department, u.band, u.score, ${ADDED_UP}::smallint, sum(u.people)
      FROM tenants tn, taken t
      CROSS JOIN unnest(t.days, t.statuses, t.departments, t.bands, t.scores, t.people)
        AS u(day, status, department, band, score, people)
      WHERE tn.tenant_id = ${tenant_id}
      GROUP BY tn.tenant_id, u.day, u.status, u.department, u.band, u.score
      ORDER BY u.day, u.status, u.band, u.department, u.score
      ON CONFLICT (tenant_id, day, status, department, band, score, slot)
      DO UPDATE SET people = x.people + EXCLUDED.people)
    SELECT count(*) AS n FROM taken`
  return row!.n
}

/** So many more people, or fewer, on a day. */
export type CountedCell = {
  day: string
  status: string
  department: string
  band: string
  score: number
  people: number
}

function sumMoves(steps: readonly Step[]): CountedCell[] {
  const sums = new Map<string, CountedCell>()
  const add = (at: number, cell: NonNullable<Step['previous']>, people: number) => {
    const { status, department, band, score } = cell
    const key = JSON.stringify([dayOf(at), status, department, band, score])
    const sum = sums.get(key) ?? { day: dayOf(at), status, department, band, score, people: 0 }
    sum.people += people
    sums.set(key, sum)
  }
  for (const step of steps) {
    if (step.previous) add(step.at, step.previous, -1)
    add(step.at, step, 1)
  }
  return [...sums.values()].filter(cell => cell.people !== 0)
}
