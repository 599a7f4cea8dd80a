// SQL of the kept counts of people: the present, and the ends of past days.
import type { Band } from '../../../scoring/settings.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { BASE_DAY } from './base-day.ts'
import type { Histogram } from './histogram.ts'

export type DepartmentBand = {
  department: string
  band: Band
  people: number
  points: number
  /** Of its department: 1 is the largest. */
  place: number
}

/** Active people as they stand now and the sum of their scores, by band, of the largest departments, to the place `last`. */
export async function listLargestDepartments(tx: Tx, tenant_id: string, last: number) {
  return tx<DepartmentBand[]>`
    WITH bands AS (SELECT department, band, sum(people)::bigint AS people, sum(people * score)::bigint AS points
      FROM all_score_counts WHERE tenant_id = ${tenant_id} AND status = 'active'
      GROUP BY department, band HAVING sum(people) <> 0),
    places AS (SELECT department, row_number() OVER (ORDER BY sum(people) DESC, department COLLATE "C") AS place
      FROM bands GROUP BY department)
    SELECT b.department, b.band, b.people, b.points, p.place
    FROM bands b JOIN places p ON p.department = b.department WHERE p.place <= ${last}`
}

/** Active people as they stand now, by band and score, of everyone or of one department. */
export async function countScores(tx: Tx, tenant_id: string, department: string | null) {
  return tx<{ band: Band; score: number; people: number }[]>`
    SELECT band, score, sum(people)::bigint AS people FROM all_score_counts
    WHERE tenant_id = ${tenant_id} AND status = 'active'
      ${department === null ? tx`` : tx`AND department = ${department}`}
    GROUP BY band, score HAVING sum(people) <> 0`
}

/** Known is a department that somebody has or once had. */
export async function knowsDepartment(tx: Tx, tenant_id: string, department: string) {
  const [row] = await tx<{ known: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM employee_states WHERE tenant_id = ${tenant_id} AND department = ${department})
      OR EXISTS (SELECT 1 FROM department_days WHERE tenant_id = ${tenant_id} AND department = ${department})
      OR EXISTS (SELECT 1 FROM all_score_counts WHERE tenant_id = ${tenant_id} AND department = ${department}) AS known`
  return row!.known
}

export type KeptDay = { day: string; counts: Histogram }

/** What is folded in at the end of each day: its own row, or the last one before it. */
export async function readKeptDays(
  tx: Tx,
  tenant_id: string,
  department: string | null,
  days: readonly string[],
): Promise<KeptDay[]> {
  if (department === null) {
    return tx<KeptDay[]>`
      SELECT d.day, k.counts FROM unnest(${days as string[]}::date[]) AS d(day)
      CROSS JOIN LATERAL (SELECT s.counts FROM score_days s
        WHERE s.tenant_id = ${tenant_id} AND s.day <= d.day ORDER BY s.day DESC LIMIT 1) k`
  }
  return tx<KeptDay[]>`
    SELECT d.day, k.counts FROM unnest(${days as string[]}::date[]) AS d(day)
    CROSS JOIN LATERAL (SELECT s.counts FROM department_days s
      WHERE s.tenant_id = ${tenant_id} AND s.department = ${department} AND s.day <= d.day
      ORDER BY s.day DESC LIMIT 1) k`
}

export type DayMove = { day: string; score: number; people: number }

/** The moves up to a day that are not folded in yet, in order of days. */
export async function readOpenMoves(
  tx: Tx,
  tenant_id: string,
  department: string | null,
  last: string,
): Promise<DayMove[]> {
  return tx<DayMove[]>`
    SELECT day, score, sum(people)::bigint AS people FROM all_score_counts
    WHERE tenant_id = ${tenant_id} AND day > ${BASE_DAY} AND day <= ${last} AND status = 'active'
      ${department === null ? tx`` : tx`AND department = ${department}`}
    GROUP BY day, score HAVING sum(people) <> 0 ORDER BY day`
}

/** The first day with moves that are not folded in, or null. */
export async function firstOpenDay(tx: Tx, tenant_id: string): Promise<string | null> {
  const [row] = await tx<{ day: string | null }[]>`
    SELECT least((SELECT c.day FROM score_counts c WHERE c.tenant_id = ${tenant_id} AND c.day > ${BASE_DAY}
        ORDER BY c.day LIMIT 1),
      (SELECT min(d.day) FROM score_count_entries e CROSS JOIN unnest(e.days) AS d(day)
        WHERE e.tenant_id = ${tenant_id})) AS day`
  return row!.day
}

export type OverdueRow = {
  employee_id: string
  score: number
  risk: number
  recovery: number
  as_of: Date
  next_change_at: Date
  settings_version: number
}

/** Active people whose score changed at or before an instant without a row of it yet. */
export async function listOverdue(
  tx: Tx,
  tenant_id: string,
  department: string | null,
  at: Instant,
): Promise<OverdueRow[]> {
  const until = new Date(at)
  return tx<OverdueRow[]>`
    SELECT employee_id, score, risk, recovery, as_of, next_change_at, settings_version FROM employee_states
    WHERE tenant_id = ${tenant_id} AND next_due_at <= ${until} AND next_change_at <= ${until}
      ${department === null ? tx`` : tx`AND department = ${department}`}`
}
