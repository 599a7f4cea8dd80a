// SQL of the cold half of an employee: profiles, one person, and reading the score history.

import type { Band } from '../../../scoring/settings.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { Fragment } from '../platform/sql.ts'
import type { HistoryRow } from './score-history.ts'
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
  manager_key: string
  search_text: string
  created_at: Date
}

/**
 * Returns the ids that were added; the others' addresses are taken. Inserted in one order everywhere, so that two
 * writers of the same addresses do not wait for each other.
 */
export async function insertProfiles(tx: Tx, tenant_id: string, profiles: readonly Profile[]) {
  const ordered = profiles.toSorted((a, b) => (a.email_key < b.email_key ? -1 : 1))
  const column = <T>(read: (profile: Profile) => T): T[] => ordered.map(read)
  const rows = await tx<{ employee_id: string }[]>`
    INSERT INTO employees AS x (tenant_id, employee_id, email, email_key, first_name, last_name, title,
      location, manager_email, manager_key, search_text, created_at)
    SELECT tn.tenant_id, u.employee_id, u.email, u.email_key, u.first_name, u.last_name, u.title,
      u.location, u.manager_email, u.manager_key, u.search_text, u.created_at
    FROM tenants tn, unnest(${column(p => p.employee_id)}::text[], ${column(p => p.email)}::text[],
      ${column(p => p.email_key)}::text[], ${column(p => p.first_name)}::text[],
      ${column(p => p.last_name)}::text[], ${column(p => p.title)}::text[], ${column(p => p.location)}::text[],
      ${column(p => p.manager_email)}::text[], ${column(p => p.manager_key)}::text[],
      ${column(p => p.search_text)}::text[],
      ${column(p => p.created_at)}::timestamptz[])
      AS u(employee_id, email, email_key, first_name, last_name, title, location, manager_email,
        manager_key, search_text, created_at)
    WHERE tn.tenant_id = ${tenant_id}
    ON CONFLICT (tenant_id, email_key) DO NOTHING RETURNING x.employee_id`
  return new Set(rows.map(row => row.employee_id))
}

/** Of these addresses those whose person is inactive: looked up one by one (OFFSET 0), as those who left may be many. */
export async function listInactive(tx: Tx, tenant_id: string, email_keys: readonly string[]) {
  const rows = await tx<{ email_key: string }[]>`
    SELECT e.email_key FROM employees e CROSS JOIN LATERAL (SELECT s.status FROM employee_states s
      WHERE s.tenant_id = ${tenant_id} AND s.employee_id = e.employee_id OFFSET 0) s
    WHERE e.tenant_id = ${tenant_id} AND e.email_key = ANY(${email_keys}::text[]) AND s.status = 'inactive'`
  return new Set(rows.map(row => row.email_key))
}

export async function updateTitle(tx: Tx, tenant_id: string, employee_id: string, title: string) {
  await tx`UPDATE employees SET title = ${title}
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}`
}

export function summaryColumns(tx: Tx) {
  return tx`e.employee_id AS id, e.email, e.first_name, e.last_name, s.department, e.manager_email, s.score,
    s.band, s.status, s.last_event_at, e.created_at`
}

export function findEmployee(tx: Tx, tenant_id: string, employee_id: string) {
  return findBy(tx, tenant_id, tx`e.employee_id = ${employee_id}`)
}

export function findEmployeeByEmail(tx: Tx, tenant_id: string, email_key: string) {
  return findBy(tx, tenant_id, tx`e.email_key = ${email_key}`)
}

async function findBy(tx: Tx, tenant_id: string, key: Fragment) {
  const [row] = await tx<EmployeeRow[]>`
    SELECT ${summaryColumns(tx)}, e.title, e.location, s.sources AS integrations
    FROM employees e JOIN employee_states s ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id
    WHERE e.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} AND ${key}`
  return row
}

/**
 * The last row at or before each instant, oldest first. Rows ascend in time with their version, so
 * the key alone leads to the window, in its order; of many rows between two instants only the last is returned.
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
      ORDER BY h.version OFFSET 0
    ) x ORDER BY x.bucket, x.version DESC`
}
