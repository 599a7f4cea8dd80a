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
  const replayed_at = await findReplay(tx, tenant_id, event)
  const firings = await listFirings(tx, tenant_id, event, rule_ids, replayed_at)
  const causes = rule_ids.map(rule_id => nearestFiring(firings, rule_id, event.timestamp.getTime()))
  return causes.filter(firing => firing !== undefined)
}

/** The firing that a cooldown counts from lies next to the event, before it or after. */
function nearestFiring(firings: readonly Firing[], rule_id: string, at: number) {
  const distance = ({ timestamp }: Firing) => Math.abs(timestamp.getTime() - at)
  const own = firings.filter(firing => firing.rule_id === rule_id)
  return own.toSorted((a, b) => distance(a) - distance(b))[0]
}
