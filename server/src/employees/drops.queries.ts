// SQL of falls: the highest score somebody had within a time.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'

/** What is asked: everything recorded for this employee that still held at `since` or came after it. */
export type DropQuestion = { employee_id: string; since: Instant; before_version: number }

/** One number for each question, in order; null where nothing was recorded. */
export async function readHighestScores(
  tx: Tx,
  tenant_id: string,
  asked: readonly DropQuestion[],
): Promise<(number | null)[]> {
  if (asked.length === 0) return []
  const column = <T>(read: (question: DropQuestion) => T): T[] => asked.map(read)
  const rows = await tx<{ place: number; highest: number | null }[]>`
    SELECT u.place, (
      SELECT max(h.score) FROM score_history h
      WHERE h.tenant_id = ${tenant_id} AND h.employee_id = u.employee_id AND h.version < u.before_version
        AND h.version >= (SELECT coalesce((
          SELECT p.version FROM score_history p
          WHERE p.tenant_id = ${tenant_id} AND p.employee_id = u.employee_id AND p.at <= u.since
          ORDER BY p.version DESC LIMIT 1), 0))) AS highest
    FROM tenants tn, unnest(${column(q => q.employee_id)}::text[],
      ${column(q => new Date(q.since))}::timestamptz[], ${column(q => q.before_version)}::bigint[])
      WITH ORDINALITY AS u(employee_id, since, before_version, place)
    WHERE tn.tenant_id = ${tenant_id} ORDER BY u.place`
  return rows.map(row => row.highest)
}
