// A request whose body comes long after its head: what was taken from its sender meanwhile counts.
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { addApp } from '../../test/oauth.ts'
import { type Browser, HOST, ORIGIN, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { changeMember, removeMember, setPolicy } from '../accounts/manage-members.ts'
import { revokeKeyById } from '../keys/manage-keys.ts'
import { changeTenant } from '../manage-tenants.ts'
import { operatorOrigin } from '../platform/actor.ts'

const service = await startService()
const { app, context, clock } = service
const operator = operatorOrigin()
const { tenant_id } = await service.tenant()
await signIn(service, tenant_id)

type Call = { url: string; headers: Record<string, string>; body: string }

/** Sends the head; `meanwhile` happens once it was judged and its body is asked for. */
async function sendLate({ url, headers, body }: Call, meanwhile: () => Promise<unknown>) {
  let judged = false
  const payload = new Readable({
    read() {
      if (judged) return
      judged = true
      const end = () => {
        clock.advance(1000)
        if (body !== '') this.push(body)
        this.push(null)
      }
      meanwhile().then(end, error => this.destroy(error))
    },
  })
  const all = { host: HOST, 'content-type': 'application/json', ...headers }
  const response = await app.server.inject({ method: 'POST', url, headers: all, payload })
  expect(judged).toBe(true)
  return { status: response.statusCode, code: response.json().error?.code }
}

function byCookie(browser: Browser, url: string, body: unknown): Call {
  const headers = { origin: ORIGIN, 'x-csrf-token': browser.csrf(), cookie: browser.cookie() }
  return { url, headers, body: body === undefined ? '' : JSON.stringify(body) }
}

const EVENT = JSON.stringify({ type: 'custom.x', employee_email: 'nobody@example.com' })
const byBearer = (bearer: string): Call => ({
  url: '/v1/events',
  headers: { authorization: `Bearer ${bearer}` },
  body: EVENT,
})
const invitation = { email: 'friend@example.com', role: 'owner' }

test('403 for an owner who is removed before the body of an invitation', async () => {
  const owner = await signIn(service, tenant_id)
  const removal = () => removeMember(context, tenant_id, operator, owner.user_id)
  const answer = await sendLate(byCookie(owner, '/admin/users', invitation), removal)
  expect(answer).toEqual({ status: 403, code: 'FORBIDDEN' })
})

test('403 for one who is given a lesser role, also where only the end of an empty body is late', async () => {
  const { user_id } = await signIn(service, tenant_id)
  for (const body of [invitation, undefined]) {
    const owner = await signIn(service, tenant_id)
    const lower = () =>
      asOperator(context, tenant_id, changeMember, owner.user_id, { role: 'viewer' })
    const url = body ? '/admin/users' : `/admin/users/${user_id}/reset`
    const answer = await sendLate(byCookie(owner, url, body), lower)
    expect(answer).toEqual({ status: 403, code: 'FORBIDDEN' })
  }
})

test('401 for a session that was ended, 403 where a second factor became required', async () => {
  const owner = await signIn(service, tenant_id)
  const key = { name: 'mine', scopes: ['events:write'] }
  const asked = byCookie(owner, '/admin/keys', key)
  const strict = (on: boolean) => () => asOperator(context, tenant_id, setPolicy, on)
  expect(await sendLate(asked, strict(true))).toEqual({
    status: 403,
    code: 'SECOND_FACTOR_REQUIRED',
  })
  await strict(false)()
  const logOut = () => owner.call('DELETE', '/session')
  expect(await sendLate(asked, logOut)).toEqual({ status: 401, code: 'UNAUTHORIZED' })
})

test('401 for a key that was revoked and for a token whose grant was ended', async () => {
  const other = await service.tenant()
  const revoke = () => asOperator(context, other.tenant_id, revokeKeyById, other.key_id)
  const revoked = await sendLate(byBearer(other.key), revoke)
  expect(revoked).toEqual({ status: 401, code: 'UNAUTHORIZED' })
  const oauth = await addApp(service, tenant_id)
  const { tokens } = await oauth.connect(await signIn(service, tenant_id))
  const giveBack = () => oauth.post('/oauth/revoke', { token: tokens.refresh_token })
  const ended = await sendLate(byBearer(tokens.access_token), giveBack)
  expect(ended).toEqual({ status: 401, code: 'UNAUTHORIZED' })
})

test('403 where the tenant was suspended', async () => {
  const other = await service.tenant()
  const suspend = () => asOperator(context, other.tenant_id, changeTenant, { status: 'suspended' })
  expect(await sendLate(byBearer(other.key), suspend)).toEqual({ status: 403, code: 'FORBIDDEN' })
})

test('who has lost nothing is served, however late', async () => {
  const { tenant_id, key } = await service.tenant()
  expect((await sendLate(byBearer(key), async () => {})).status).toBe(404)
  const owner = await signIn(service, tenant_id)
  const late = byCookie(owner, '/admin/users', invitation)
  expect((await sendLate(late, async () => {})).status).toBe(201)
})
