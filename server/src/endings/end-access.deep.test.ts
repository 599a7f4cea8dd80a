// What ends with whom: webhooks with the OAuth grant they were made through, whatever ends it; what a person who leaves
// had; and what goes on.
import { describe, expect, test } from 'vitest'
import { interleave, listOrders } from '../../test/interleave.ts'
import { lastAudit } from '../../test/last-audit.ts'
import { addApp, REDIRECT_URI } from '../../test/oauth.ts'
import { addPerson, signIn } from '../../test/people.ts'
import { caller, startService, type Tenant } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { removeMember } from '../accounts/manage-members.ts'
import { setUserEnabled } from '../accounts/rescue-user.ts'
import { findUserByEmail } from '../accounts/users.queries.ts'
import { endGrantById } from '../oauth/end-grant.ts'
import { endSpentGrantsJob } from '../oauth/end-spent-grants.job.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { DAY, MINUTE, SECOND } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { runDueDeliveries } from '../webhooks/deliver-webhooks.job.ts'
import { createWebhook } from '../webhooks/manage-webhooks.ts'
import {
  LOOPBACK,
  message,
  type Receiver,
  startReceiver,
  tell,
} from '../webhooks/receiver.fixture.ts'

const service = await startService(LOOPBACK)
const { context, clock, app: server } = service
const events = ['score.updated']

type Person = Awaited<ReturnType<typeof signIn>>

/** A tenant with an owner, and another owner who lets an app in that makes a webhook. */
async function letIn(receiver?: Receiver) {
  const acme = await service.tenant()
  const owner = await signIn(service, acme.tenant_id)
  const maker = await signIn(service, acme.tenant_id, 'admin')
  const app = await addApp(service, acme.tenant_id, ['webhooks:write', 'webhooks:read'])
  const connected = await app.connect(maker)
  const { access_token } = connected.tokens
  const made = await make(caller(server, access_token), receiver)
  return { acme, owner, maker, app, ...connected, webhook: made.body }
}
type Story = Awaited<ReturnType<typeof letIn>>

const make = (call: Tenant['call'], receiver?: Receiver) =>
  call('POST', '/v1/webhooks', { url: receiver?.url ?? 'https://hooks.example.com/x', events })

const read = async ({ acme, webhook }: Pick<Story, 'acme' | 'webhook'>) =>
  (await acme.call('GET', `/v1/webhooks/${webhook.id}`)).body

const notices = async (person: Person) =>
  (await person.call('GET', '/admin/notifications')).body.data as {
    kind: string
    subject_id: string
    count: number
    data: Record<string, unknown>
  }[]

async function grantOf({ maker }: Story): Promise<string> {
  return (await maker.call('GET', '/session/grants')).body.data[0].id
}

async function findUser(email: string) {
  return (await context.db.inTenant(RESERVED_TENANT, tx => findUserByEmail(tx, email)))!
}

