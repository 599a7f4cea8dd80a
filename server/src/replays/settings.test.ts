// The dashboard's view of a tenant's settings, what each rule has done lately, and who may change what.
import { describe, expect, it } from 'vitest'
import { signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'

const service = await startService()
const tenant = await service.tenant({ name: 'Larkspur' })
const { call, tenant_id } = tenant

describe('200', () => {
  it('everyone may see how scores are computed, and what the plan allows', async () => {
    const viewer = await signIn(service, tenant_id, 'viewer')
    const { status, body } = await viewer.call('GET', '/admin/settings')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      starting_score: 75,
      half_life_days: 90,
      recovery_cap: 25,
      clean_streak_days: 30,
      green: 80,
      yellow: 60,
      orange: 40,
      red: 20,
      name: 'Larkspur',
      plan: 'enterprise',
      retention_months: 12,
      jobs: [],
    })
    expect(body.limits).toMatchObject({ recalculations: 1000, recalculation_window_hours: 1 })
  })

  it('an admin changes them, and a job carries the change to everyone', async () => {
    const admin = await signIn(service, tenant_id, 'admin')
    const { status, body } = await admin.call('PATCH', '/admin/settings', { green: 85, red: 15 })
    expect(status).toBe(200)
    expect(body).toMatchObject({ green: 85, yellow: 60, red: 15 })
    expect(body.jobs).toMatchObject([{ kind: 'settings', status: 'queued' }])
    const trail = await call('GET', '/v1/audit?action=tenant.settings_changed')
    expect(trail.body.data[0]).toMatchObject({
      before: { green: 80, red: 20 },
      after: { green: 85, red: 15 },
    })
  })
})

describe('400', () => {
  it('edges out of order, a cap that would hide a share, and fields of no meaning', async () => {
    const admin = await signIn(service, tenant_id, 'admin')
    for (const change of [
      { green: 50 },
      { recovery_cap: 90 },
      { half_life_days: 0 },
      {},
      { a: 1 },
    ]) {
      const answer = await admin.call('PATCH', '/admin/settings', change)
      expect(answer.status, JSON.stringify(change)).toBe(400)
    }
  })
})

describe('401 and 403', () => {
  it('a key reaches none of it, and an analyst changes nothing', async () => {
    expect((await call('GET', '/admin/settings')).status).toBe(401)
    expect((await call('GET', '/admin/rules/activity')).status).toBe(401)
    const analyst = await signIn(service, tenant_id, 'analyst')
    expect((await analyst.call('PATCH', '/admin/settings', { green: 90 })).status).toBe(403)
  })
})
