// Views, explanations and forecasts hold while settings change and scores are recalculated.
import { expect, it } from 'vitest'
import { START, startService, type Tenant } from '../test/service.ts'
import { asOperator } from './accounts/identity.ts'
import { DAY } from './platform/clock.ts'
import { runDueJobs } from './platform/jobs.ts'
import { changeScoringSettings } from './replays/change-scoring-settings.ts'
import { replayJobsJob } from './replays/run-replay-jobs.job.ts'
import { expectExplanations } from './scores/explanation.fixture.ts'
import { lastVersions, recordedChanges } from './scores/forecast.fixture.ts'
import { ALL_JOBS, get, liveOn, openCompany, randomOf } from './scores/scores.fixture.ts'
import { expectViews } from './scores/views.fixture.ts'

const service = await startService()

const JOBS = [...ALL_JOBS, replayJobsJob()]
const CHANGES = [
  { half_life_days: 30 },
  { starting_score: 60 },
  { recovery_cap: 10 },
  { green: 85, yellow: 70 },
  { clean_streak_days: 10 },
]

async function changeSettings({ tenant_id }: Tenant, change: (typeof CHANGES)[number]) {
  await asOperator(service.context, tenant_id, changeScoringSettings, change)
}

it.each([31, 32])('life %i', async seed => {
  service.clock.set(START)
  const company = await openCompany(service)
  const { tenant, people } = company
  const random = randomOf(seed)
  for (let i = 0; i < 120; i++) {
    await liveOn(service, company, random, JOBS)
    if (i % 20 === 10) await changeSettings(tenant, random.pick(CHANGES))
    if (i % 25 === 15) await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
    if (i % 20 === 19) await expectViews(service, tenant)
  }
  await runDueJobs(service.context, JOBS)
  await expectExplanations(service, company, random, 100)
  const versions = await lastVersions(service, tenant)
  const forecasts = new Map<string, { changes: object[] }>()
  for (const { id } of people) {
    forecasts.set(id, await get(tenant, `/v1/employees/${id}/forecast?days=60`))
  }
  service.clock.advance(60 * DAY)
  await runDueJobs(service.context, JOBS)
  for (const [id, { changes }] of forecasts) {
    expect(changes).toEqual(await recordedChanges(service, tenant, id, versions.get(id)!))
  }
  await expectViews(service, tenant)
})
