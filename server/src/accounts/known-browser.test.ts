// A browser in which a person has logged in: whose failures slow it down, and whose do not.
import { expect, it } from 'vitest'
import { addPerson, openBrowser, PASSWORD, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { MINUTE } from '../platform/clock.ts'
import { loginAttempt, takeAttempt } from './take-attempt.ts'

const service = await startService()
const { clock } = service
const tenant = await service.tenant()

it('strangers who fail everywhere keep nobody out of a browser in which they have logged in', async () => {
  const { email } = await addPerson(service, tenant.tenant_id)
  const own = openBrowser(service)
  await own.logIn(email)
  const stranger = (i: number) => loginAttempt(email, `198.51.${i >> 8}.${i & 255}`)
  for (let i = 0; i < 56; i++) {
    await takeAttempt(service.context, stranger(i)).catch(() => clock.advance(MINUTE))
  }
  for (let i = 0; i < 6; i++) await openBrowser(service).logIn(email, 'wrong wrong wrong')
  expect((await openBrowser(service).logIn(email)).status).toBe(429)
  expect((await own.logIn(email)).status).toBe(200)
  const proof = await own.call('POST', '/session/proof', { password: PASSWORD })
  expect(proof.status).toBe(200)
  expect((await own.call('POST', '/session/reset', { email })).status).toBe(202)
})

it('such a browser has pauses of its own, and those of nobody else', async () => {
  const [ada, bob] = [
    await addPerson(service, tenant.tenant_id),
    await addPerson(service, tenant.tenant_id),
  ]
  const own = openBrowser(service)
  await own.logIn(ada.email)
  for (let i = 0; i < 6; i++) await own.logIn(ada.email, 'wrong wrong wrong')
  expect((await own.logIn(ada.email)).status).toBe(429)
  expect((await openBrowser(service).logIn(ada.email)).status).toBe(200)
  // What it keeps of one person says nothing of another.
  for (let i = 0; i < 5; i++) await openBrowser(service).logIn(bob.email, 'wrong wrong wrong')
  expect((await own.logIn(bob.email)).status).toBe(429)
})

it('a browser in which a link was used to choose a password is known from then on', async () => {
  const { email, user_id } = await addPerson(service, tenant.tenant_id)
  const owner = await signIn(service, tenant.tenant_id)
  await owner.call('POST', '/session/proof', { password: PASSWORD })
  const { body } = await owner.call('POST', `/admin/users/${user_id}/reset`)
  const own = openBrowser(service)
  const token = new URL(body.reset_url).searchParams.get('token')!
  await own.post('/reset', { token, password: PASSWORD })
  for (let i = 0; i < 6; i++) await openBrowser(service).logIn(email, 'wrong wrong wrong')
  expect((await own.logIn(email)).status).toBe(200)
})
