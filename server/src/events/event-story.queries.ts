// SQL of what became of one event: the shares it gave, the steps of the score it took, and what kept rules cool.
import type { Tx } from '../platform/database.ts'
import type { Fragment } from '../platform/sql.ts'

export type StoryEvent = {
  event_id: string
  employee_id: string
  timestamp: Date
  received_at: Date
  inert: boolean
  retracted_at: Date | null
  retraction: string | null
  cooling: { rule_id: string; until: number }[] | null
}

export async function findStoryEvent(tx: Tx, tenant_id: string, event_id: string) {
  const [row] = await tx<StoryEvent[]>`
    SELECT event_id, employee_id, timestamp, received_at, inert, retracted_at, retraction, cooling
    FROM events WHERE tenant_id = ${tenant_id} AND event_id = ${event_id}`
  return row
}

export type GivenShare = {
  rule_id: string
  rule_name: string | null
  impact: number
  ended_at: Date | null
  ended_by: 'retraction' | 'recalculation' | null
}

const MOST_SHARES = 1000

/**
 * Every share the event ever gave, also those that count no more; of too many those in force and the latest. A deleted
 * rule has no name.
 */
export async function listGivenShares(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  event_id: string,
): Promise<GivenShare[]> {
  return tx<GivenShare[]>`
    SELECT g.rule_id, r.name AS rule_name, g.impact, g.ended_at, g.ended_by
    FROM (SELECT s.tenant_id, s.rule_id, s.impact, s.ended_at, s.ended_by, s.from_version FROM shares s
      WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ${employee_id} AND s.event_id = ${event_id}
      ORDER BY s.ended_at IS NOT NULL, s.from_version DESC, s.rule_id LIMIT ${MOST_SHARES}) g
    LEFT JOIN rules r ON r.tenant_id = g.tenant_id AND r.tenant_id = ${tenant_id} AND r.rule_id = g.rule_id
    ORDER BY g.from_version, g.rule_id`
}

export type ScoreStep = {
  at: Date
  reason: string
  score_before: number
  band_before: string
  score_after: number
  band_after: string
}

/** The steps of the person's score that name this event: its scoring, and its retraction. */
export async function listScoreSteps(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  event_id: string,
): Promise<ScoreStep[]> {
  return tx<ScoreStep[]>`
    SELECT h.at, h.reason, b.score AS score_before, b.band AS band_before, h.score AS score_after,
      h.band AS band_after
    FROM score_history h JOIN score_history b ON b.tenant_id = h.tenant_id AND b.tenant_id = ${tenant_id}
      AND b.employee_id = h.employee_id AND b.version = h.version - 1
    WHERE h.tenant_id = ${tenant_id} AND h.employee_id = ${employee_id} AND h.event_id = ${event_id}
    ORDER BY h.version`
}

export type Firing = { rule_id: string; event_id: string; timestamp: Date }

/**
 * By rule the firings for the person that lie next to the event, one before it and one after, of those with which in mind
 * it was judged: there may be any number. It is judged when it comes, with what came before it (ids ascend), and anew by
 * a recalculation, which goes by the time of events. What had ended by then was not looked at, nor what came only after
 * the recalculation.
 */
export async function listFirings(
  tx: Tx,
  tenant_id: string,
  { event_id, employee_id, timestamp, received_at }: StoryEvent,
  rule_ids: readonly string[],
  replayed_at: Date | null,
): Promise<Firing[]> {
  const next = (side: Fragment, order: Fragment) => tx<Firing[]>`
    SELECT u.rule_id, n.event_id, n.timestamp FROM unnest(${rule_ids as string[]}::text[]) AS u(rule_id)
    CROSS JOIN LATERAL (
      SELECT s.event_id, s.timestamp
      FROM shares s JOIN score_history h ON h.tenant_id = s.tenant_id AND h.tenant_id = ${tenant_id}
        AND h.employee_id = s.employee_id AND h.version = s.from_version
      WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ${employee_id} AND s.rule_id = u.rule_id AND ${side}
        AND (s.ended_at IS NULL OR s.ended_at > ${replayed_at ?? received_at})
        ${replayed_at === null ? tx`` : tx`AND h.at <= ${replayed_at}`}
      ORDER BY s.timestamp ${order}, s.event_id ${order} LIMIT 1) n`
  if (replayed_at !== null) {
    return next(tx`(s.timestamp, s.event_id) < (${timestamp}, ${event_id})`, tx`DESC`)
  }
  const [before, after] = await Promise.all([
    next(tx`s.timestamp <= ${timestamp} AND s.event_id < ${event_id}`, tx`DESC`),
    next(tx`s.timestamp > ${timestamp} AND s.event_id < ${event_id}`, tx``),
  ])
  return [...before, ...after]
}

/** When the event was last judged anew, which ends with its retraction; null where it never was. */
export async function findReplay(tx: Tx, tenant_id: string, event: StoryEvent) {
  const { employee_id, received_at, retracted_at } = event
  const [row] = await tx<{ at: Date | null }[]>`
    SELECT max(at) AS at FROM score_history
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND reason = 'recalculation'
      AND at >= ${received_at} AND (${retracted_at}::timestamptz IS NULL OR at < ${retracted_at})`
  return row?.at ?? null
}
