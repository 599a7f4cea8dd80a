// Reading events: lists, one event, unmatched ones.
import type { Static } from 'typebox'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { readWindow } from '../platform/dates.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { pageAnswer, readPage } from '../platform/pagination.ts'
import { type Order, readSorting } from '../platform/sorting.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import {
  countEventsOf,
  type EventFilter,
  type EventSort,
  employeeExists,
  findEvent,
  listEvents,
} from './events.queries.ts'
import type { EmployeeEventsQuery, EventsQuery } from './events.schema.ts'
import { eventView } from './scored-event.ts'
import { countUnmatched, listUnmatched } from './unmatched.queries.ts'
import type { UnmatchedQuery } from './unmatched.schema.ts'

type Paged = { page?: number; per_page?: number; sort?: EventSort; order?: Order }

/** No index holds the impact, and sorting millions of rows for a page of them helps nobody. */
const MOST_BY_IMPACT = 100_000

async function readPageOfEvents(
  context: Context,
  tx: Tx,
  tenant_id: string,
  filter: EventFilter,
  query: Paged,
) {
  const page = readPage(query)
  const sorting = readSorting(query, 'timestamp')
  const now = context.clock.now()
  const total = await countEventsOf(tx, tenant_id, filter)
  if (sorting.sort === 'impact' && total > MOST_BY_IMPACT) {
    const message = 'impact sorts at most 100,000 events; give a shorter time or another filter'
    throw invalid([{ path: 'sort', message }])
  }
  const [basis, rows] = await Promise.all([
    readScoringBasis(tx, tenant_id),
    listEvents(tx, tenant_id, filter, sorting, page),
  ])
  const data = rows.map(row => eventView(row, basis.settingsOf(row.settings_version), now))
  return pageAnswer(data, page, total)
}

export async function readEvents(
  context: Context,
  tenant_id: string,
  query: Static<typeof EventsQuery>,
) {
  const filter = {
    ...readWindow(query),
    employee_id: query.employee_id ?? null,
    type: query.type ?? null,
    source: query.source ?? null,
    impact: query.impact ?? null,
  }
  return context.db.readTenant(tenant_id, tx =>
    readPageOfEvents(context, tx, tenant_id, filter, query),
  )
}

export async function readEmployeeEvents(
  context: Context,
  tenant_id: string,
  employee_id: string,
  query: Static<typeof EmployeeEventsQuery>,
) {
  const rest = { type: query.type ?? null, source: null, impact: null }
  const filter = { ...readWindow(query), employee_id, ...rest }
  return context.db.readTenant(tenant_id, async tx => {
    if (!(await employeeExists(tx, tenant_id, employee_id))) throw notFound('employee')
    return readPageOfEvents(context, tx, tenant_id, filter, query)
  })
}

export async function readEvent(context: Context, tenant_id: string, event_id: string) {
  return context.db.readTenant(tenant_id, async tx => {
    const [basis, row] = await Promise.all([
      readScoringBasis(tx, tenant_id),
      findEvent(tx, tenant_id, event_id),
    ])
    if (!row) throw notFound('event')
    const cooling = (row.cooling ?? []).map(({ rule_id, until }) => ({
      rule_id,
      until: new Date(until),
    }))
    const view = eventView(row, basis.settingsOf(row.settings_version), context.clock.now())
    const why = row.retraction === null ? {} : { retraction_reason: row.retraction }
    return { ...view, ...why, rules_cooling: cooling }
  })
}

export async function readUnmatched(
  context: Context,
  tenant_id: string,
  query: Static<typeof UnmatchedQuery>,
) {
  const page = readPage(query)
  const sorting = readSorting(query, 'received_at')
  const now = new Date(context.clock.now())
  return context.db.readTenant(tenant_id, async tx => {
    const [rows, total] = await Promise.all([
      listUnmatched(tx, tenant_id, now, sorting, page),
      countUnmatched(tx, tenant_id, now),
    ])
    const data = rows.map(row => ({
      id: row.unmatched_id,
      source: row.source,
      event_type: row.type,
      timestamp: row.timestamp,
      employee: { email: row.employee_email },
      details: row.details,
      external_id: row.external_id,
      received_at: row.received_at,
      expires_at: row.expires_at,
    }))
    return pageAnswer(data, page, total)
  })
}
