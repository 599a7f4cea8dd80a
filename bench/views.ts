// The views that are measured: how the service is asked, and the same by plain SQL over the base tables.

import type { Tx } from '../server/src/platform/database.ts'
import type { Fragment as Sql } from '../server/src/platform/sql.ts'

/** What both ways must agree on: a part of the answer; of trends the first day, of drops only how many. */
type Known = unknown
// biome-ignore lint/suspicious/noExplicitAny: the answers of twenty routes, of which each view reads its own
type Body = any

export type Asked = { tenant_id: string; employee_id: string; now: number }
export type View = {
  name: string
  kind: 'summary' | 'view' | 'page' | 'statistics'
  path(asked: Asked): string
  read(body: Body): Known
  plain(tx: Tx, asked: Asked): Promise<Known>
  /** The plain way does one part of so many, and is counted for all. */
  parts?: number
}

const DAY = 86_400_000
const day = (asked: Asked, back: number) =>
  new Date(asked.now - back * DAY).toISOString().slice(0, 10)
const startOf = (asked: Asked, back: number) => new Date(Date.parse(day(asked, back)))
const round = (value: unknown) => Math.round(Number(value) * 10) / 10 + 0

/** Where everybody stood at an instant: the last row of each at or before it. */
async function averageAt(tx: Tx, tenant_id: string, at: Date) {
  const [row] = await tx`SELECT avg(h.score) AS average, count(*) AS people FROM (
    SELECT DISTINCT ON (employee_id) score, status FROM score_history
    WHERE tenant_id = ${tenant_id} AND at <= ${at} ORDER BY employee_id, version DESC) h
    WHERE h.status = 'active'`
  return row!
}

const PRESENT: View[] = [
  {
    name: 'summary',
    kind: 'summary',
    path: () => '/v1/scores/summary',
    read: body => [body.total_employees, body.average_score, body.median_score],
    plain: async (tx, { tenant_id, now }) => {
      const [row] = await tx`SELECT count(*) AS n, avg(score) AS average,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY score) AS median
        FROM employee_states WHERE tenant_id = ${tenant_id} AND status = 'active'`
      await tx`SELECT band, count(*) FROM employee_states
        WHERE tenant_id = ${tenant_id} AND status = 'active' GROUP BY band`
      await averageAt(tx, tenant_id, new Date(now - 30 * DAY))
      return [row!.n, round(row!.average), round(row!.median)]
    },
  },
  {
    name: 'departments',
    kind: 'view',
    path: () => '/v1/scores/departments',
    read: body => body.data.map((d: Body) => [d.department, d.employee_count, d.average_score]),
    plain: async (tx, { tenant_id }) => {
      const rows = await tx`SELECT department, count(*) AS n, avg(score) AS average
        FROM employee_states WHERE tenant_id = ${tenant_id} AND status = 'active'
        GROUP BY department ORDER BY department`
      await tx`SELECT department, band, count(*) FROM employee_states
        WHERE tenant_id = ${tenant_id} AND status = 'active' GROUP BY department, band`
      return rows.map(row => [row.department, row.n, round(row.average)])
    },
  },
  {
    name: 'distribution',
    kind: 'view',
    path: () => '/v1/scores/distribution?bucket_size=10',
    read: body => body.buckets.map((b: Body) => b.count),
    plain: async (tx, { tenant_id }) => {
      const rows =
        await tx`SELECT least(score / 10, 9) AS bucket, count(*) AS n FROM employee_states
        WHERE tenant_id = ${tenant_id} AND status = 'active' GROUP BY 1`
      const counts = new Map(rows.map(row => [row.bucket, row.n]))
      return Array.from({ length: 10 }, (_, i) => counts.get(i) ?? 0)
    },
  },
  {
    name: 'trends',
    kind: 'view',
    path: asked => `/v1/scores/trends?from=${day(asked, 30)}&to=${day(asked, 1)}`,
    read: body => [body.data[0].employee_count, body.data[0].average_score],
    parts: 30,
    plain: async (tx, asked) => {
      const row = await averageAt(tx, asked.tenant_id, new Date(startOf(asked, 29).getTime() - 1))
      return [row.people, round(row.average)]
    },
  },
  {
    name: 'top-risks',
    kind: 'view',
    path: () => '/v1/scores/top-risks',
    read: body => body.data.map((d: Body) => d.score),
    plain: async (tx, { tenant_id }) => {
      const rows = await tx`SELECT employee_id, score FROM employee_states
        WHERE tenant_id = ${tenant_id} AND status = 'active' ORDER BY score, employee_id LIMIT 10`
      await tx`SELECT e.employee_id, e.type, sum(s.impact) FROM shares s JOIN events e
        ON e.tenant_id = s.tenant_id AND e.event_id = s.event_id
        WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ANY(${rows.map(r => r.employee_id)})
          AND s.to_version IS NULL AND s.impact < 0 GROUP BY e.employee_id, e.type`
      return rows.map(row => row.score)
    },
  },
  {
    name: 'top-risks by drop',
    kind: 'view',
    path: () => '/v1/scores/top-risks?sort=biggest_drop',
    read: body => body.data.length,
    plain: async (tx, { tenant_id, now }) => {
      const rows =
        await tx`SELECT s.employee_id, s.score - h.score AS change FROM employee_states s JOIN (
          SELECT DISTINCT ON (employee_id) employee_id, score FROM score_history
          WHERE tenant_id = ${tenant_id} AND at <= ${new Date(now - 30 * DAY)}
          ORDER BY employee_id, version DESC) h ON h.employee_id = s.employee_id
        WHERE s.tenant_id = ${tenant_id} AND s.status = 'active' ORDER BY change, s.employee_id LIMIT 10`
      return rows.length
    },
  },
]

