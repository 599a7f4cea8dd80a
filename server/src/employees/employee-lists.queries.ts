// SQL of lists of employees: a page in any order by any filter, and its total.
import type { Band } from '../../../scoring/settings.ts'
import type { Tx } from '../platform/database.ts'
import type { Write as Part } from '../platform/write-together.ts'
import { type EmployeeSummaryRow, summaryColumns } from './employees.queries.ts'
import { countByText, fromFound, likePattern } from './search.queries.ts'
import type { Status } from './standing.ts'

/** What is asked of the score and the department. */
export type StandingFilter = {
  department?: string | undefined
  bands?: Band[] | undefined
  min_score?: number | undefined
  max_score?: number | undefined
  status?: Status | undefined
}

export type EmployeeFilter = StandingFilter & {
  /** Literal text, lower-case. */
  search?: string | undefined
  /** Who is found by it, where they are few. */
  few?: readonly string[] | null
}

export type EmployeeOrder = {
  sort: 'score' | 'name' | 'last_event' | 'department'
  order: 'asc' | 'desc'
}

/** Straight through a part of the index; along the order, leaving out the others; or who is found first, then sorted. */
export type Way = 'straight' | 'walked' | 'sorted'

type Reach = { per_page: number; offset: number }
type List = { filter: EmployeeFilter; order: EmployeeOrder; way: Way }

/** The conditions on a standing; only those asked for, so that each list can use its index. */
function narrow(tx: Tx, { department, bands, min_score, max_score, status }: StandingFilter) {
  return tx`${department === undefined ? tx`` : tx`AND s.department = ${department}`}
    ${bands === undefined ? tx`` : tx`AND s.band = ANY(${bands}::text[])`}
    ${min_score === undefined ? tx`` : tx`AND s.score >= ${min_score}`}
    ${max_score === undefined ? tx`` : tx`AND s.score <= ${max_score}`}
    ${status === undefined ? tx`` : isOf(tx, status)}`
}

/** In the words of the index of those who are inactive: a plan for any status could not use it. */
function isOf(tx: Tx, status: Status) {
  return status === 'inactive' ? tx`AND s.status = 'inactive'` : tx`AND s.status = 'active'`
}

function isAmong(tx: Tx, { few }: EmployeeFilter, of: Part) {
  return few ? tx`AND ${of}.employee_id = ANY(${[...few]}::text[])` : tx``
}

/** Whether a text has still to be looked at. */
function asksForText({ search, few }: EmployeeFilter): boolean {
  return search !== undefined && !few
}

function hasText(tx: Tx, filter: EmployeeFilter) {
  return asksForText(filter) ? tx`AND e.search_text LIKE ${likePattern(filter.search!)}` : tx``
}

export function asksOfStanding({ search, few, ...standing }: EmployeeFilter): boolean {
  return Object.values(standing).some(one => one !== undefined)
}

/**
 * Between which scores the people of these bands stand: whoever placed them did so by edges of the tenant, if not the
 * present ones. So they are found in the index by score.
 */
export async function boundBands(tx: Tx, tenant_id: string, bands: readonly Band[]) {
  const [row] = await tx<{ min_score: number; max_score: number }[]>`
    SELECT min(CASE b.band WHEN 'green' THEN g.green WHEN 'yellow' THEN g.yellow WHEN 'orange' THEN g.orange
        WHEN 'red' THEN g.red ELSE 0 END) AS min_score,
      max(CASE b.band WHEN 'green' THEN 100 WHEN 'yellow' THEN g.green - 1 WHEN 'orange' THEN g.yellow - 1
        WHEN 'red' THEN g.orange - 1 ELSE g.red - 1 END) AS max_score
    FROM band_edges g, unnest(${bands as Band[]}::text[]) AS b(band) WHERE g.tenant_id = ${tenant_id}`
  return row!
}

/** What is left of ties is ordered by id, in the same direction. */
function orderBy(tx: Tx, { sort, order }: EmployeeOrder) {
  if (sort === 'name' && order === 'asc') return tx`e.last_name, e.first_name, e.employee_id`
  if (sort === 'name') return tx`e.last_name DESC, e.first_name DESC, e.employee_id DESC`
  if (sort === 'score' && order === 'asc') return tx`s.score, s.employee_id`
  if (sort === 'score') return tx`s.score DESC, s.employee_id DESC`
  if (sort === 'department' && order === 'asc') return tx`s.department, s.score, s.employee_id`
  if (sort === 'department') return tx`s.department DESC, s.score DESC, s.employee_id DESC`
  if (order === 'asc') return tx`s.last_event_at, s.employee_id`
  return tx`s.last_event_at DESC NULLS LAST, s.employee_id DESC`
}

/** Who is on a page is found first, so that a deep page reads nothing else on the way; the rest is looked up for those alone. */
export async function listEmployees(
  tx: Tx,
  tenant_id: string,
  list: List,
  reach: Reach,
): Promise<EmployeeSummaryRow[]> {
  return tx<EmployeeSummaryRow[]>`
    WITH page AS MATERIALIZED (${pageOf(tx, tenant_id, list, reach)})
    SELECT ${summaryColumns(tx)} FROM page
    CROSS JOIN LATERAL (${standingOf(tx, tenant_id, tx`page`)}) s
    CROSS JOIN LATERAL (${profileOf(tx, tenant_id, tx`page`)}) e
    ORDER BY ${orderBy(tx, list.order)}`
}

/** Looked up for each row by itself (OFFSET 0), however many rows the planner expects. */
function profileOf(tx: Tx, tenant_id: string, of: Part) {
  return tx`SELECT e.employee_id, e.email, e.first_name, e.last_name, e.manager_email, e.created_at, e.search_text
    FROM employees e WHERE e.tenant_id = ${tenant_id} AND e.employee_id = ${of}.employee_id OFFSET 0`
}