/** Everything that ends a grant, with what the log says of it. */
const CAUSES: Readonly<Record<string, (story: Story) => Promise<unknown>>> = {
  'user: the person ends it': async story =>
    story.maker.call('DELETE', `/session/grants/${await grantOf(story)}`),
  'admin: an owner ends it': async story =>
    story.owner.call('DELETE', `/admin/grants/${await grantOf(story)}`),
  'client: the app gives its refresh token back': ({ app, tokens }) =>
    app.post('/oauth/revoke', { token: tokens.refresh_token }),
  'refresh_reused: a refresh token is used by two': async ({ app, tokens }) => {
    await app.refresh(tokens.refresh_token)
    clock.advance(61 * SECOND)
    return app.refresh(tokens.refresh_token)
  },
  'code_reused: its code is used again': ({ app, code, verifier }) =>
    app.post('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    }),
  'app_deleted: the app is removed': ({ app, owner }) =>
    owner.call('DELETE', `/admin/apps/${app.client_id}`),
  'person_left: the person is removed': ({ owner, maker }) =>
    owner.call('DELETE', `/admin/users/${maker.user_id}`),
  'person_left: the person is disabled': ({ owner, maker }) =>
    owner.call('PATCH', `/admin/users/${maker.user_id}`, { status: 'disabled' }),
  'person_left: the operator shuts the person out': async ({ maker }) =>
    setUserEnabled(context, operatorOrigin(), await findUser(maker.email), false),
  'expired: no token is renewed in time': async () => {
    clock.advance(30 * DAY)
    await runDueJobs(context, [endSpentGrantsJob()])
  },
}

describe('a webhook made through an OAuth grant', () => {
  test.each(Object.keys(CAUSES))('ends with it, its owners are told: %s', async cause => {
    const receiver = await startReceiver()
    const story = await letIn(receiver)
    const { acme, owner, webhook } = story
    const { tenant_id } = acme
    const others = await make(acme.call)
    expect(webhook).toMatchObject({ created_by: `app:${story.app.client_id}` })
    expect(webhook.grant_id).toMatch(/^grt_/)
    expect(others.body.grant_id).toBeNull()
    await tell(context, tenant_id, [message('emp_1', clock.now(), 1)])
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(1)
    // Due already as the grant ends.
    await tell(context, tenant_id, [message('emp_1', clock.now(), 2)])
    await CAUSES[cause]!(story)
    expect(await read(story)).toMatchObject({ status: 'disabled', disabled_reason: 'grant_ended' })
    await tell(context, tenant_id, [message('emp_1', clock.now(), 3)])
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(1)
    const log = await acme.call('GET', `/v1/webhooks/${webhook.id}/deliveries?status=skipped`)
    expect(log.body.data).toHaveLength(2)
    const other = await acme.call('GET', `/v1/webhooks/${others.body.id}`)
    expect(other.body.status).toBe('enabled')
    const [why] = cause.split(':')
    const entry = await lastAudit(service, acme)
    expect(entry).toMatchObject({ action: 'webhook.disabled', subject_id: webhook.id })
    expect(entry).toMatchObject({ before: { status: 'enabled' }, after: { why } })
    const reader = why === 'expired' ? await signIn(service, tenant_id) : owner
    expect(await notices(reader)).toMatchObject([
      { kind: 'webhook.disabled', subject_id: webhook.id, data: { reason: 'grant_ended' } },
    ])
  })

  test('is not ended by what ends no grant: an access token given back, a renewal, a lower role', async () => {
    const story = await letIn()
    const { app, owner, maker, tokens } = story
    const { access_token, refresh_token } = tokens
    await app.post('/oauth/revoke', { token: access_token })
    await owner.call('PATCH', `/admin/users/${maker.user_id}`, { role: 'viewer' })
    clock.advance(29 * DAY)
    const reader = await signIn(service, story.acme.tenant_id)
    await reader.call('PATCH', `/admin/users/${maker.user_id}`, { role: 'admin' })
    const renewed = await app.refresh(refresh_token)
    expect(renewed.status).toBe(200)
    clock.advance(29 * DAY)
    await runDueJobs(context, [endSpentGrantsJob()])
    expect(await read(story)).toMatchObject({ status: 'enabled', grant_id: expect.any(String) })
  })

  test('ends a year after the consent, however often its tokens are renewed', async () => {
    const story = await letIn()
    let { refresh_token } = story.tokens
    for (let days = 0; days < 364; days += 28) {
      clock.advance(28 * DAY)
      refresh_token = (await story.app.refresh(refresh_token)).body.refresh_token
    }
    await runDueJobs(context, [endSpentGrantsJob()])
    expect((await read(story)).status).toBe('enabled')
    clock.advance(DAY)
    await runDueJobs(context, [endSpentGrantsJob()])
    expect((await read(story)).disabled_reason).toBe('grant_ended')
  })

  test('that was disabled by hand before is not enabled by hand after the end', async () => {
    const story = await letIn()
    const { acme, webhook, owner } = story
    const url = `/v1/webhooks/${webhook.id}`
    await acme.call('PATCH', url, { status: 'disabled' })
    await CAUSES['admin: an owner ends it']!(story)
    const refused = await acme.call('PATCH', url, { status: 'enabled' })
    expect(refused).toMatchObject({ status: 409 })
    expect(refused.body.error.message).toMatch(/has ended; an owner has to adopt it/)
    expect((await acme.call('POST', `${url}/test`)).status).toBe(409)
    expect((await owner.call('POST', `/admin/webhooks/${webhook.id}/adopt`)).status).toBe(200)
  })

  test('keeps its maker when somebody else changes it, and ends with that grant all the same', async () => {
    const story = await letIn()
    const { acme, owner, webhook } = story
    const url = `/v1/webhooks/${webhook.id}`
    const changed = await acme.call('PATCH', url, { description: 'mine now?' })
    const { created_by, grant_id } = webhook
    expect(changed.body).toMatchObject({ created_by, grant_id })
    await owner.call('POST', `${url}/rotate-secret`)
    await CAUSES['user: the person ends it']!(story)
    expect((await read(story)).disabled_reason).toBe('grant_ended')
  })

  test.each([
    ['PATCH', '', { url: 'https://attacker.example.com/x' }],
    ['PATCH', '', { status: 'disabled' }],
    ['POST', '/rotate-secret', undefined],
    ['POST', '/activate-secret', undefined],
    ['DELETE', '', undefined],
  ] as const)(
    '403 for a token of another grant, or for what none has made: %s %s %o',
    async (method, path, body) => {
      const story = await letIn()
      const { acme, app, owner, webhook } = story
      const keyed = (await make(acme.call)).body
      const adopted = (await make(caller(server, story.tokens.access_token))).body
      await owner.call('POST', `/admin/webhooks/${adopted.id}/adopt`)
      const token = caller(server, story.tokens.access_token)
      const other = caller(server, (await app.connect(owner)).tokens.access_token)
      const before = (await acme.call('GET', '/v1/webhooks')).body
      const ask = (call: Tenant['call'], { id }: { id: string }) =>
        call(method, `/v1/webhooks/${id}${path}`, body)
      for (const answer of [
        await ask(token, keyed),
        await ask(token, adopted),
        await ask(other, webhook),
      ]) {
        expect(answer).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
        expect(answer.body.error.message).toBe(
          'an app changes only webhooks made through the same access',
        )
      }
      expect((await acme.call('GET', '/v1/webhooks')).body).toEqual(before)
      const own = await ask(token, webhook)
      expect(own.status, 'its own').not.toBe(403)
    },
  )

  test('cannot be made by a token whose grant ends meanwhile, in whatever order', async () => {
    const run = async (first: number, second: number) => {
      clock.advance(20 * MINUTE)
      const story = await letIn()
      const { tenant_id } = story.acme
      const grant_id = await grantOf(story)
      const actor = { kind: 'app', id: story.app.client_id, grant_id } as const
      const asked = { tenant_id, origin: { ...operatorOrigin(), actor }, now: clock.now() }
      const input = { url: 'https://hooks.example.com/late', events: ['score.updated'] as never }
      const ended = await interleave(
        service,
        own => own.db.inTenant(tenant_id, tx => createWebhook(tx, asked, input, own)),
        own => asOperator(own, tenant_id, endGrantById, grant_id, null),
        { first, second },
      )
      if (ended.second.status === 'rejected') throw ended.second.reason
      const { data } = (await story.acme.call('GET', '/v1/webhooks')).body
      expect(data.map((one: { status: string }) => one.status)).not.toContain('enabled')
      if (ended.first.status === 'rejected') expect(ended.first.reason.status).toBe(403)
      return ended.counts
    }
    const counts = await run(Number.POSITIVE_INFINITY, 0)
    for (const { first, second } of listOrders(counts, 0, 1)) await run(first, second)
  })
})

describe('POST /admin/webhooks/:id/adopt', () => {
  test('200 makes the owner the maker and sends again; no grant ends it any more', async () => {
    const receiver = await startReceiver()
    const story = await letIn(receiver)
    const { acme, owner, webhook } = story
    await CAUSES['admin: an owner ends it']!(story)
    const adopt = () => owner.call('POST', `/admin/webhooks/${webhook.id}/adopt`)
    const { status, body } = await adopt()
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'enabled', disabled_reason: null, disabled_at: null })
    expect(body).toMatchObject({ created_by: `user:${owner.user_id}`, grant_id: null })
    expect(await lastAudit(service, acme)).toMatchObject({
      action: 'webhook.adopted',
      actor_id: owner.user_id,
      subject_id: webhook.id,
      before: { status: 'disabled', created_by: `app:${story.app.client_id}` },
      after: { status: 'enabled', created_by: `user:${owner.user_id}` },
    })
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(1)
    await owner.call('DELETE', `/admin/apps/${story.app.client_id}`)
    expect((await read(story)).status).toBe('enabled')
    expect((await adopt()).status).toBe(409)
  })

  test('200 before the grant ends, so that nothing is missed', async () => {
    const story = await letIn()
    await story.owner.call('POST', `/admin/webhooks/${story.webhook.id}/adopt`)
    await CAUSES['person_left: the person is removed']!(story)
    expect((await read(story)).status).toBe('enabled')
  })

  test('403 for an admin, 409 for what no app made, 404 for what there is not', async () => {
    const { acme, owner, maker, webhook } = await letIn()
    const own = await make(acme.call)
    const adopt = async (person: Person, id: string) =>
      (await person.call('POST', `/admin/webhooks/${id}/adopt`)).status
    const rival = await letIn()
    expect(await adopt(maker, webhook.id)).toBe(403)
    expect(await adopt(owner, own.body.id)).toBe(409)
    expect(await adopt(owner, 'whk_none')).toBe(404)
    expect(await adopt(rival.owner, webhook.id)).toBe(404)
  })
})

