// A recalculation that fails for good is told to the people of the tenant, as one line however often it happens.
import { expect, test } from 'vitest'
import { signIn } from '../../test/people.ts'
import { hire } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import { MINUTE } from '../platform/clock.ts'
import { raiseRulesVersion } from '../rules/rules.queries.ts'
import { replayJobsJob } from './run-replay-jobs.job.ts'

test('a failed recalculation is one unread line, counted', async () => {
  const service = await startService()
  const tenant = await service.tenant()
  const { tenant_id } = tenant
  await hire(service, tenant, ['ada@example.com'])
  // Rules that no API would take make every piece fail.
  await service.context.db.inTenant(tenant_id, async tx => {
    await tx`UPDATE rules SET conditions = '{"x": {"unheard_of": 1}}' WHERE tenant_id = ${tenant_id}`
    await raiseRulesVersion(tx, tenant_id)
  })
  for (let round = 1; round <= 2; round++) {
    const asked = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
    expect(asked.status).toBe(202)
    for (let attempt = 0; attempt < 5; attempt++) {
      await replayJobsJob().run(service.context)
      service.clock.advance(MINUTE)
    }
    const { body } = await tenant.call('GET', `/v1/rules/recalculate/${asked.body.job_id}`)
    expect(body.status).toBe('failed')
    const desk = await signIn(service, tenant_id)
    const inbox = await desk.call('GET', '/admin/notifications')
    expect(inbox.body.data).toMatchObject([
      { kind: 'job.failed', count: round, data: { kind: 'recalculation' }, read: false },
    ])
  }
})

test('a job that cannot even be counted fails, and keeps no later tenant waiting', async () => {
  const service = await startService()
  const [first, later] = [await service.tenant(), await service.tenant()]
  const filter = { type: 'custom.a', to: '2026-01-01' }
  const asked = await first.call('POST', '/v1/events/retract', { reason: 'x', filter })
  expect(asked.status).toBe(202)
  // An instant that no API would take and PostgreSQL does not know.
  await service.context.db.inTenant(
    first.tenant_id,
    tx => tx`UPDATE jobs SET scope = jsonb_set(scope, '{filter,to}', '"+010000-01-01T00:00:00Z"')
      WHERE tenant_id = ${first.tenant_id}`,
  )
  const { body: job } = await later.call('POST', '/v1/rules/recalculate', { scope: 'all' })
  for (let attempt = 0; attempt < 5; attempt++) {
    await replayJobsJob().run(service.context)
    service.clock.advance(MINUTE)
  }
  const other = await later.call('GET', `/v1/rules/recalculate/${job.job_id}`)
  expect(other.body.status).toBe('completed')
  const own = await first.call('GET', `/v1/events/retract/${asked.body.job_id}`)
  expect(own.body.status).toBe('failed')
})
