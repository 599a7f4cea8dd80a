// SQL of the cold half of an employee: profiles, lists, their totals, and reading the score history.
import type { Band } from '../../../scoring/settings.ts'
import type { Instant } from '../platform/clock.ts'
import { planForAny, type Tx } from '../platform/database.ts'
import type { HistoryRow } from './score-history.ts'
import { countByText, fromFound, likePattern } from './search.queries.ts'
import type { Status } from './standing.ts'

export type EmployeeSummaryRow = {
  id: string
  email: string
  first_name: string
  last_name: string
  department: string
  manager_email: string
  score: number
  band: Band
  status: Status
  last_event_at: Date | null
  created_at: Date
}

export type EmployeeRow = EmployeeSummaryRow & {
  title: string
  location: string
  integrations: string[]
}

export type Profile = {
  employee_id: string
  email: string
  email_key: string
  first_name: string
  last_name: string
  title: string
  location: string
  manager_email: string
  search_text: string
  created_at: Date
}

/** Returns the ids that were added; the others' addresses are taken. */
export async function insertProfiles(tx: Tx, tenant_id: string, profiles: readonly Profile[]) {
  const column = <T>(read: (profile: Profile) => T): T[] => profiles.map(read)
  const rows = await tx<{ employee_id: string }[]>`
    INSERT INTO employees AS x (tenant_id, employee_id, email, email_key, first_name, last_name, title,
      location, manager_email, search_text, created_at)
    SELECT tn.tenant_id, u.employee_id, u.email, u.email_key, u.first_name, u.last_name, u.title,
      u.location, u.manager_email, u.search_text, u.created_at
    FROM tenants tn, unnest(${column(p => p.employee_id)}::text[], ${column(p => p.email)}::text[],
      ${column(p => p.email_key)}::text[], ${column(p => p.first_name)}::text[],
      ${column(p => p.last_name)}::text[], ${column(p => p.title)}::text[], ${column(p => p.location)}::text[],
      ${column(p => p.manager_email)}::text[], ${column(p => p.search_text)}::text[],
      ${column(p => p.created_at)}::timestamptz[])
      AS u(employee_id, email, email_key, first_name, last_name, title, location, manager_email,
        search_text, created_at)
    WHERE tn.tenant_id = ${tenant_id}
    ON CONFLICT (tenant_id, email_key) DO NOTHING RETURNING x.employee_id`
  return new Set(rows.map(row => row.employee_id))
}

export async function updateTitle(tx: Tx, tenant_id: string, employee_id: string, title: string) {
  await tx`UPDATE employees SET title = ${title}
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}`
}

function summaryColumns(tx: Tx) {
  return tx`e.employee_id AS id, e.email, e.first_name, e.last_name, s.department, e.manager_email, s.score,
    s.band, s.status, s.last_event_at, e.created_at`
}

export function findEmployee(tx: Tx, tenant_id: string, employee_id: string) {
  return findBy(tx, tenant_id, tx`e.employee_id = ${employee_id}`)
}

export function findEmployeeByEmail(tx: Tx, tenant_id: string, email_key: string) {
  return findBy(tx, tenant_id, tx`e.email_key = ${email_key}`)
}

async function findBy(tx: Tx, tenant_id: string, key: ReturnType<Tx>) {
  const [row] = await tx<EmployeeRow[]>`
    SELECT ${summaryColumns(tx)}, e.title, e.location, s.sources AS integrations
    FROM employees e JOIN employee_states s ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id
    WHERE e.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} AND ${key}`
  return row
}

export type EmployeeFilter = {
  department?: string | undefined
  bands?: Band[] | undefined
  min_score?: number | undefined
  max_score?: number | undefined
  status?: Status | undefined
  /** Literal text, lower-case. */
  search?: string | undefined
  /** Who is found by it, where they are few. */
  few?: readonly string[] | null
  /** How many are found, where they are many and this is known. */
  found?: number
}

/** The conditions of a filter; only those asked for, so that each list can use its index. */
function narrow(tx: Tx, filter: EmployeeFilter, of = tx`e`) {
  const { department, bands, min_score, max_score, status, search, few } = filter
  return tx`${department === undefined ? tx`` : tx`AND s.department = ${department}`}
    ${bands === undefined ? tx`` : tx`AND s.band = ANY(${bands}::text[])`}
    ${min_score === undefined ? tx`` : tx`AND s.score >= ${min_score}`}
    ${max_score === undefined ? tx`` : tx`AND s.score <= ${max_score}`}
    ${status === undefined ? tx`` : tx`AND s.status = ${status}`}
    ${few ? tx`AND ${of}.employee_id = ANY(${[...few]}::text[])` : tx``}
    ${search === undefined || few ? tx`` : tx`AND e.search_text LIKE ${likePattern(search)}`}`
}