describe('keys of a person who leaves', () => {
  async function makeKeys() {
    const acme = await service.tenant()
    const owner = await signIn(service, acme.tenant_id)
    const maker = await signIn(service, acme.tenant_id, 'admin')
    const keys = []
    for (const name of ['one', 'two', 'gone']) {
      const input = { name, scopes: ['webhooks:read', 'webhooks:write'] }
      keys.push((await maker.call('POST', '/admin/keys', input)).body)
    }
    await maker.call('DELETE', `/admin/keys/${keys[2].id}`)
    const list = async () =>
      (await owner.call('GET', '/admin/keys')).body.data.map(
        (key: { name: string; creator_left: boolean; revoked_at: string | null }) =>
          [key.name, key.creator_left, key.revoked_at !== null] as const,
      )
    return { acme, owner, maker, keys, list }
  }
  const disable = (owner: Person, { user_id }: Person) =>
    owner.call('PATCH', `/admin/users/${user_id}`, { status: 'disabled' })

  test('go on, are marked, and the owners are told; marked no more once the person is back', async () => {
    const { acme, owner, maker, keys, list } = await makeKeys()
    const made = await make(caller(server, keys[0].key))
    const own = await make(maker.call as never)
    const before = [
      ['test', false, false],
      ['one', false, false],
      ['two', false, false],
      ['gone', false, true],
    ]
    expect(await list()).toEqual(before)
    await disable(owner, maker)
    const left = before.map(([name, , revoked]) => [name, name !== 'test', revoked])
    expect(await list()).toEqual(left)
    clock.advance(2 * SECOND)
    expect((await caller(server, keys[0].key)('GET', '/v1/webhooks')).status).toBe(200)
    for (const { body } of [made, own]) {
      const { status } = (await acme.call('GET', `/v1/webhooks/${body.id}`)).body
      expect(status, 'a webhook by a key or in the dashboard').toBe('enabled')
    }
    expect(await notices(owner)).toMatchObject([
      { kind: 'key.creator_left', subject_id: maker.user_id, count: 2, data: { revoked: false } },
    ])
    await owner.call('PATCH', `/admin/users/${maker.user_id}`, { status: 'active' })
    expect(await list()).toEqual(before)
    await owner.call('DELETE', `/admin/users/${maker.user_id}`)
    expect(await list()).toEqual(left)
  })

  test.each(['removed', 'disabled', 'shut out by the operator'])(
    'are revoked where the organization has chosen so: %s',
    async how => {
      const { acme, owner, maker, keys, list } = await makeKeys()
      const chosen = await owner.call('PATCH', '/admin/settings', { revoke_keys_of_leavers: true })
      expect(chosen.body).toMatchObject({ revoke_keys_of_leavers: true, jobs: [] })
      if (how === 'removed') await owner.call('DELETE', `/admin/users/${maker.user_id}`)
      else if (how === 'disabled') await disable(owner, maker)
      else await setUserEnabled(context, operatorOrigin(), await findUser(maker.email), false)
      expect(await list()).toEqual([
        ['test', false, false],
        ['one', true, true],
        ['two', true, true],
        ['gone', true, true],
      ])
      clock.advance(2 * SECOND)
      expect((await caller(server, keys[0].key)('GET', '/v1/webhooks')).status).toBe(401)
      expect((await acme.call('GET', '/v1/me')).status).toBe(200)
      expect(await lastAudit(service, acme)).toMatchObject({
        action: 'key.revoked',
        subject_id: keys[1].id,
        before: { name: 'two' },
        after: { why: 'creator_left' },
      })
      expect(await notices(owner)).toMatchObject([
        { kind: 'key.creator_left', count: 2, data: { revoked: true } },
      ])
    },
  )

  test('nobody is told of somebody who made none', async () => {
    const { tenant_id } = await service.tenant()
    const owner = await signIn(service, tenant_id)
    const { user_id } = await addPerson(service, tenant_id)
    await removeMember(context, tenant_id, operatorOrigin(), user_id)
    expect(await notices(owner)).toEqual([])
  })
})

test('revoke_keys_of_leavers is off, is changed by admins, and is audited once', async () => {
  const acme = await service.tenant()
  const admin = await signIn(service, acme.tenant_id, 'admin')
  const viewer = await signIn(service, acme.tenant_id, 'viewer')
  const get = async () => (await viewer.call('GET', '/admin/settings')).body.revoke_keys_of_leavers
  const change = (person: Person, revoke_keys_of_leavers: unknown) =>
    person.call('PATCH', '/admin/settings', { revoke_keys_of_leavers })
  expect(await get()).toBe(false)
  expect((await change(viewer, true)).status).toBe(403)
  expect((await change(admin, 'yes')).status).toBe(400)
  expect((await change(admin, true)).status).toBe(200)
  const entry = await lastAudit(service, acme)
  expect(entry).toMatchObject({
    action: 'tenant.settings_changed',
    before: { revoke_keys_of_leavers: false },
    after: { revoke_keys_of_leavers: true },
  })
  await change(admin, true)
  expect(await lastAudit(service, acme)).toEqual(entry)
  expect(await get()).toBe(true)
})
