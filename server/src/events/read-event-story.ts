// What became of one event, for the dashboard: what it gave, what it did to the score, and why rules kept still.
import type { Tx } from '../platform/database.ts'
import { notFound } from '../platform/errors.ts'
import {
  type Firing,
  findStoryEvent,
  listFirings,
  listGivenShares,
  listScoreSteps,
} from './event-story.queries.ts'

export async function readEventStory(tx: Tx, tenant_id: string, event_id: string) {
  const event = await findStoryEvent(tx, tenant_id, event_id)
  if (!event) throw notFound('event')
  const { employee_id, received_at, inert, retraction } = event
  const cooling = event.cooling ?? []
  const rule_ids = cooling.map(one => one.rule_id)
  const [shares, steps, firings] = await Promise.all([
    listGivenShares(tx, tenant_id, employee_id, event_id),
    listScoreSteps(tx, tenant_id, employee_id, event_id),
    rule_ids.length === 0 ? [] : listFirings(tx, tenant_id, employee_id, rule_ids, event_id),
  ])
  const at = event.timestamp.getTime()
  const cooled_by = rule_ids.map(rule_id => nearestFiring(firings, rule_id, at))
  return {
    ...{ received_at, inert, retraction, shares, steps },
    cooled_by: cooled_by.filter(firing => firing !== undefined),
  }
}

/** The firing that a cooldown counts from lies next to the event, before it or after. */
function nearestFiring(firings: readonly Firing[], rule_id: string, at: number) {
  const distance = (firing: Firing) => Math.abs(firing.timestamp.getTime() - at)
  const [first, ...rest] = firings.filter(firing => firing.rule_id === rule_id)
  if (!first) return undefined
  const nearest = rest.reduce((a, b) => (distance(b) < distance(a) ? b : a), first)
  const { event_id, timestamp } = nearest
  return { rule_id, event_id, timestamp }
}