/**
 * Between which scores the people of these bands stand: whoever placed them did so by edges of the tenant, if not the
 * present ones. So a list by score begins in its index where they begin.
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

export type EmployeeOrder = {
  sort: 'score' | 'name' | 'last_event' | 'department'
  order: 'asc' | 'desc'
}
type Reach = { per_page: number; offset: number }

/** What is left of ties is ordered by id, in the same direction. */
function orderBy(tx: Tx, { sort, order }: EmployeeOrder) {
  if (sort === 'name' && order === 'asc') return tx`e.last_name, e.first_name, e.employee_id`
  if (sort === 'name') return tx`e.last_name DESC, e.first_name DESC, e.employee_id DESC`
  if (sort === 'score' && order === 'asc') return tx`s.score, s.employee_id`
  if (sort === 'score') return tx`s.score DESC, s.employee_id DESC`
  if (sort === 'department' && order === 'asc') return tx`s.department, s.score, s.employee_id`
  if (sort === 'department') return tx`s.department DESC, s.score DESC, s.employee_id DESC`
  return tx`s.last_event_at, s.employee_id`
}

export async function listEmployees(
  tx: Tx,
  tenant_id: string,
  filter: EmployeeFilter,
  order: EmployeeOrder,
  reach: Reach,
): Promise<EmployeeSummaryRow[]> {
  if (order.sort === 'last_event' && order.order === 'desc') {
    return listByLatestEvent(tx, tenant_id, filter, reach)
  }
  // Materialized: planned while the tables are empty, the page would be found anew for each of its rows.
  return tx<EmployeeSummaryRow[]>`
    WITH s AS MATERIALIZED (${pageOfStandings(tx, tenant_id, filter, order, reach)})
    SELECT ${summaryColumns(tx)}
    FROM s CROSS JOIN LATERAL (${profileOf(tx, tenant_id, tx`s`)}) e ORDER BY ${orderBy(tx, order)}`
}

/**
 * Looked up for each row of a page, apart (OFFSET 0): of a tenant newer than its statistics the planner expects one row,
 * and would compare everybody with each row.
 */
function profileOf(tx: Tx, tenant_id: string, page: ReturnType<Tx>) {
  return tx`SELECT e.employee_id, e.email, e.first_name, e.last_name, e.manager_email, e.created_at FROM employees e
    WHERE e.tenant_id = ${tenant_id} AND e.employee_id = ${page}.employee_id OFFSET 0`
}

/** The same. */
function standingOf(tx: Tx, tenant_id: string) {
  return tx`SELECT s.employee_id, s.department, s.score, s.band, s.status, s.last_event_at FROM employee_states s
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = page.employee_id OFFSET 0`
}

/** Whether the search, if any, is answered already, so that no text has to be looked at. */
function isFound({ search, few }: EmployeeFilter): boolean {
  return search === undefined || Boolean(few)
}

export function asksOfStanding({ search, few, found, ...standing }: EmployeeFilter): boolean {
  return Object.values(standing).some(one => one !== undefined)
}

/** Above this many it is faster to read the index of names and skip those not found than to sort those found. */
const MOST_SORTED = 100_000

/** Found first, from one table where one is enough, so that a deep page reads nothing else on the way. */
function pageOfStandings(
  tx: Tx,
  tenant_id: string,
  filter: EmployeeFilter,
  order: EmployeeOrder,
  { per_page, offset }: Reach,
) {
  const reach = tx`ORDER BY ${orderBy(tx, order)} LIMIT ${per_page} OFFSET ${offset}`
  const shown = tx`s.employee_id, s.department, s.score, s.band, s.status, s.last_event_at`
  const ofIds = (ids: ReturnType<Tx>) => tx`
    WITH page AS MATERIALIZED (${ids})
    SELECT ${shown} FROM page CROSS JOIN LATERAL (${standingOf(tx, tenant_id)}) s`
  if (order.sort !== 'name' && isFound(filter)) {
    return ofIds(tx`SELECT s.employee_id FROM employee_states s
      WHERE s.tenant_id = ${tenant_id} ${narrow(tx, filter, tx`s`)} ${reach}`)
  }
  if (order.sort === 'name' && !asksOfStanding(filter)) {
    const { search = '', found = Number.POSITIVE_INFINITY } = filter
    return found <= MOST_SORTED
      ? ofIds(tx`SELECT e.employee_id ${fromFound(tx, tenant_id, search)} ${reach}`)
      : ofIds(tx`SELECT e.employee_id FROM employees e
        WHERE e.tenant_id = ${tenant_id} ${narrow(tx, filter)} ${reach}`)
  }
  return tx`SELECT ${shown}
    FROM employees e JOIN employee_states s ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id
    WHERE e.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} ${narrow(tx, filter)} ${reach}`
}

