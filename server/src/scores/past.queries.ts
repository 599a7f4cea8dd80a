// SQL of the past: the tenant's mark, past scores, and moves of score between two instants.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'

/** The past scores of a tenant hold for `past_at`; `past_people` active people had `past_points` together. */
export type Mark = { past_at: Instant; past_people: number; past_points: number }

type MarkRow = { past_at: Date; past_people: number; past_points: number }

const readMarkRow = (row: MarkRow): Mark => ({ ...row, past_at: row.past_at.getTime() })

/** Before the first mark the past score of everyone is the one at creation. */
const FIRST_MARK: Mark = { past_at: 0, past_people: 0, past_points: 0 }

export async function readMark(tx: Tx, tenant_id: string): Promise<Mark> {
  const [row] = await tx<MarkRow[]>`
    SELECT past_at, past_people, past_points FROM score_marks WHERE tenant_id = ${tenant_id}`
  return row ? readMarkRow(row) : FIRST_MARK
}

/** Null while another job holds it: that one does the work. */
export async function lockMark(tx: Tx, tenant_id: string): Promise<Mark | null> {
  const first = new Date(FIRST_MARK.past_at)
  await tx`INSERT INTO score_marks AS x (tenant_id, past_at, past_people, past_points)
    SELECT tn.tenant_id, ${first}, 0, 0 FROM tenants tn WHERE tn.tenant_id = ${tenant_id}
    ON CONFLICT (tenant_id) DO NOTHING`
  const [row] = await tx<MarkRow[]>`
    SELECT past_at, past_people, past_points FROM score_marks
    WHERE tenant_id = ${tenant_id} FOR UPDATE SKIP LOCKED`
  return row ? readMarkRow(row) : null
}

export async function moveMark(tx: Tx, tenant_id: string, mark: Mark): Promise<void> {
  await tx`UPDATE score_marks SET past_at = ${new Date(mark.past_at)}, past_people = ${mark.past_people},
      past_points = ${mark.past_points}
    WHERE tenant_id = ${tenant_id}`
}

/** What one employee's rows between two instants came to; null before the first row. */
export type Passage = {
  employee_id: string
  score_before: number | null
  status_before: 'active' | 'inactive' | null
  score_after: number
  status_after: 'active' | 'inactive'
}

/**
 * Everyone with a row after `from` and up to `to`. The rows around are looked up for each, in the order of their key:
 * so a plan made while the table was empty finds them by it too.
 */
export async function listPassages(tx: Tx, tenant_id: string, from: Instant, to: Instant) {
  return tx<Passage[]>`
    SELECT w.employee_id, b.score AS score_before, b.status AS status_before,
      a.score AS score_after, a.status AS status_after
    FROM (SELECT h.employee_id, min(h.version) AS first, max(h.version) AS last FROM score_history h
      WHERE h.tenant_id = ${tenant_id} AND h.at > ${new Date(from)} AND h.at <= ${new Date(to)}
      GROUP BY h.employee_id) w
    CROSS JOIN LATERAL (SELECT score, status FROM score_history WHERE tenant_id = ${tenant_id}
      AND employee_id = w.employee_id AND version BETWEEN w.last AND w.last ORDER BY version OFFSET 0) a
    LEFT JOIN LATERAL (SELECT score, status FROM score_history WHERE tenant_id = ${tenant_id}
      AND employee_id = w.employee_id AND version BETWEEN w.first - 1 AND w.first - 1
      ORDER BY version OFFSET 0) b ON true`
}

/** The instant of the last of this many rows after `from`, or null where there are fewer up to `to`. */
export async function instantOfRow(
  tx: Tx,
  tenant_id: string,
  from: Instant,
  to: Instant,
  rows: number,
): Promise<Instant | null> {
  const [row] = await tx<{ at: Date }[]>`
    SELECT at FROM score_history
    WHERE tenant_id = ${tenant_id} AND at > ${new Date(from)} AND at <= ${new Date(to)}
    ORDER BY at LIMIT 1 OFFSET ${rows - 1}`
  return row?.at.getTime() ?? null
}

/** Locks those whose past score moves, in the order of every other writer, so that no two cross. */
export async function setPastScores(
  tx: Tx,
  tenant_id: string,
  scores: readonly { employee_id: string; score: number }[],
): Promise<void> {
  const ids = scores.map(one => one.employee_id)
  const past = scores.map(one => one.score)
  await tx`SELECT 1 FROM employee_states s,
      unnest(${ids}::text[], ${past}::smallint[]) AS u(employee_id, score)
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = u.employee_id AND s.past_score <> u.score
    ORDER BY s.employee_id FOR UPDATE OF s`
  await tx`UPDATE employee_states s SET past_score = u.score
    FROM unnest(${ids}::text[], ${past}::smallint[]) AS u(employee_id, score)
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = u.employee_id AND s.past_score <> u.score`
}

/** The earliest instant at which something unapplied falls due, or null. */
export async function earliestDue(tx: Tx, tenant_id: string): Promise<Instant | null> {
  const [row] = await tx<{ next_due_at: Date }[]>`
    SELECT next_due_at FROM employee_states WHERE tenant_id = ${tenant_id} AND next_due_at IS NOT NULL
    ORDER BY next_due_at LIMIT 1`
  return row?.next_due_at.getTime() ?? null
}

/** Reads across tenants: those with rows between their mark and the instant. */
export async function tenantsToAge(tx: Tx, at: Instant, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (SELECT 1 FROM score_history h
      WHERE h.tenant_id = t.tenant_id AND h.at <= ${new Date(at)} AND h.at > coalesce((
        SELECT m.past_at FROM score_marks m WHERE m.tenant_id = t.tenant_id), ${new Date(FIRST_MARK.past_at)}))
    ORDER BY t.tenant_id LIMIT ${limit}`
}
