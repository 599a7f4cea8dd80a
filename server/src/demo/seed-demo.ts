// Makes the demo company: its people and half a year of events, through the real ingestion under a moved clock.
import { addOwner, type Login } from '../accounts/add-owner.ts'
import { asOperator } from '../accounts/identity.ts'
import { addEmployees } from '../employees/create-employee.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import { advanceStandings } from '../events/apply-due-changes.job.ts'
import type { EventInput } from '../events/event-input.ts'
import { ingestTogether, type Outcome } from '../events/ingest-events.ts'
import { createKey, readScopes } from '../keys/manage-keys.ts'
import { openTenant } from '../open-tenant.ts'
import { actorText, OPERATOR, operatorOrigin } from '../platform/actor.ts'
import { type Instant, MINUTE } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { enterTenant, type Tx } from '../platform/database.ts'
import { createRule } from '../rules/change-rules.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import { answerActions, switchOnPolicies } from './answer-actions.ts'
import { COMPANY, hirePeople } from './company.ts'
import { refreshStatistics } from './demo.queries.ts'
import { CUSTOM_RULES } from './happenings.ts'
import { createRandom } from './random.ts'
import { type StoryDay, type StoryEvent, startOfStory, tellStory } from './story.ts'

export type Demo = {
  readonly tenant_id: string
  readonly name: string
  readonly key: string
  /** How to log in; a company made before there were people, or whose owner changed it, has none. */
  readonly login?: Login
}

/** It takes some seconds; on a slow machine longer than an ordinary transaction may. */
const STORY_MS = 4 * MINUTE
const OWNER = 'owner@demo.example'
const SEED = 20_240_229
/** After the first days, and once more on the way: each costs as much as ten days of the story. */
const REFRESH_DAYS = [2, 30, 90]

/**
 * Invariant: all of it is one transaction. A start that is killed leaves nothing half-made, and no worker sees
 * people of the past before their story has reached the present. `keep` is called as soon as key and login are
 * known, long before the commit.
 */
export async function seedDemo(context: Context, keep: (demo: Demo) => void): Promise<Demo> {
  const now = context.clock.now()
  const random = createRandom(SEED)
  const people = hirePeople(random)
  const start = startOfStory(now)
  const tell = async (tx: Tx) => {
    const at = (instant: Instant) => bindTo(tx, context, instant)
    const origin = operatorOrigin()
    const { tenant_id } = await openTenant(at(start), origin, { name: COMPANY, plan: 'enterprise' })
    const input = { name: 'demo', scopes: readScopes('all'), expires_at: null }
    const { key } = await asOperator(at(start), tenant_id, createKey, input)
    const login = await addOwner(at(start), tenant_id, origin, OWNER)
    const demo = { tenant_id, name: COMPANY, key, login }
    keep(demo)
    const asked = { tenant_id, origin, now: start }
    const story = tellStory(people, random, now)
    const employee_ids = await addEmployees(tx, asked, people)
    for (const rule of CUSTOM_RULES) {
      await createRule(tx, asked, { ...rule, category: 'custom' })
    }
    await switchOnPolicies(tx, asked)
    for (const [i, day] of story.entries()) {
      if (REFRESH_DAYS.includes(i)) await refreshStatistics(tx)
      await relive(at(day.at), tenant_id, day)
    }
    await catchUp(tx, tenant_id, employee_ids, now)
    await answerActions(tx, asked, now)
    await refreshStatistics(tx)
    return demo
  }
  return context.db.inTenant(COMPANY, tell, STORY_MS)
}

/** The same service at another instant, inside the one transaction. */
function bindTo(tx: Tx, context: Context, instant: Instant): Context {
  const inTenant: Context['db']['inTenant'] = (tenant_id, work) => {
    enterTenant(tx, tenant_id)
    return work(tx)
  }
  return { ...context, clock: { now: () => instant }, db: { ...context.db, inTenant } }
}

async function relive(context: Context, tenant_id: string, day: StoryDay): Promise<void> {
  if (day.events.length === 0) return
  const answer = (outcomes: readonly Outcome[]) => {
    const lost = outcomes.find(outcome => outcome.kind !== 'scored')
    if (lost) throw new Error(`the demo's own event was refused: ${JSON.stringify(lost)}`)
    return { status: 207, body: null }
  }
  const inputs = day.events.map(asInput)
  await ingestTogether(context, tenant_id, [
    { inputs, actor: actorText(OPERATOR), repeatable: null, answer },
  ])
}

function asInput(event: StoryEvent): EventInput {
  return { ...event, external_id: null, keep_unmatched: false }
}

/** What fell due without an event is dated at its own instant, so once at the end suffices. */
async function catchUp(tx: Tx, tenant_id: string, employee_ids: string[], now: Instant) {
  const [basis, standings] = await Promise.all([
    readScoringBasis(tx, tenant_id),
    lockStandings(tx, tenant_id, employee_ids),
  ])
  await advanceStandings(tx, tenant_id, [...standings.values()], basis, now)
}