/**
 * Latest first, those without events last. The index holds nulls at the other end, so the two parts
 * are read apart, each in the order of the index.
 */
function listByLatestEvent(
  tx: Tx,
  tenant_id: string,
  filter: EmployeeFilter,
  { per_page, offset }: Reach,
) {
  const enough = offset + per_page
  const part = (which: ReturnType<Tx>) =>
    isFound(filter)
      ? tx`SELECT s.employee_id, s.last_event_at FROM employee_states s
        WHERE s.tenant_id = ${tenant_id} AND ${which} ${narrow(tx, filter, tx`s`)}`
      : tx`SELECT s.employee_id, s.last_event_at
        FROM employees e JOIN employee_states s ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id
        WHERE e.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} AND ${which} ${narrow(tx, filter)}`
  return tx<EmployeeSummaryRow[]>`
    SELECT ${summaryColumns(tx)}
    FROM (SELECT x.employee_id FROM (
      (${part(tx`s.last_event_at IS NOT NULL`)} ORDER BY s.last_event_at DESC, s.employee_id DESC LIMIT ${enough})
      UNION ALL (${part(tx`s.last_event_at IS NULL`)} ORDER BY s.employee_id DESC LIMIT ${enough})
    ) x ORDER BY x.last_event_at DESC NULLS LAST, x.employee_id DESC LIMIT ${per_page} OFFSET ${offset}) page
    CROSS JOIN LATERAL (${profileOf(tx, tenant_id, tx`page`)}) e CROSS JOIN LATERAL (${standingOf(tx, tenant_id)}) s
    ORDER BY s.last_event_at DESC NULLS LAST, s.employee_id DESC`
}

/** The total of a list: from the kept counts, or by counting where text is searched for. */
export async function countEmployees(tx: Tx, tenant_id: string, filter: EmployeeFilter) {
  if (filter.search !== undefined) return countFound(tx, tenant_id, filter)
  const [row] = await tx<{ n: number }[]>`
    SELECT coalesce(sum(s.people), 0)::bigint AS n FROM score_counts s
    WHERE s.tenant_id = ${tenant_id} ${narrow(tx, filter)}`
  return row!.n
}

/** Few are known already; many are counted through the indexes of texts. */
async function countFound(tx: Tx, tenant_id: string, filter: EmployeeFilter): Promise<number> {
  const { search = '', few, ...rest } = filter
  if (few) {
    if (!asksOfStanding(filter)) return few.length
    const [row] = await tx<{ n: number }[]>`SELECT count(*) AS n FROM employee_states s
      WHERE s.tenant_id = ${tenant_id} ${narrow(tx, { ...rest, few }, tx`s`)}`
    return row!.n
  }
  if (!asksOfStanding(filter)) return countByText(tx, tenant_id, search)
  const [row] = await tx<{ n: number }[]>`SELECT count(*) AS n
    FROM employee_texts x JOIN employee_states s ON s.tenant_id = x.tenant_id AND s.employee_id = x.employee_id
    WHERE x.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} ${narrow(tx, rest)}
      AND x.search_text LIKE ${likePattern(search)}`
  return row!.n
}

/**
 * The last row at or before each instant, oldest first. Rows ascend in time with their version, so
 * the key alone leads to the window; of many rows between two instants only the last is returned.
 */
export async function readHistory(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  instants: readonly Instant[],
): Promise<HistoryRow[]> {
  if (instants.length === 0) return []
  // A row at an instant belongs to it; the thresholds lie just after.
  const thresholds = instants.map(at => new Date(at + 1))
  const [first, last] = [new Date(instants[0]!), new Date(instants.at(-1)!)]
  planForAny(tx)
  return tx<HistoryRow[]>`
    SELECT DISTINCT ON (x.bucket) x.at, x.score, x.band, x.risk, x.recovery, x.status, x.settings_version,
      x.edges_version
    FROM (
      SELECT width_bucket(h.at, ${thresholds}::timestamptz[]) AS bucket, h.version, h.at, h.score, h.band,
        h.risk, h.recovery, h.status, h.settings_version, h.edges_version
      FROM score_history h
      WHERE h.tenant_id = ${tenant_id} AND h.employee_id = ${employee_id} AND h.at <= ${last}
        AND h.version >= (SELECT coalesce((
          SELECT p.version FROM score_history p
          WHERE p.tenant_id = ${tenant_id} AND p.employee_id = ${employee_id} AND p.at <= ${first}
          ORDER BY p.version DESC LIMIT 1), 0))
    ) x ORDER BY x.bucket, x.version DESC`
}
