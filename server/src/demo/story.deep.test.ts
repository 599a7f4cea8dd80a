// Proves that the demo's story is the same everywhere, lies in the past, and is one the service takes as it is.
import { expect, it } from 'vitest'
import { caller, START, startService } from '../../test/service.ts'
import { applyDueChangesJob } from '../events/apply-due-changes.job.ts'
import { DAY } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { hirePeople } from './company.ts'
import { createRandom } from './random.ts'
import { seedDemo } from './seed-demo.ts'
import { startOfStory, tellStory } from './story.ts'

function tell(seed: number, now: number) {
  const random = createRandom(seed)
  const people = hirePeople(random)
  return { people, story: tellStory(people, random, now) }
}

it('250 people in 8 departments, each with an address of their own', () => {
  const { people } = tell(1, START)
  expect(people).toHaveLength(250)
  expect(new Set(people.map(person => person.email)).size).toBe(250)
  expect(new Set(people.map(person => person.department)).size).toBe(8)
})

it('one seed tells one story, another seed another', () => {
  expect(tell(1, START)).toEqual(tell(1, START))
  expect(tell(1, START)).not.toEqual(tell(2, START))
})

it('180 days in order, nothing before the people came and nothing ahead of now', () => {
  const { story } = tell(1, START)
  const events = story.flatMap(day => day.events)
  expect(story).toHaveLength(181)
  expect(story.at(-1)!.at).toBe(START)
  expect(story.every(day => day.events.every(event => event.timestamp <= day.at))).toBe(true)
  expect(events).toEqual(events.toSorted((a, b) => a.timestamp - b.timestamp))
  expect(events[0]!.timestamp).toBeGreaterThan(startOfStory(START))
  expect(START - startOfStory(START)).toBeGreaterThan(180 * DAY)
})

it('the service scores it: every band is there, one department is worst, nothing is left due; actions were answered, one waits', async () => {
  const { context, clock, app } = await startService()
  let kept = ''
  const { tenant_id, key } = await seedDemo(context, demo => {
    kept = demo.key
  })
  expect(kept).toBe(key)
  const { sql } = context.db
  const bands = await sql`SELECT band, count(*) AS people FROM employee_states
    WHERE tenant_id = ${tenant_id} GROUP BY band`
  expect(bands.map(row => row.band).sort()).toEqual([
    'critical',
    'green',
    'orange',
    'red',
    'yellow',
  ])
  expect(bands.find(row => row.band === 'green')!.people).toBeGreaterThan(100)
  const [worst] = await sql`SELECT department FROM employee_states WHERE tenant_id = ${tenant_id}
    GROUP BY department ORDER BY avg(score) LIMIT 1`
  expect(worst!.department).toBe('Sales')
  const history = () => sql`SELECT count(*) AS n, max(at) AS latest FROM score_history`
  const [before] = await history()
  expect(before!.latest.getTime()).toBeLessThanOrEqual(clock.now())
  await runDueJobs(context, [applyDueChangesJob()])
  expect(await history()).toEqual([before])
  const list = async (status: string) =>
    (await caller(app, key)('GET', `/v1/actions?status=${status}`)).body.data
  expect(await list('awaiting_approval')).toMatchObject([{ type: 'restrict_access' }])
  expect((await list('completed')).length).toBeGreaterThan(10)
  const acts = await sql`SELECT finished_at, occurred_at FROM actions WHERE finished_at IS NOT NULL`
  expect(acts.every(one => one.occurred_at < one.finished_at)).toBe(true)
  expect(acts.every(one => one.finished_at.getTime() < clock.now())).toBe(true)
})

it('told to its end where an ordinary transaction of such length is ended', async () => {
  const patience = { version: 18, transaction_ms: 300 }
  const { context } = await startService({}, { patience })
  const { tenant_id } = await seedDemo(context, () => {})
  const [told] = await context.db.sql`SELECT count(*) AS people FROM employee_states
    WHERE tenant_id = ${tenant_id}`
  expect(told!.people).toBe(250)
})
