// SQL of closing days: takes the moves of past days out of the counts and keeps what they add up to.
import type { CountedCell } from '../employees/score-counts.queries.ts'
import type { Tx } from '../platform/database.ts'
import { BASE_DAY } from './base-day.ts'
import type { KeptDay } from './counts.queries.ts'

/** Entries are added up before; one that comes after is a move that arrives late. */
export async function takeMoves(tx: Tx, tenant_id: string, last: string): Promise<CountedCell[]> {
  return tx<CountedCell[]>`
    DELETE FROM score_counts WHERE tenant_id = ${tenant_id} AND day > ${BASE_DAY} AND day <= ${last}
    RETURNING day, status, department, band, score, people`
}

/** The present stays what it was: the rows taken out are added to those of the base day. */
export async function addToBase(tx: Tx, tenant_id: string, cells: readonly CountedCell[]) {
  const column = <T>(read: (cell: CountedCell) => T): T[] => cells.map(read)
  await tx`INSERT INTO score_counts AS x (tenant_id, day, status, department, band, score, slot, people)
    SELECT tn.tenant_id, ${BASE_DAY}::date, u.status, u.department, u.band, u.score, 0, sum(u.people)
    FROM tenants tn, unnest(${column(c => c.status)}::text[], ${column(c => c.department)}::text[],
      ${column(c => c.band)}::text[], ${column(c => c.score)}::smallint[], ${column(c => c.people)}::bigint[])
      AS u(status, department, band, score, people)
    WHERE tn.tenant_id = ${tenant_id}
    GROUP BY tn.tenant_id, u.status, u.department, u.band, u.score
    ON CONFLICT (tenant_id, day, status, department, band, score, slot)
    DO UPDATE SET people = x.people + EXCLUDED.people`
  await tx`DELETE FROM score_counts WHERE tenant_id = ${tenant_id} AND day = ${BASE_DAY} AND people = 0`
}

/** The last kept day at or before the given one and all later ones. */
export async function readDaysFrom(tx: Tx, tenant_id: string, first: string): Promise<KeptDay[]> {
  return tx<KeptDay[]>`
    SELECT k.day, k.counts FROM score_days k WHERE k.tenant_id = ${tenant_id} AND k.day >= (SELECT coalesce((
      SELECT p.day FROM score_days p WHERE p.tenant_id = ${tenant_id} AND p.day <= ${first}
      ORDER BY p.day DESC LIMIT 1), ${first}::date))
    ORDER BY k.day`
}

export type DepartmentDay = KeptDay & { department: string }

/** OFFSET 0 keeps the first day apart: under row-level security only a plain comparison is looked up in the index. */
export async function readDepartmentDaysFrom(
  tx: Tx,
  tenant_id: string,
  departments: readonly string[],
  first: string,
): Promise<DepartmentDay[]> {
  return tx<DepartmentDay[]>`
    SELECT d.department, k.day, k.counts FROM unnest(${departments as string[]}::text[]) AS d(department)
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT p.day FROM department_days p
        WHERE p.tenant_id = ${tenant_id} AND p.department = d.department AND p.day <= ${first}
        ORDER BY p.day DESC LIMIT 1), ${first}::date) AS day OFFSET 0) f
    CROSS JOIN LATERAL (
      SELECT x.day, x.counts FROM department_days x
      WHERE x.tenant_id = ${tenant_id} AND x.department = d.department AND x.day >= f.day) k
    ORDER BY d.department, k.day`
}

const asArray = ({ counts }: KeptDay) => `{${counts.join(',')}}`

export async function keepDays(tx: Tx, tenant_id: string, days: readonly KeptDay[]) {
  if (days.length === 0) return
  await tx`INSERT INTO score_days AS x (tenant_id, day, counts)
    SELECT tn.tenant_id, u.day, u.counts::int[]
    FROM tenants tn, unnest(${days.map(d => d.day)}::date[], ${days.map(asArray)}::text[]) AS u(day, counts)
    WHERE tn.tenant_id = ${tenant_id}
    ON CONFLICT (tenant_id, day) DO UPDATE SET counts = EXCLUDED.counts`
}

export async function keepDepartmentDays(
  tx: Tx,
  tenant_id: string,
  days: readonly DepartmentDay[],
) {
  if (days.length === 0) return
  await tx`INSERT INTO department_days AS x (tenant_id, department, day, counts)
    SELECT tn.tenant_id, u.department, u.day, u.counts::int[]
    FROM tenants tn, unnest(${days.map(d => d.department)}::text[], ${days.map(d => d.day)}::date[],
      ${days.map(asArray)}::text[]) AS u(department, day, counts)
    WHERE tn.tenant_id = ${tenant_id}
    ON CONFLICT (tenant_id, department, day) DO UPDATE SET counts = EXCLUDED.counts`
}

export type DueQuestion = {
  /** The last day that may be closed. */
  last: string
  after: string
  tenants: number
}

/** Reads across tenants: those with moves up to a day that are not folded in, or with entries, of whatever day. */
export async function tenantsToClose(tx: Tx, { last, after, tenants }: DueQuestion) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND (EXISTS (SELECT 1 FROM score_counts c
        WHERE c.tenant_id = t.tenant_id AND c.day > ${BASE_DAY} AND c.day <= ${last})
      OR EXISTS (SELECT 1 FROM score_count_entries e WHERE e.tenant_id = t.tenant_id))
    ORDER BY t.tenant_id LIMIT ${tenants}`
}
