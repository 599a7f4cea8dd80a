// SQL of gathering the counts of open days: how many rows they have, and adding up those of one cell.
import { GATHERED_SLOT } from '../platform/count-slot.ts'
import type { Tx } from '../platform/database.ts'
import { BASE_DAY } from './base-day.ts'

/** How many rows the open days have, and how many cells these rows are of. */
export async function countOpenRows(tx: Tx, tenant_id: string) {
  const [row] = await tx<{ rows: number; cells: number }[]>`
    SELECT coalesce(sum(g.rows), 0)::bigint AS rows, count(*) AS cells
    FROM (SELECT count(*) AS rows FROM score_counts WHERE tenant_id = ${tenant_id} AND day > ${BASE_DAY}
      GROUP BY day, status, department, band, score) g`
  return row!
}

/**
 * Returns how many rows were gathered. Invariant: the caller holds the mark, so nobody else writes in this slot, and
 * rows that a writer holds are left: nothing is waited for. A cell that adds up to nobody stays until its day is
 * closed, as it tells that somebody was in the department.
 */
export async function gatherRows(tx: Tx, tenant_id: string, most: number): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    WITH taken AS (DELETE FROM score_counts WHERE tenant_id = ${tenant_id} AND ctid = ANY(ARRAY(
        SELECT c.ctid FROM score_counts c
        WHERE c.tenant_id = ${tenant_id} AND c.day > ${BASE_DAY} AND c.slot <> ${GATHERED_SLOT}
        LIMIT ${most} FOR UPDATE SKIP LOCKED))
      RETURNING day, status, department, band, score, people),
    added AS (INSERT INTO score_counts AS x (tenant_id, day, status, department, band, score, slot, people)
      SELECT tn.tenant_id, t.day, t.status, t.department, t.band, t.score, ${GATHERED_SLOT}::smallint, sum(t.people)
      FROM tenants tn, taken t WHERE tn.tenant_id = ${tenant_id}
      GROUP BY tn.tenant_id, t.day, t.status, t.department, t.band, t.score
      ON CONFLICT (tenant_id, day, status, department, band, score, slot)
      DO UPDATE SET people = x.people + EXCLUDED.people)
    SELECT count(*) AS n FROM taken`
  return row!.n
}
