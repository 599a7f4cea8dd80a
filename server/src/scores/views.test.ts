// Every view is what a plain reading of the list and the record gives, whatever has happened before.
import { describe, expect, it } from 'vitest'
import { START, startService } from '../../test/service.ts'
import { DAY } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { closeDaysJob } from './close-days.job.ts'
import { ALL_JOBS, DUE_JOBS, liveOn, openCompany, randomOf } from './scores.fixture.ts'
import { expectViews } from './views.fixture.ts'

const service = await startService()

const LIVES: [string, readonly Job[], number][] = [
  ['all jobs run', ALL_JOBS, 1],
  ['all jobs run', ALL_JOBS, 2],
  ['all jobs run', ALL_JOBS, 3],
  ['no day is closed', DUE_JOBS, 4],
  ['no worker runs', [], 5],
  ['days are closed and the past is not aged', [...DUE_JOBS, closeDaysJob()], 6],
]

describe('views = fold of the employee list and of the record', () => {
  it.each(LIVES)('while %s', async (_name, jobs, seed) => {
    service.clock.set(START)
    const company = await openCompany(service)
    const random = randomOf(seed)
    for (let i = 0; i < 150; i++) {
      await liveOn(service, company, random, jobs)
      if (i % 15 === 14) await expectViews(service, company.tenant)
    }
    expect(service.clock.now() - START).toBeGreaterThan(45 * DAY)
  })
})
