// Reading one employee: in short, in full, and the score over time.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { readWindowWithDefaults } from '../platform/dates.ts'
import { notFound } from '../platform/errors.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import {
  type EmployeeRow,
  type EmployeeSummaryRow,
  findEmployee,
  readHistory,
} from './employees.queries.ts'
import {
  defaultFrom,
  type Interval,
  listInstants,
  measure,
  type ScorePoint,
  type Span,
} from './score-history.ts'

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
