// SQL of retention: finds what is older than its tenant keeps and takes it away, a chunk at a time.
import type { State } from '../../../scoring/state.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'

/** What the retention of some months means at one instant: events go before `before`, firings before `forgotten`. */
export type Term = { months: number; before: Instant; forgotten: Instant }

/** Reads across tenants: ids and months only. */
export async function tenantsWithOldEvents(
  tx: Tx,
  terms: readonly Term[],
  after: string,
  limit: number,
) {
  const column = <T>(read: (term: Term) => T): T[] => terms.map(read)
  return tx<{ tenant_id: string; months: number }[]>`
    SELECT t.tenant_id, u.months
    FROM tenants t JOIN unnest(${column(t => t.months)}::int[], ${column(t => new Date(t.before))}::timestamptz[],
      ${column(t => new Date(t.forgotten))}::timestamptz[]) AS u(months, before, forgotten)
      ON u.months = t.retention_months
    WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND (
      EXISTS (SELECT 1 FROM events e WHERE e.tenant_id = t.tenant_id AND e.timestamp < u.before)
      OR EXISTS (SELECT 1 FROM shares s WHERE s.tenant_id = t.tenant_id AND s.to_version IS NULL AND s.folded
        AND s.timestamp < u.forgotten))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

export async function listOldEvents(tx: Tx, tenant_id: string, before: Date, limit: number) {
  return tx<{ event_id: string; employee_id: string; timestamp: Date }[]>`
    SELECT event_id, employee_id, timestamp FROM events WHERE tenant_id = ${tenant_id} AND timestamp < ${before}
    ORDER BY timestamp, event_id LIMIT ${limit}`
}

export type RemovedEvent = {
  event_id: string
  employee_id: string
  type: string
  source: string
  department: string
  timestamp: Date
  impact: number
  retracted_at: Date | null
}

/** Invariant: the caller holds the employees' locks. What another worker removed meanwhile does not come back. */
export async function deleteEvents(tx: Tx, tenant_id: string, event_ids: string[]) {
  const removed = await tx<RemovedEvent[]>`
    DELETE FROM events WHERE tenant_id = ${tenant_id} AND event_id = ANY(${event_ids}::text[])
    RETURNING event_id, employee_id, type, source, department, timestamp, impact, retracted_at`
  await tx`DELETE FROM external_ids WHERE tenant_id = ${tenant_id} AND event_id = ANY(${event_ids}::text[])`
  return removed
}

export type Origin = { employee_id: string; source: string }

/** Those of which no event is left. */
export async function listGoneSources(tx: Tx, tenant_id: string, origins: readonly Origin[]) {
  return tx<Origin[]>`
    SELECT DISTINCT u.employee_id, u.source
    FROM unnest(${origins.map(o => o.employee_id)}::text[], ${origins.map(o => o.source)}::text[])
      AS u(employee_id, source)
    WHERE NOT EXISTS (SELECT 1 FROM events e
      WHERE e.tenant_id = ${tenant_id} AND e.employee_id = u.employee_id AND e.source = u.source)`
}

/** Invariant: the caller holds the employees' locks. */
export async function updateSources(
  tx: Tx,
  tenant_id: string,
  rows: readonly { employee_id: string; sources: readonly string[] }[],
): Promise<void> {
  if (rows.length === 0) return
  await tx`UPDATE employee_states s SET sources = string_to_array(u.sources, chr(10))
    FROM unnest(${rows.map(r => r.employee_id)}::text[], ${rows.map(r => r.sources.join('\n'))}::text[])
      AS u(employee_id, sources)
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = u.employee_id`
}

export type FoldedShare = { employee_id: string; impact: number; dated_at: Date }

/**
 * Shares in force stay, as firings that may still cool; those that had ended go. A share has the timestamp of its event:
 * of somebody with very many, those before and after these are not looked at.
 */
export async function foldShares(
  tx: Tx,
  tenant_id: string,
  employee_ids: string[],
  event_ids: string[],
  { from, to }: { from: Date; to: Date },
): Promise<FoldedShare[]> {
  await tx`DELETE FROM shares WHERE tenant_id = ${tenant_id} AND employee_id = ANY(${employee_ids}::text[])
    AND timestamp >= ${from} AND timestamp <= ${to} AND event_id = ANY(${event_ids}::text[])
    AND to_version IS NOT NULL`
  return tx<FoldedShare[]>`
    UPDATE shares SET folded = true
    WHERE tenant_id = ${tenant_id} AND employee_id = ANY(${employee_ids}::text[])
      AND timestamp >= ${from} AND timestamp <= ${to} AND event_id = ANY(${event_ids}::text[])
      AND to_version IS NULL AND NOT folded
    RETURNING employee_id, impact, dated_at`
}

export async function updateCarried(
  tx: Tx,
  tenant_id: string,
  rows: readonly { employee_id: string; carried: State }[],
): Promise<void> {
  if (rows.length === 0) return
  await tx`UPDATE employee_states s SET carried_risk = u.risk, carried_recovery = u.recovery,
      carried_as_of = u.as_of
    FROM unnest(${rows.map(r => r.employee_id)}::text[], ${rows.map(r => r.carried.risk)}::float8[],
      ${rows.map(r => r.carried.recovery)}::float8[], ${rows.map(r => new Date(r.carried.as_of))}::timestamptz[])
      AS u(employee_id, risk, recovery, as_of)
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = u.employee_id`
}

/**
 * Counts of days of which nothing is left; `day` is one that nobody can send an event of any more. But a streak that is
 * made up for may be as old: whoever is counting one is waited for, so that the second statement sees the event.
 * Invariant: all entries are added up, so that what was counted and what was taken away again go together.
 */
export async function deleteOldCounts(tx: Tx, tenant_id: string, day: string, start: Date) {
  await tx`SELECT count(*) FROM (SELECT 1 FROM event_counts WHERE tenant_id = ${tenant_id} AND day < ${day}
    ORDER BY day, type, source, department, sign, slot FOR UPDATE) held`
  await tx`DELETE FROM event_counts WHERE tenant_id = ${tenant_id} AND day < ${day} AND NOT EXISTS (
    SELECT 1 FROM events e WHERE e.tenant_id = ${tenant_id} AND e.timestamp < ${start})`
}

/** Firings that cool nothing any more: older than the longest cooldown before what is kept. */
export async function deleteOldFirings(tx: Tx, tenant_id: string, before: Date, limit: number) {
  const rows = await tx`
    DELETE FROM shares WHERE tenant_id = ${tenant_id} AND ctid = ANY(ARRAY(
      SELECT ctid FROM shares WHERE tenant_id = ${tenant_id} AND to_version IS NULL AND folded
        AND timestamp < ${before} LIMIT ${limit}))
    RETURNING 1`
  return rows.length
}
