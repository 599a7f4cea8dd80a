// The audit log says of every change what was before and what is after, whoever made it.
import { expect, test } from 'vitest'
import { ORIGIN, PASSWORD, signIn } from '../test/people.ts'
import { startService } from '../test/service.ts'
import { inviteUser } from './accounts/invite-user.ts'
import { setUserEnabled } from './accounts/rescue-user.ts'
import { findUser } from './accounts/users.queries.ts'
import { hire } from './actions/actions.fixture.ts'
import { operatorOrigin } from './platform/actor.ts'
import { RESERVED_TENANT } from './platform/database.ts'

const service = await startService()
const { context } = service
const tenant = await service.tenant()
const owner = await signIn(service, tenant.tenant_id)

/** The newest entry about one subject. */
async function entryOf(subject_id: string) {
  const answer = await tenant.call('GET', `/v1/audit?subject_id=${subject_id}&per_page=1`)
  const { action, before, after } = answer.body.data[0]
  return { action, before, after }
}

async function ask(type: string): Promise<string> {
  const { id } = await hire(tenant)
  const answer = await tenant.call('POST', '/v1/actions', { employee_id: id, type })
  expect(answer.status).toBe(201)
  return answer.body.id
}

test('actions: the state left and the state reached, with what was said', async () => {
  const waiting = { status: 'awaiting_approval' }
  const approved = await ask('restrict_access')
  await owner.call('POST', `/v1/actions/${approved}/approve`, { note: 'go on' })
  expect(await entryOf(approved)).toEqual({
    action: 'action.approved',
    before: waiting,
    after: { status: 'triggered', note: 'go on' },
  })
  const rejected = await ask('restrict_access')
  await owner.call('POST', `/v1/actions/${rejected}/reject`, { note: 'no' })
  expect(await entryOf(rejected)).toEqual({
    action: 'action.rejected',
    before: waiting,
    after: { status: 'rejected', note: 'no' },
  })
  const failed = await ask('open_ticket')
  await tenant.call('POST', `/v1/actions/${failed}/fail`, { outcome: 'no desk' })
  expect(await entryOf(failed)).toEqual({
    action: 'action.failed',
    before: { status: 'triggered' },
    after: { status: 'failed', outcome: 'no desk' },
  })
})

test('scores: the score before and after an adjustment and its retraction', async () => {
  const { id } = await hire(tenant)
  const body = { impact: -10, reason: 'seen by the auditor' }
  const given = await owner.call('POST', `/admin/employees/${id}/adjustments`, body)
  expect(await entryOf(id)).toEqual({
    action: 'score.adjusted',
    before: { score: 75 },
    after: { event_id: given.body.id, ...body, score: 65 },
  })
  await owner.call('POST', `/v1/events/${given.body.id}/retract`, { reason: 'mistaken' })
  expect(await entryOf(given.body.id)).toEqual({
    action: 'event.retracted',
    before: { impact: -10, score: 65 },
    after: { impact: 0, score: 75, reason: 'mistaken' },
  })
})

test('keys, apps, policies: what was taken away or replaced is named', async () => {
  await owner.call('POST', '/session/proof', { password: PASSWORD })
  const key = { name: 'Old', scopes: ['events:read'] }
  const { id } = (await owner.call('POST', '/admin/keys', key)).body
  await owner.call('DELETE', `/admin/keys/${id}`)
  const revoked_at = new Date(service.clock.now()).toISOString()
  expect(await entryOf(id)).toEqual({
    action: 'key.revoked',
    before: { ...key, expires_at: null },
    after: { revoked_at },
  })
  const app = { name: 'App', redirect_uris: ['https://app.example/cb'], scopes: ['events:read'] }
  const { client_id } = (await owner.call('POST', '/admin/apps', app)).body
  await owner.call('DELETE', `/admin/apps/${client_id}`)
  expect(await entryOf(client_id)).toEqual({
    action: 'oauth_app.deleted',
    before: app,
    after: { grants_ended: 0 },
  })
  await owner.call('PUT', '/admin/policy', { require_second_factor: true })
  expect(await entryOf(tenant.tenant_id)).toEqual({
    action: 'policy.changed',
    before: { require_second_factor: false },
    after: { require_second_factor: true },
  })
})