type Fragment = (tx: Tx, asked: Asked) => Sql

function eventPage(name: string, query: (asked: Asked) => string, where: Fragment, skip = 0): View {
  return {
    name,
    kind: 'page',
    path: asked => `/v1/events?${query(asked)}`,
    read: body => [body.pagination.total, body.data.map((d: Body) => d.id)],
    plain: async (tx, asked) => {
      const rows = await tx`SELECT e.*, p.email FROM events e JOIN employees p
        ON p.tenant_id = e.tenant_id AND p.employee_id = e.employee_id
        WHERE e.tenant_id = ${asked.tenant_id} ${where(tx, asked)}
        ORDER BY e.timestamp DESC, e.event_id DESC LIMIT 25 OFFSET ${skip}`
      const [total] = await tx`SELECT count(*) AS n FROM events e
        WHERE e.tenant_id = ${asked.tenant_id} ${where(tx, asked)}`
      return [total!.n, rows.map(row => row.event_id)]
    },
  }
}

function peoplePage(name: string, query: string, where: Fragment, order: Fragment, skip = 0): View {
  return {
    name,
    kind: 'page',
    path: () => `/v1/employees?${query}`,
    read: body => [body.pagination.total, body.data.map((d: Body) => d.id)],
    plain: async (tx, asked) => {
      const rows =
        await tx`SELECT e.employee_id, e.email, s.score, s.band FROM employees e JOIN employee_states s
        ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id
        WHERE e.tenant_id = ${asked.tenant_id} ${where(tx, asked)}
        ORDER BY ${order(tx, asked)} LIMIT 25 OFFSET ${skip}`
      const [total] = await tx`SELECT count(*) AS n FROM employees e JOIN employee_states s
        ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id
        WHERE e.tenant_id = ${asked.tenant_id} ${where(tx, asked)}`
      return [total!.n, rows.map(row => row.employee_id)]
    },
  }
}

const all: Fragment = tx => tx``
const byName: Fragment = tx => tx`e.last_name, e.first_name, e.employee_id`
const byScore: Fragment = tx => tx`s.score, s.employee_id`
const latest: Fragment = tx => tx`s.last_event_at DESC NULLS LAST, s.employee_id DESC`

