// SQL of shares that come to an end: they keep the period in which they counted.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { Share } from './scored-event.ts'

/** A share and the step from which on it counts for nothing. */
export type EndedShare = Share & { to_version: number; ended_at: Instant }

type Row = Omit<Share, 'timestamp' | 'dated_at'> & { timestamp: Date; dated_at: Date }

/** Shares in force of these events; their time leads to them among all shares of somebody who has very many. */
export async function readSharesOf(
  tx: Tx,
  tenant_id: string,
  events: readonly { event_id: string; employee_id: string; timestamp: Instant }[],
): Promise<Share[]> {
  const employee_ids = [...new Set(events.map(event => event.employee_id))]
  const event_ids = events.map(event => event.event_id)
  let [first, last] = [Infinity, -Infinity]
  for (const { timestamp } of events) {
    first = Math.min(first, timestamp)
    last = Math.max(last, timestamp)
  }
  const rows = await tx<Row[]>`
    SELECT s.employee_id, s.rule_id, s.timestamp, s.event_id, s.impact, s.dated_at
    FROM shares s WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ANY(${employee_ids}::text[])
      AND s.timestamp >= ${new Date(first)} AND s.timestamp <= ${new Date(last)}
      AND s.event_id = ANY(${event_ids}::text[]) AND s.to_version IS NULL AND NOT s.folded`
  return rows.map(row => ({
    ...row,
    timestamp: row.timestamp.getTime(),
    dated_at: row.dated_at.getTime(),
  }))
}

/** Invariant: the caller holds the employees' locks; what is ended is never brought back. */
export async function endShares(
  tx: Tx,
  tenant_id: string,
  ended: readonly EndedShare[],
  ended_by: 'retraction' | 'recalculation',
): Promise<void> {
  if (ended.length === 0) return
  const column = <T>(read: (share: EndedShare) => T): T[] => ended.map(read)
  await tx`UPDATE shares s SET to_version = u.to_version, ended_at = u.ended_at, ended_by = ${ended_by}
    FROM (SELECT unnest(${column(s => s.employee_id)}::text[]) AS employee_id,
      unnest(${column(s => s.rule_id)}::text[]) AS rule_id,
      unnest(${column(s => new Date(s.timestamp))}::timestamptz[]) AS timestamp,
      unnest(${column(s => s.event_id)}::text[]) AS event_id,
      unnest(${column(s => s.to_version)}::bigint[]) AS to_version,
      unnest(${column(s => new Date(s.ended_at))}::timestamptz[]) AS ended_at) AS u
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = u.employee_id AND s.rule_id = u.rule_id
      AND s.timestamp = u.timestamp AND s.event_id = u.event_id AND s.to_version IS NULL`
}