/** The same. */
function standingOf(tx: Tx, tenant_id: string, of: Part) {
  return tx`SELECT s.employee_id, s.department, s.score, s.band, s.status, s.last_event_at FROM employee_states s
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ${of}.employee_id OFFSET 0`
}

function pageOf(tx: Tx, tenant_id: string, list: List, { per_page, offset }: Reach) {
  const { filter, order, way } = list
  const ordered = tx`ORDER BY ${orderBy(tx, order)} LIMIT ${per_page} OFFSET ${offset}`
  if (order.sort === 'name' && !asksOfStanding(filter)) {
    const isSorted = way === 'sorted' && asksForText(filter)
    const people = isSorted
      ? fromFound(tx, tenant_id, filter.search!)
      : tx`FROM employees e WHERE e.tenant_id = ${tenant_id} ${isAmong(tx, filter, tx`e`)} ${hasText(tx, filter)}`
    return tx`SELECT e.employee_id ${people} ${ordered}`
  }
  if (order.sort === 'name' && way === 'walked') {
    return tx`SELECT e.employee_id FROM employees e CROSS JOIN LATERAL (${standingOf(tx, tenant_id, tx`e`)}) s
      WHERE e.tenant_id = ${tenant_id} ${hasText(tx, filter)} ${narrow(tx, filter)} ${ordered}`
  }
  if (order.sort === 'last_event' && order.order === 'desc' && way !== 'sorted') {
    return pageByLatestEvent(tx, tenant_id, list, { per_page, offset })
  }
  const standings = tx`FROM employee_states s WHERE s.tenant_id = ${tenant_id}`
  return tx`SELECT s.employee_id ${fromStandings(tx, tenant_id, list, standings, orderBy(tx, order))} ${ordered}`
}

/** OFFSET 0: those who are sorted are read by the filter, and a walk follows the order. */
function fromStandings(tx: Tx, tenant_id: string, list: List, standings: Part, along: Part) {
  const { filter, order, way } = list
  const shown = tx`s.employee_id, s.department, s.score, s.band, s.status, s.last_event_at`
  const asked = tx`${narrow(tx, filter)} ${isAmong(tx, filter, tx`s`)}`
  const needsProfile = order.sort === 'name' || asksForText(filter)
  const profile = tx`CROSS JOIN LATERAL (${profileOf(tx, tenant_id, tx`s`)}) e`
  const [inside, outside] =
    way === 'walked' ? [tx`ORDER BY ${along} OFFSET 0`, asked] : [asked, tx``]
  return tx`FROM (SELECT ${shown} ${standings} ${inside} ${way === 'sorted' ? tx`OFFSET 0` : tx``}) s
    ${needsProfile ? profile : tx``} WHERE true ${outside} ${hasText(tx, filter)}`
}

/**
 * Latest first, those without events last. The index holds nulls at the other end, so the two parts
 * are read apart, each in the order of the index.
 */
function pageByLatestEvent(tx: Tx, tenant_id: string, list: List, { per_page, offset }: Reach) {
  const enough = offset + per_page
  const part = (which: Part, along: Part) => {
    const standings = tx`FROM employee_states s WHERE s.tenant_id = ${tenant_id} AND ${which}`
    return tx`SELECT s.employee_id, s.last_event_at ${fromStandings(tx, tenant_id, list, standings, along)}
      ORDER BY ${along} LIMIT ${enough}`
  }
  return tx`SELECT x.employee_id FROM (
      (${part(tx`s.last_event_at IS NOT NULL`, tx`s.last_event_at DESC, s.employee_id DESC`)})
      UNION ALL (${part(tx`s.last_event_at IS NULL`, tx`s.employee_id DESC`)})
    ) x ORDER BY x.last_event_at DESC NULLS LAST, x.employee_id DESC LIMIT ${per_page} OFFSET ${offset}`
}

/** How many there are of it, from the kept counts. */
export async function countStandings(
  tx: Tx,
  tenant_id: string,
  filter: StandingFilter,
): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT coalesce(sum(s.people), 0)::bigint AS n FROM all_score_counts s
    WHERE s.tenant_id = ${tenant_id} ${narrow(tx, filter)}`
  return row!.n
}

/** How many people were active when the last closed day ended; none before the first one. */
export async function countLastDay(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT coalesce((SELECT sum(c) FROM unnest(k.counts) AS c), 0)::bigint AS n FROM score_days k
    WHERE k.tenant_id = ${tenant_id} ORDER BY k.day DESC LIMIT 1`
  return row?.n ?? 0
}

/** How many are found by a text and all else that is asked. */
export async function countFound(
  tx: Tx,
  tenant_id: string,
  filter: EmployeeFilter,
  way: Way,
): Promise<number> {
  const { search = '', few } = filter
  if (!asksOfStanding(filter)) return few ? few.length : countByText(tx, tenant_id, search)
  const list = { filter, order: { sort: 'score', order: 'asc' }, way } as const
  const standings = tx`FROM employee_states s WHERE s.tenant_id = ${tenant_id}`
  const people =
    way === 'sorted'
      ? fromStandings(tx, tenant_id, list, standings, tx``)
      : tx`FROM employee_texts x JOIN employee_states s ON s.tenant_id = x.tenant_id AND s.employee_id = x.employee_id
        WHERE x.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} ${narrow(tx, filter)}
          AND x.search_text LIKE ${likePattern(search)}`
  const [row] = await tx<{ n: number }[]>`SELECT count(*) AS n ${people}`
  return row!.n
}