const PAGES: View[] = [
  peoplePage('people', 'page=1', all, byName),
  peoplePage('people, page 40', 'page=40', all, byName, 975),
  peoplePage('people by score', 'sort=score', all, byScore),
  peoplePage('people by last event', 'sort=last_event&order=desc', all, latest),
  peoplePage(
    'people of a department',
    'department=Department%207&sort=score',
    tx => tx`AND s.department = 'Department 7'`,
    byScore,
  ),
  peoplePage('people of a band', 'band=red&sort=score', tx => tx`AND s.band = 'red'`, byScore),
  peoplePage('people of a band by name', 'band=red', tx => tx`AND s.band = 'red'`, byName),
  peoplePage('people inactive', 'status=inactive', tx => tx`AND s.status = 'inactive'`, byName),
  peoplePage(
    'people searched',
    'search=last7777',
    tx => tx`AND e.search_text LIKE '%last7777%'`,
    byName,
  ),
  // Every match is counted, so the cost follows how many there are: one in ninety here.
  {
    ...peoplePage(
      'people searched, ten thousand found',
      'search=last77',
      tx => tx`AND e.search_text LIKE '%last77%'`,
      byName,
    ),
    kind: 'view',
  },
  eventPage('events', () => 'page=1', all),
  eventPage('events, page 40', () => 'page=40', all, 975),
  eventPage(
    'events of a type',
    () => 'type=sim.reported',
    tx => tx`AND e.type = 'sim.reported'`,
  ),
  eventPage(
    'events of a source',
    () => 'source=siem',
    tx => tx`AND e.source = 'siem'`,
  ),
  eventPage(
    'events that lower',
    () => 'impact=negative',
    tx => tx`AND e.impact < 0`,
  ),
  eventPage(
    'events that raise',
    () => 'impact=positive',
    tx => tx`AND e.impact > 0`,
  ),
  eventPage(
    'events of a person',
    asked => `employee_id=${asked.employee_id}`,
    (tx, asked) => tx`AND e.employee_id = ${asked.employee_id}`,
  ),
  eventPage(
    'events of a week',
    asked => `from=${day(asked, 20)}&to=${day(asked, 14)}`,
    (tx, asked) =>
      tx`AND e.timestamp >= ${startOf(asked, 20)} AND e.timestamp < ${startOf(asked, 13)}`,
  ),
  eventPage(
    'events of a type from an hour on',
    asked => `type=sim.reported&from=${new Date(asked.now - 20.3 * DAY).toISOString()}`,
    (tx, asked) =>
      tx`AND e.type = 'sim.reported' AND e.timestamp >= ${new Date(asked.now - 20.3 * DAY)}`,
  ),
]

const STATISTICS: View[] = (['type', 'source', 'department'] as const).map(group => ({
  name: `statistics by ${group}`,
  kind: 'statistics',
  path: asked =>
    `/v1/events/statistics?group_by=${group}&from=${day(asked, 30)}&to=${day(asked, 1)}`,
  read: body =>
    body.data.map((d: Body) => [d.type, d.count, d.affected_employees, d.average_impact]),
  plain: async (tx, asked) => {
    const rows =
      await tx`SELECT e.${tx(group)} AS value, count(*) AS n, count(DISTINCT e.employee_id) AS people,
      avg(e.impact) AS average FROM events e
      WHERE e.tenant_id = ${asked.tenant_id} AND e.timestamp >= ${startOf(asked, 30)}
        AND e.timestamp < ${startOf(asked, 0)} AND e.retracted_at IS NULL
      GROUP BY 1 ORDER BY n DESC, value`
    return rows.map(row => [row.value, row.n, row.people, round(row.average)])
  },
}))

export const VIEWS: readonly View[] = [...PRESENT, ...PAGES, ...STATISTICS]
