// The dashboard finds jobs again after one has left the page.
import { expect, it } from 'vitest'
import { signIn } from '../../test/people.ts'
import { hire, ingest, runJobs } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'

const service = await startService()
const acme = await service.tenant({ name: 'Acme' })
const other = await service.tenant({ name: 'Other' })
const viewer = await signIn(service, acme.tenant_id, 'viewer')
const stranger = await signIn(service, other.tenant_id)

it('200: the latest first, by kind, with counts and without lists; none of another tenant', async () => {
  await hire(service, acme, ['ada@acme.test'])
  await ingest(service, acme, [{ email: 'ada@acme.test', type: 'sim.link_clicked' }])
  const preview = await acme.call('POST', '/v1/rules/recalculate?dry_run=true', { scope: 'all' })
  await acme.call('POST', '/v1/events/retract?dry_run=true', {
    reason: 'a mail scanner',
    filter: { type: 'sim.link_clicked' },
  })
  await runJobs(service)
  service.clock.advance(1000)
  const asked = await acme.call('POST', '/v1/rules/recalculate', { scope: 'all' })
  const { body } = await viewer.call('GET', '/admin/jobs?kind=recalculation')
  expect(body.data).toMatchObject([
    { job_id: asked.body.job_id, kind: 'recalculation', status: 'queued', dry_run: false },
    { job_id: preview.body.job_id, kind: 'preview', status: 'completed', employees_processed: 1 },
  ])
  expect(body.data[1]).not.toHaveProperty('result')
  const retractions = (await viewer.call('GET', '/admin/jobs?kind=retraction')).body.data
  expect(retractions).toMatchObject([{ dry_run: true, events_matched: 1, employees_affected: 1 }])
  expect(retractions[0]).not.toHaveProperty('result')
  expect((await stranger.call('GET', '/admin/jobs?kind=recalculation')).body.data).toEqual([])
})

it('400: no such kind', async () => {
  expect((await viewer.call('GET', '/admin/jobs?kind=all')).status).toBe(400)
})
