// SQL of replays: the log and the shares of a few employees at once, and what a replay writes back.
import { type FiredShare, shareDate } from '../../../scoring/replay.ts'
import { MANUAL_EVENT_TYPE } from '../../../scoring/streak.ts'
import { type Instant, readEpoch } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { createPauses } from '../platform/in-pauses.ts'
import type { FoldedShare, RecordedEvent, Rescored } from './revision.ts'

const BREAK = '\n'
const GAP = '\t'
const WITHIN = '\x1f'

/** One text for all rows, split here: many times cheaper than a row and its columns each. */
type Lines = { lines: string | null }

function splitLines([row]: readonly Lines[]): string[] {
  return row?.lines?.split(BREAK) ?? []
}

/** Stored longer than this, or made shorter by PostgreSQL because they were, details are read apart. */
const MOST_BYTES = 1000

/** The last event read of somebody. */
export type Place = { timestamp: Instant; event_id: string }

export const BEGINNING: Place = { timestamp: 0, event_id: '' }

/** So many events of one person are read at once. */
export const PAGE = 5000

/**
 * The events that count, by employee, in no order; of those of other types than these the details are left out, and of
 * those in `long` too. Of a person alone it is a page of them: those that come next.
 * Invariant: the caller holds the employees' locks. No name and no JSON holds a control character, and an event of one
 * rule has one share, of the event's own impact: so only the shares of several rules are looked up.
 */
export async function readLogs(
  tx: Tx,
  tenant_id: string,
  employee_ids: string[],
  detailed: string[] | null,
  after = BEGINNING,
) {
  const alone = employee_ids.length === 1 ? employee_ids[0]! : null
  const short = tx`CASE WHEN pg_column_compression(e.details) IS NULL AND pg_column_size(e.details) <= ${MOST_BYTES}::int
    THEN e.details::text ELSE '' END`
  const details =
    detailed === null
      ? short
      : tx`CASE WHEN e.type = ANY(${detailed}::text[]) THEN ${short} ELSE '{}' END`
  const found = await tx<Lines[]>`
    SELECT string_agg(concat_ws(${GAP}, e.employee_id, e.event_id,
      e.department || ${WITHIN} || e.type || ${WITHIN} || e.source,
      date_part('epoch', e.timestamp), date_part('epoch', e.received_at), e.impact,
      CASE WHEN e.inert THEN 'inert' WHEN e.redacted_at IS NOT NULL THEN 'redacted' ELSE '' END,
      array_to_string(e.rules_matched, ','), coalesce(e.cooling::text, ''), ${details},
      CASE WHEN cardinality(e.rules_matched) > 1 THEN (
        SELECT string_agg(s.rule_id || ${WITHIN} || s.impact, ',') FROM shares s
        WHERE s.tenant_id = ${tenant_id} AND s.employee_id = e.employee_id AND s.rule_id = ANY(e.rules_matched)
          AND s.timestamp = e.timestamp AND s.event_id = e.event_id AND s.to_version IS NULL)
      END), ${BREAK} ${alone === null ? tx`` : tx`ORDER BY e.timestamp, e.event_id`}) AS lines
    FROM ${alone === null ? tx`events` : pageOf(tx, tenant_id, alone, after)} e
    WHERE e.tenant_id = ${tenant_id} AND e.employee_id = ANY(${employee_ids}::text[]) AND e.retracted_at IS NULL`
  const names = new Map<string, Names>()
  const long: RecordedEvent[] = []
  const logs = await group(splitLines(found), fields => {
    const event = readEvent(fields, names)
    if (fields[9] === '') long.push(event)
    return event
  })
  return { logs, long, next: alone === null ? null : endOf(logs.get(alone)) }
}

function pageOf(tx: Tx, tenant_id: string, employee_id: string, { timestamp, event_id }: Place) {
  return tx`(SELECT * FROM events x WHERE x.tenant_id = ${tenant_id} AND x.employee_id = ${employee_id}
    AND (x.timestamp, x.event_id) > (${new Date(timestamp)}, ${event_id}) AND x.retracted_at IS NULL
    ORDER BY x.timestamp, x.event_id LIMIT ${PAGE})`
}

/** Where a page ends, in the order of the database; null: it was the last. */
export function endOf(page: readonly Place[] = []): Place | null {
  return page.length < PAGE ? null : page.at(-1)!
}