test('apps, people, the second factor: what is changed to what it is already is no change', async () => {
  const own = await service.tenant()
  const desk = await signIn(service, own.tenant_id)
  const { user_id } = await signIn(service, own.tenant_id, 'viewer')
  const app = { name: 'App', redirect_uris: ['https://app.example/cb'], scopes: ['events:read'] }
  const { client_id } = (await desk.call('POST', '/admin/apps', app)).body
  const entries = async () => (await own.call('GET', '/v1/audit?per_page=1')).body.pagination.total
  const before = await entries()
  const answers = [
    await desk.call('PATCH', `/admin/apps/${client_id}`, app),
    await desk.call('PATCH', `/admin/users/${user_id}`, { role: 'viewer', status: 'active' }),
    await desk.call('PUT', '/admin/policy', { require_second_factor: false }),
  ]
  expect(answers.map(answer => answer.status < 300)).toEqual([true, true, true])
  expect(await entries()).toBe(before)
})

test('people: whom the operator shuts out and lets in', async () => {
  const { user_id } = await signIn(service, tenant.tenant_id, 'viewer')
  const user = (await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, user_id)))!
  await setUserEnabled(context, operatorOrigin(), user, false)
  const [active, disabled] = [{ status: 'active' }, { status: 'disabled' }]
  expect(await entryOf(user_id)).toEqual({
    action: 'user.disabled',
    before: active,
    after: disabled,
  })
  await setUserEnabled(context, operatorOrigin(), user, true)
  expect(await entryOf(user_id)).toEqual({
    action: 'user.enabled',
    before: disabled,
    after: active,
  })
})

test('people: an invitation given again with another role', async () => {
  const email = 'again@example.test'
  const invite = (role: 'viewer' | 'admin') =>
    inviteUser(context, tenant.tenant_id, operatorOrigin(), ORIGIN, { email, role })
  const { id } = await invite('viewer')
  const first = { email, role: 'viewer' }
  expect(await entryOf(id)).toEqual({ action: 'user.invited', before: null, after: first })
  await invite('admin')
  const second = { email, role: 'admin' }
  expect(await entryOf(id)).toEqual({ action: 'user.invited', before: first, after: second })
})

test('jobs: what was called off', async () => {
  const { job_id } = (await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })).body
  expect((await tenant.call('DELETE', `/v1/rules/recalculate/${job_id}`)).status).toBe(204)
  expect(await entryOf(job_id)).toEqual({
    action: 'recalculation.cancelled',
    before: { status: 'queued' },
    after: { status: 'cancelled' },
  })
})

test('people: each entry about one employee names them, and repeats nobody else’s address', async () => {
  const own = await service.tenant()
  const desk = await signIn(service, own.tenant_id)
  const manager_email = 'the.manager@example.com'
  const { id, email } = await hire(own, { manager_email })
  await own.call('PATCH', `/v1/employees/${id}`, { title: 'Clerk' })
  const score = { impact: -10, reason: 'seen by the auditor' }
  const { body } = await desk.call('POST', `/admin/employees/${id}/adjustments`, score)
  await desk.call('POST', `/v1/events/${body.id}/retract`, { reason: 'a test' })
  const action = { employee_id: id, type: 'open_ticket' }
  const opened = await own.call('POST', '/v1/actions', action)
  await own.call('POST', `/v1/actions/${opened.body.id}/complete`, {})
  const filter = { employee_id: id, type: 'custom.none' }
  await own.call('POST', '/v1/events/retract', { filter, reason: 'a test' })
  await own.call('GET', `/v1/employees/${id}/export`)
  const values = await context.db.inTenant(
    own.tenant_id,
    tx => tx`SELECT e.action, v.content FROM audit_entries e
      JOIN audit_values v ON v.tenant_id = e.tenant_id AND v.seq = e.seq
      WHERE e.tenant_id = ${own.tenant_id} AND e.employee_id = ${id} ORDER BY e.seq`,
  )
  expect(values.map(one => one.action)).toEqual([
    ...['employee.created', 'employee.updated', 'score.adjusted', 'event.retracted'],
    ...['action.requested', 'action.completed', 'retraction.requested', 'employee.exported'],
  ])
  expect(values[0]!.content).toContain(email)
  expect(JSON.stringify(values)).not.toContain(manager_email)
  await own.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
  const left = await context.db.inTenant(
    own.tenant_id,
    tx => tx`SELECT e.action FROM audit_entries e
      JOIN audit_values v ON v.tenant_id = e.tenant_id AND v.seq = e.seq
      WHERE e.tenant_id = ${own.tenant_id} AND e.employee_id = ${id}`,
  )
  expect(left).toMatchObject([{ action: 'employee.erased' }])
})
