// What became of one event, for the dashboard: what it gave, what it did to the score, and why rules kept still.
import type { Tx } from '../platform/database.ts'
import { notFound } from '../platform/errors.ts'
import {
  type Firing,
  findReplay,
  findStoryEvent,
  listFirings,
  listGivenShares,
  listScoreSteps,
  type StoryEvent,
} from './event-story.queries.ts'

export async function readEventStory(tx: Tx, tenant_id: string, event_id: string) {
  const event = await findStoryEvent(tx, tenant_id, event_id)
  if (!event) throw notFound('event')
  const { employee_id, received_at, inert, retraction } = event
  const [shares, steps, cooled_by] = await Promise.all([
    listGivenShares(tx, tenant_id, employee_id, event_id),
    listScoreSteps(tx, tenant_id, employee_id, event_id),
    listCauses(tx, tenant_id, event),
  ])
  return { received_at, inert, retraction, shares, steps, cooled_by }
}

/** The firings that the rules which kept still were counting from. */
async function listCauses(tx: Tx, tenant_id: string, event: StoryEvent) {
  const rule_ids = (event.cooling ?? []).map(one => one.rule_id)
  if (rule_ids.length === 0) return []
  const { employee_id, event_id } = event
  const [firings, replayed_at] = await Promise.all([
    listFirings(tx, tenant_id, employee_id, rule_ids, event_id),
    findReplay(tx, tenant_id, event),
  ])
  const known = firings.filter(firing => wasKnown(firing, event, replayed_at))
  const causes = rule_ids.map(rule_id => nearestFiring(known, rule_id, event.timestamp.getTime()))
  return causes.filter(firing => firing !== undefined)
}

/**
 * Whether the event was judged with this firing in mind. It is judged when it comes, with what came before it (ids
 * ascend), and anew by a recalculation, which goes by the time of events. What had ended by then was not looked at, nor
 * what came only after the recalculation.
 */
function wasKnown(firing: Firing, event: StoryEvent, replayed_at: Date | null): boolean {
  const judged_at = replayed_at ?? event.received_at
  if (firing.ended_at !== null && firing.ended_at <= judged_at) return false
  if (replayed_at !== null && firing.given_at > replayed_at) return false
  const later = replayed_at === null ? 0 : firing.timestamp.getTime() - event.timestamp.getTime()
  return later === 0 ? firing.event_id < event.event_id : later < 0
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