/** When the last event of somebody came in. */
export async function readLastReceipt(tx: Tx, tenant_id: string, employee_id: string) {
  const [row] = await tx<{ at: Date | null }[]>`
    SELECT max(e.received_at) AS at FROM events e WHERE e.tenant_id = ${tenant_id} AND e.employee_id = ${employee_id}
      AND e.retracted_at IS NULL`
  return row!.at?.getTime() ?? 0
}

/** By event, the details of a few. */
export async function readDetails(tx: Tx, tenant_id: string, event_ids: string[]) {
  const found = await tx<Lines[]>`
    SELECT string_agg(e.event_id || ${GAP} || e.details::text, ${BREAK}) AS lines
    FROM events e WHERE e.tenant_id = ${tenant_id} AND e.event_id = ANY(${event_ids}::text[])`
  return splitLines(found).map(line => {
    const end = line.indexOf(GAP)
    const details: Record<string, unknown> = JSON.parse(line.slice(end + 1))
    return { event_id: line.slice(0, end), details }
  })
}

/** Department, type and source; few differ. */
type Names = [string, string, string]
const NONE: never[] = []
const NOTHING: Record<string, unknown> = {}

function readEvent(fields: readonly string[], known: Map<string, Names>): RecordedEvent {
  const [, event_id, naming, at, received, given, how, rules, cooling, details, several] = fields
  const names = known.get(naming!) ?? (naming!.split(WITHIN) as Names)
  known.set(naming!, names)
  const [timestamp, received_at] = [readEpoch(at!), readEpoch(received!)]
  const [impact, inert] = [Number(given), how === 'inert']
  const rules_matched = rules === '' ? NONE : rules!.split(',')
  const dated_at = shareDate({ timestamp, received_at })
  const event = {
    event_id: event_id!,
    department: names[0],
    type: names[1],
    source: names[2],
    timestamp,
    received_at,
    impact,
    inert,
    rules_matched,
    cooling: cooling === '' ? NONE : JSON.parse(cooling!),
    shares: readShares(rules_matched, impact, dated_at, several),
    details: details === '{}' || details === '' ? NOTHING : JSON.parse(details!),
  }
  if (event.type === MANUAL_EVENT_TYPE && !inert) return { ...event, fixed_impact: impact }
  if (how !== 'redacted') return event
  // In the order of the rules, as an event that is judged has them.
  const place = ({ rule_id }: FiredShare) => rules_matched.indexOf(rule_id)
  const fired = event.shares.toSorted((a, b) => place(a) - place(b))
  return { ...event, fixed: { fired, cooling: event.cooling } }
}

/** `several` tells those of an event with more than one rule. */
function readShares(
  [rule_id]: readonly string[],
  impact: number,
  dated_at: Instant,
  several: string | undefined,
): readonly FiredShare[] {
  if (rule_id === undefined) return NONE
  if (several === undefined) return [{ rule_id, impact, dated_at }]
  return several.split(',').map(share => {
    const [rule, part] = share.split(WITHIN)
    return { rule_id: rule!, impact: Number(part), dated_at }
  })
}

/** Firings of events whose details are gone: they stay, and cool the others on both sides. */
export async function readFixed(tx: Tx, tenant_id: string, employee_ids: string[]) {
  const rows = await tx<FixedFiring[]>`
    SELECT s.employee_id, s.rule_id, s.timestamp FROM events e
    JOIN shares s ON s.tenant_id = ${tenant_id} AND s.employee_id = e.employee_id AND s.event_id = e.event_id
      AND s.timestamp = e.timestamp AND s.to_version IS NULL AND s.rule_id = ANY(e.rules_matched)
    WHERE e.tenant_id = ${tenant_id} AND e.employee_id = ANY(${employee_ids}::text[])
      AND e.redacted_at IS NOT NULL AND e.retracted_at IS NULL`
  return Map.groupBy(
    rows.map(row => ({ ...row, timestamp: row.timestamp.getTime() })),
    row => row.employee_id,
  )
}

type FixedFiring = { employee_id: string; rule_id: string; timestamp: Date }

/** What is left of events that retention has removed, of those employees who carry something. */
export async function readFolded(tx: Tx, tenant_id: string, employee_ids: string[]) {
  if (employee_ids.length === 0) return new Map<string, FoldedShare[]>()
  const found = await tx<Lines[]>`
    SELECT string_agg(concat_ws(${GAP}, s.employee_id, s.event_id, s.rule_id, date_part('epoch', s.timestamp),
      s.impact), ${BREAK}) AS lines
    FROM shares s WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ANY(${employee_ids}::text[])
      AND s.to_version IS NULL AND s.folded`
  return group(splitLines(found), ([, event_id, rule_id, timestamp, impact]) => ({
    event_id: event_id!,
    rule_id: rule_id!,
    timestamp: readEpoch(timestamp!),
    impact: Number(impact),
  }))
}

