// SQL of shares that come to an end: they keep the period in which they counted.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { MANUAL_RULE, type Share } from './scored-event.ts'

/** A share and the step from which on it counts for nothing. */
export type EndedShare = Share & { to_version: number; ended_at: Instant }

type Row = Omit<Share, 'timestamp' | 'dated_at'> & { timestamp: Date; dated_at: Date }

/**
 * Shares in force of these events, each looked up by its event: in a list of very many, which no plan for any list puts
 * into a hash, every share of somebody would be searched for.
 */
export async function readSharesOf(
  tx: Tx,
  tenant_id: string,
  event_ids: string[],
): Promise<Share[]> {
  const rows = await tx<Row[]>`
    SELECT s.employee_id, s.rule_id, s.timestamp, s.event_id, s.impact, s.dated_at
    FROM unnest(${event_ids}::text[]) AS u(event_id)
    CROSS JOIN LATERAL (SELECT e.employee_id, e.timestamp, e.event_id,
        array_append(e.rules_matched, ${MANUAL_RULE}) AS rule_ids
      FROM events e WHERE e.tenant_id = ${tenant_id} AND e.event_id = u.event_id OFFSET 0) e
    CROSS JOIN LATERAL (SELECT x.* FROM shares x WHERE x.tenant_id = ${tenant_id}
      AND x.employee_id = e.employee_id AND x.rule_id = ANY(e.rule_ids) AND x.timestamp = e.timestamp
      AND x.event_id = e.event_id AND x.to_version IS NULL AND NOT x.folded OFFSET 0) s`
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
      timestamptz 'epoch' + unnest(${column(s => s.timestamp)}::bigint[]) * interval '1 ms' AS timestamp,
      unnest(${column(s => s.event_id)}::text[]) AS event_id,
      unnest(${column(s => s.to_version)}::bigint[]) AS to_version,
      timestamptz 'epoch' + unnest(${column(s => s.ended_at)}::bigint[]) * interval '1 ms' AS ended_at) AS u
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = u.employee_id AND s.rule_id = u.rule_id
      AND s.timestamp = u.timestamp AND s.event_id = u.event_id AND s.to_version IS NULL`
}
