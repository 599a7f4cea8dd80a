// A browser in which a person has logged in: whose failures slow it down, and whose do not.
import { generateSync } from 'otplib'
import { expect, it } from 'vitest'
import { addFactor, addPerson, openBrowser, PASSWORD, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { MINUTE } from '../platform/clock.ts'
import { codeAttempt, loginAttempt, takeAttempt } from './take-attempt.ts'

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

it('many browsers in which somebody has once logged in are no way to guess faster', async () => {
  const { email } = await addPerson(service, tenant.tenant_id)
  const browsers = Array.from({ length: 13 }, () => openBrowser(service))
  for (const browser of browsers) await browser.logIn(email)
  const statuses = []
  for (const browser of browsers) {
    for (let i = 0; i < 4; i++)
      statuses.push((await browser.logIn(email, 'wrong wrong wrong')).status)
  }
  // As many as from anywhere: 50 are free, and then the pause is a minute at most.
  expect(statuses).toEqual([...Array(50).fill(401), 429, 429])
  expect((await openBrowser(service).logIn(email)).status).toBe(200)
  clock.advance(MINUTE)
  expect((await browsers[0]!.logIn(email)).status).toBe(200)
  expect((await browsers[1]!.logIn(email)).status).toBe(200)
})

it('who has the password alone, and fails codes, keeps no known browser and no session waiting', async () => {
  const { email, user_id } = await addPerson(service, tenant.tenant_id)
  const own = openBrowser(service)
  await own.logIn(email)
  await own.call('POST', '/session/proof', { password: PASSWORD })
  const secret = await addFactor(service, own)
  const code = () => generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
  for (let i = 0; i < 11; i++) {
    clock.advance(MINUTE)
    await takeAttempt(service.context, codeAttempt(user_id))
  }
  const proof = await own.call('POST', '/session/proof', { password: PASSWORD, code: code() })
  expect(proof.status).toBe(200)
  clock.advance(MINUTE / 2)
  const other = openBrowser(service)
  await other.logIn(email)
  const give = { code: code() }
  expect((await other.call('POST', '/session/second-factor', give)).status).toBe(429)
  await own.logIn(email)
  expect((await own.call('POST', '/session/second-factor', give)).status).toBe(200)
})