/** The first field is the employee's id. There may be very many. */
async function group<T>(lines: readonly string[], read: (fields: readonly string[]) => T) {
  const groups = new Map<string, T[]>()
  const pauses = createPauses()
  for (const line of lines) {
    const fields = line.split(GAP)
    const known = groups.get(fields[0]!)
    if (known === undefined) groups.set(fields[0]!, [read(fields)])
    else known.push(read(fields))
    if (pauses.isDue()) await pauses.take()
  }
  return groups
}

export async function updateScoring(tx: Tx, tenant_id: string, rescored: readonly Rescored[]) {
  if (rescored.length === 0) return
  const column = <T>(read: (one: Rescored) => T): T[] => rescored.map(read)
  await tx`UPDATE events e SET impact = u.impact, rules_matched = string_to_array(u.rules_matched, ','),
      cooling = u.cooling::jsonb
    FROM (SELECT unnest(${column(r => r.event.event_id)}::text[]) AS event_id,
      unnest(${column(r => r.impact)}::int[]) AS impact,
      unnest(${column(r => r.rules_matched.join(','))}::text[]) AS rules_matched,
      unnest(${column(r => (r.cooling.length > 0 ? JSON.stringify(r.cooling) : null))}::text[]) AS cooling) AS u
    WHERE e.tenant_id = ${tenant_id} AND e.event_id = u.event_id`
}

export type Selected = { employee_id: string; due: boolean }

/** The next active employees of the tenant, or of one department, in the order of their ids. */
export async function selectActive(
  tx: Tx,
  tenant_id: string,
  department: string | null,
  after: string,
  limit: number,
  now: Instant,
): Promise<Selected[]> {
  return tx<Selected[]>`
    SELECT s.employee_id, coalesce(s.next_due_at <= ${new Date(now)}, false) AS due FROM employee_states s
    WHERE s.tenant_id = ${tenant_id} AND s.status = 'active' AND s.employee_id > ${after}
      ${department === null ? tx`` : tx`AND s.department = ${department}`}
    ORDER BY s.employee_id LIMIT ${limit}`
}

export async function countActive(tx: Tx, tenant_id: string, department: string | null) {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM employee_states s WHERE s.tenant_id = ${tenant_id} AND s.status = 'active'
      ${department === null ? tx`` : tx`AND s.department = ${department}`}`
  return row!.n
}

/** Whether they have more events together. */
export async function haveMoreEvents(
  tx: Tx,
  tenant_id: string,
  employee_ids: string[],
  most: number,
): Promise<boolean> {
  const rows = await tx`SELECT 1 FROM events e
    WHERE e.tenant_id = ${tenant_id} AND e.employee_id = ANY(${employee_ids}::text[])
    ORDER BY e.employee_id, e.timestamp OFFSET ${most} LIMIT 1`
  return rows.length > 0
}

/** How many events each of them has, counted no further than `most`; in an order that only the index of a person's events has. */
export async function countLogs(tx: Tx, tenant_id: string, employee_ids: string[], most: number) {
  const rows = await tx<{ employee_id: string; n: number }[]>`
    SELECT u.employee_id, (SELECT count(*) FROM (SELECT 1 FROM events e
      WHERE e.tenant_id = ${tenant_id} AND e.employee_id = u.employee_id ORDER BY e.timestamp LIMIT ${most}) x) AS n
    FROM unnest(${employee_ids}::text[]) AS u(employee_id)`
  return new Map(rows.map(row => [row.employee_id, row.n]))
}

/** The next employees, inactive ones included. */
export async function selectEveryone(
  tx: Tx,
  tenant_id: string,
  after: string,
  limit: number,
  now: Instant,
): Promise<Selected[]> {
  return tx<Selected[]>`
    SELECT s.employee_id, coalesce(s.next_due_at <= ${new Date(now)}, false) AS due FROM employee_states s
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id > ${after} ORDER BY s.employee_id LIMIT ${limit}`
}

export async function countEveryone(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM employee_states s WHERE s.tenant_id = ${tenant_id}`
  return row!.n
}

/** Whether anybody, active or not, is in the department. */
export async function departmentExists(tx: Tx, tenant_id: string, department: string) {
  const [row] = await tx`
    SELECT 1 FROM employee_states WHERE tenant_id = ${tenant_id} AND department = ${department} LIMIT 1`
  return row !== undefined
}
