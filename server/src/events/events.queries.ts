// SQL of reading events: lists with totals from kept counts, one event.
import { DAY, dayOf, type Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { Window } from '../platform/dates.ts'
import type { Sorting } from '../platform/sorting.ts'
import type { EventRow } from './scored-event.ts'
import { HOUR_LEVEL } from './time-blocks.ts'

export type EventFilter = Window & {
  employee_id: string | null
  type: string | null
  source: string | null
  impact: 'positive' | 'negative' | null
}

const date = (at: Instant | null): Date | null => (at === null ? null : new Date(at))

/** Only the conditions that are asked for, so that each filter can be served by its index. */
function where(tx: Tx, filter: EventFilter) {
  const { employee_id, type, source, from, to, impact } = filter
  return tx`${employee_id === null ? tx`` : tx`AND e.employee_id = ${employee_id}`}
    ${type === null ? tx`` : tx`AND e.type = ${type}`}
    ${source === null ? tx`` : tx`AND e.source = ${source}`}
    ${from === null ? tx`` : tx`AND e.timestamp >= ${date(from)}`}
    ${to === null ? tx`` : tx`AND e.timestamp <= ${date(to)}`}
    ${impact === null ? tx`` : impact === 'positive' ? tx`AND e.sign > 0` : tx`AND e.sign < 0`}`
}

export type EventSort = 'timestamp' | 'type' | 'source' | 'impact'

/** Ties go by time, then id, in the same direction: so the indexes of type and source serve both. */
function orderBy(tx: Tx, { sort, order }: Sorting<EventSort>) {
  const by = tx(sort)
  return order === 'asc'
    ? tx`e.${by}, e.timestamp, e.event_id`
    : tx`e.${by} DESC, e.timestamp DESC, e.event_id DESC`
}

/** Of somebody erased nobody is shown what is not emptied yet. */
function detailsOf(tx: Tx, event: 'e' | 'v') {
  return tx`CASE WHEN s.erased_at IS NULL THEN ${tx(event)}.details ELSE '{}'::jsonb END AS details`
}

/**
 * The page of ids is found first, so that a deep page reads no details on the way. What belongs to each is looked up
 * apart (OFFSET 0): the planner expects one row of a tenant it has no statistics of, and would read all its events.
 */
export async function listEvents(
  tx: Tx,
  tenant_id: string,
  filter: EventFilter,
  sorting: Sorting<EventSort>,
  { per_page, offset }: { per_page: number; offset: number },
): Promise<EventRow[]> {
  return tx<EventRow[]>`
    SELECT e.event_id, e.employee_id, p.email AS employee_email, e.type, e.source, e.timestamp, e.received_at,
      e.impact, ${detailsOf(tx, 'e')}, e.rules_matched, e.retracted_at, e.redacted_at, s.settings_version
    FROM (SELECT e.timestamp, e.event_id FROM events e WHERE e.tenant_id = ${tenant_id} ${where(tx, filter)}
      ORDER BY ${orderBy(tx, sorting)} LIMIT ${per_page} OFFSET ${offset}) page
    CROSS JOIN LATERAL (SELECT e.* FROM events e WHERE e.tenant_id = ${tenant_id}
      AND e.timestamp = page.timestamp AND e.event_id = page.event_id OFFSET 0) e
    CROSS JOIN LATERAL (SELECT p.email FROM employees p
      WHERE p.tenant_id = ${tenant_id} AND p.employee_id = e.employee_id OFFSET 0) p
    CROSS JOIN LATERAL (SELECT s.settings_version, s.erased_at FROM employee_states s
      WHERE s.tenant_id = ${tenant_id} AND s.employee_id = e.employee_id OFFSET 0) s
    ORDER BY ${orderBy(tx, sorting)}`
}

type FoundEvent = EventRow & {
  cooling: { rule_id: string; until: number }[] | null
  /** Why it was retracted; empty once the person was erased. */
  retraction: string | null
}

export async function findEvent(tx: Tx, tenant_id: string, event_id: string) {
  const [row] = await tx<FoundEvent[]>`
    SELECT v.event_id, v.employee_id, p.email AS employee_email, v.type, v.source, v.timestamp, v.received_at,
      v.impact, ${detailsOf(tx, 'v')}, v.rules_matched, v.cooling, v.retracted_at, v.redacted_at,
      CASE WHEN s.erased_at IS NULL THEN v.retraction ELSE '' END AS retraction, s.settings_version
    FROM events v
    JOIN employees p ON p.tenant_id = ${tenant_id} AND p.employee_id = v.employee_id
    JOIN employee_states s ON s.tenant_id = ${tenant_id} AND s.employee_id = v.employee_id
    WHERE v.tenant_id = ${tenant_id} AND v.event_id = ${event_id}`
  return row
}

async function countRows(tx: Tx, tenant_id: string, filter: EventFilter): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM events e WHERE e.tenant_id = ${tenant_id} ${where(tx, filter)}`
  return row?.n ?? 0
}

type Days = { first: string | null; last: string | null }

function whereDays(tx: Tx, { type, source, impact }: EventFilter, { first, last }: Days) {
  return tx`${first === null ? tx`` : tx`AND c.day >= ${first}`}
    ${last === null ? tx`` : tx`AND c.day <= ${last}`}
    ${type === null ? tx`` : tx`AND c.type = ${type}`}
    ${source === null ? tx`` : tx`AND c.source = ${source}`}
    ${impact === null ? tx`` : tx`AND c.sign = ${impact === 'positive' ? 1 : -1}`}`
}

/**
 * Kept days where they hold; days that are in doubt, or not kept yet, from the counts of writers.
 * Invariant: one statement, so that days, marks and counts are of one moment.
 */
async function countDays(tx: Tx, tenant_id: string, filter: EventFilter, days: Days) {
  const asked = whereDays(tx, filter, days)
  const [row] = await tx<{ n: number }[]>`
    WITH kept AS MATERIALIZED (SELECT coalesce((SELECT l.days_to FROM event_closings l
        WHERE l.tenant_id = ${tenant_id}), '-infinity'::date) AS days_to),
      doubts AS MATERIALIZED (SELECT DISTINCT DATE '1970-01-01' + m.block / 24 AS day FROM event_marks m, kept k
        WHERE m.tenant_id = ${tenant_id} AND m.kind = 'sums' AND m.level = ${HOUR_LEVEL}
          AND DATE '1970-01-01' + m.block / 24 < k.days_to)
    SELECT coalesce(sum(f.events), 0)::bigint AS n FROM (
      SELECT c.events FROM event_days c WHERE c.tenant_id = ${tenant_id}
        AND c.day < (SELECT k.days_to FROM kept k) AND c.day NOT IN (SELECT d.day FROM doubts d) ${asked}
      UNION ALL
      SELECT c.events FROM all_event_counts c WHERE c.tenant_id = ${tenant_id}
        AND c.day >= (SELECT k.days_to FROM kept k) ${asked}
      UNION ALL
      SELECT c.events FROM all_event_counts c WHERE c.tenant_id = ${tenant_id}
        AND c.day = ANY(ARRAY(SELECT d.day FROM doubts d)) ${asked}) f`
  return row?.n ?? 0
}

/** The total of a list: whole days from the kept counts, what is left of the first and last day by counting. */
export async function countEventsOf(
  tx: Tx,
  tenant_id: string,
  filter: EventFilter,
): Promise<number> {
  if (filter.employee_id !== null) return countRows(tx, tenant_id, filter)
  const { from, to } = filter
  const firstWhole = from === null ? null : Math.ceil(from / DAY) * DAY
  const afterLast = to === null ? null : Math.floor((to + 1) / DAY) * DAY
  if (firstWhole !== null && afterLast !== null && firstWhole >= afterLast) {
    return countRows(tx, tenant_id, filter)
  }
  const days = {
    first: firstWhole === null ? null : dayOf(firstWhole),
    last: afterLast === null ? null : dayOf(afterLast - 1),
  }
  const head = firstWhole !== null && from! < firstWhole
  const tail = afterLast !== null && afterLast <= to!
  const parts = await Promise.all([
    countDays(tx, tenant_id, filter, days),
    head ? countRows(tx, tenant_id, { ...filter, to: firstWhole - 1 }) : 0,
    tail ? countRows(tx, tenant_id, { ...filter, from: afterLast }) : 0,
  ])
  return parts.reduce((sum, part) => sum + part, 0)
}

export async function employeeExists(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
): Promise<boolean> {
  const [row] = await tx`
    SELECT 1 FROM employees WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}`
  return row !== undefined
}
