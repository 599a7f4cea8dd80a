// Reading employees: a page of them, one in full, and the score of one over time.
import type { Band } from '../../../scoring/settings.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { readWindowWithDefaults } from '../platform/dates.ts'
import { notFound } from '../platform/errors.ts'
import { pageAnswer, readPage } from '../platform/pagination.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import {
  asksOfStanding,
  boundBands,
  countEmployees,
  type EmployeeFilter,
  type EmployeeOrder,
  type EmployeeRow,
  type EmployeeSummaryRow,
  findEmployee,
  listEmployees,
  readHistory,
} from './employees.queries.ts'
import type { EmployeeQueryInput } from './employees.schema.ts'
import {
  defaultFrom,
  type Interval,
  listInstants,
  measure,
  type ScorePoint,
  type Span,
} from './score-history.ts'
import { FEW, FEW_BY_NAME, findFew } from './search.queries.ts'
import { searchText } from './search-text.ts'

export async function readEmployeePage(tx: Tx, tenant_id: string, query: EmployeeQueryInput) {
  const { sort = 'name', order = 'asc', ...asked } = query
  const { department, status, min_score, max_score } = asked
  const search = asked.search ? searchText(asked.search) : undefined
  const bands = readBands(query)
  const wanted: EmployeeFilter = { department, bands, min_score, max_score, status, search }
  const filter = search === undefined ? wanted : await find(tx, tenant_id, wanted, sort)
  const page = readPage(query)
  const listed = sort === 'score' ? await boundByBands(tx, tenant_id, filter) : filter
  const [rows, total] = await Promise.all([
    listEmployees(tx, tenant_id, listed, { sort, order }, page),
    filter.found ?? countEmployees(tx, tenant_id, filter),
  ])
  return pageAnswer(rows, page, total)
}

/** Few are known by their ids from here on; of many found by name alone only how many there are. */
async function find(
  tx: Tx,
  tenant_id: string,
  filter: EmployeeFilter,
  sort: EmployeeOrder['sort'],
): Promise<EmployeeFilter> {
  const isByName = sort === 'name' && !asksOfStanding(filter)
  const few = await findFew(tx, tenant_id, filter.search!, isByName ? FEW_BY_NAME : FEW)
  if (few || !isByName) return { ...filter, few }
  return { ...filter, found: await countEmployees(tx, tenant_id, filter) }
}

/** The same people, found from a part of the index by score. */
async function boundByBands(tx: Tx, tenant_id: string, filter: EmployeeFilter) {
  const { bands, min_score = 0, max_score = 100 } = filter
  if (bands === undefined || bands.length === 0) return filter
  const bounds = await boundBands(tx, tenant_id, bands)
  return {
    ...filter,
    min_score: Math.max(min_score, bounds.min_score),
    max_score: Math.min(max_score, bounds.max_score),
  }
}

/** One band, several, or both: who is in all that was asked for. */
function readBands({ band, bands }: EmployeeQueryInput): Band[] | undefined {
  const several = bands?.split(',') as Band[] | undefined
  if (band === undefined) return several
  return several === undefined || several.includes(band) ? [band] : []
}

/** The list view of an employee: what lists show and what notifications carry. */
export function summarizeEmployee(row: EmployeeSummaryRow): EmployeeSummaryRow {
  const { id, email, first_name, last_name, department, manager_email } = row
  const { score, band, status, last_event_at, created_at } = row
  return {
    id,
    email,
    first_name,
    last_name,
    department,
    manager_email,
    score,
    band,
    status,
    last_event_at,
    created_at,
  }
}

export type EmployeeDetail = EmployeeRow & { score_history: ScorePoint[] }

/** The detail view: the row and its last 30 days. */
export async function detailEmployee(
  tx: Tx,
  tenant_id: string,
  row: EmployeeRow | undefined,
  now: Instant,
): Promise<EmployeeDetail> {
  if (!row) throw notFound('employee')
  const basis = await readScoringBasis(tx, tenant_id)
  const span = { from: defaultFrom(now), to: now }
  return { ...row, score_history: await readPoints(tx, tenant_id, row, basis, span, 'daily', now) }
}

export async function readScoreHistory(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  query: { from?: string; to?: string; interval?: Interval },
  now: Instant,
): Promise<ScorePoint[]> {
  const { from, to } = readWindowWithDefaults(query, now, defaultFrom)
  const [row, basis] = await Promise.all([
    findEmployee(tx, tenant_id, employee_id),
    readScoringBasis(tx, tenant_id),
  ])
  if (!row) throw notFound('employee')
  const span = { from, to: Math.min(to, now) }
  return readPoints(tx, tenant_id, row, basis, span, query.interval ?? 'daily', now)
}

/** The point at now is the stored score: a change that is due but not yet applied shows nowhere. */
async function readPoints(
  tx: Tx,
  tenant_id: string,
  { id, created_at, score, band }: EmployeeRow,
  basis: ScoringBasis,
  { from, to }: Span,
  interval: Interval,
  now: Instant,
): Promise<ScorePoint[]> {
  const span = { from: Math.max(from, created_at.getTime()), to }
  const instants = listInstants(span, interval, now)
  const rows = await readHistory(tx, tenant_id, id, instants)
  const points = measure(rows, instants, basis)
  const last = points.at(-1)
  if (last && last.timestamp.getTime() === now) Object.assign(last, { score, band })
  return points
}
