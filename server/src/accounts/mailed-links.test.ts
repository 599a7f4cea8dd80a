// Where mail is set up, an invitation or reset link reaches the person it is for and nobody else.
import { expect, test } from 'vitest'
import { startMailServer } from '../../test/mail-server.ts'
import { addPerson, ORIGIN, openBrowser, PASSWORD, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { inviteUser } from './invite-user.ts'

const mail = await startMailServer()
const service = await startService({ smtp_url: mail.url })
const { tenant_id } = await service.tenant()
const owner = await signIn(service, tenant_id)

const LINK = /token=\w{43}/

test('an invitation goes by mail alone: no answer to the owner holds its link', async () => {
  const email = 'new@example.test'
  const invited = await owner.call('POST', '/admin/users', { email, role: 'viewer' })
  expect([invited.status, invited.body.email, invited.body.setup_url]).toEqual([201, email, null])
  await mail.tokenFor(email)
  const again = await owner.call('POST', '/admin/users', { email, role: 'viewer' })
  const list = await owner.call('GET', '/admin/users')
  const log = await owner.call('GET', '/v1/audit')
  for (const { body } of [invited, again, list, log]) {
    expect(JSON.stringify(body)).not.toMatch(LINK)
  }
  const token = await mail.tokenFor(email, 2)
  const accepted = await openBrowser(service).post('/invitation', { token, password: PASSWORD })
  expect(accepted.status).toBe(303)
  expect((await openBrowser(service).logIn(email)).status).toBe(200)
})

test('a reset that an owner starts goes by mail alone too', async () => {
  const { user_id, email } = await addPerson(service, tenant_id, 'viewer')
  const reset = await owner.call('POST', `/admin/users/${user_id}/reset`)
  expect([reset.status, reset.body.reset_url]).toEqual([201, null])
  expect(JSON.stringify(reset.body)).not.toMatch(LINK)
  const token = await mail.tokenFor(email, 2)
  const password = 'seven quiet herons wade'
  expect((await openBrowser(service).post('/reset', { token, password })).status).toBe(303)
})

test('the operator is told the link whether mail is set up or not', async () => {
  const input = { email: 'first@example.test', role: 'owner' } as const
  const { setup_url } = await inviteUser(
    service.context,
    tenant_id,
    operatorOrigin(),
    ORIGIN,
    input,
  )
  expect(setup_url).toMatch(LINK)
})
