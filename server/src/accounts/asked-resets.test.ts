// Resets that anybody may ask for: what they do to the mailbox of whoever they are asked for.
import { expect, test } from 'vitest'
import { startMailServer, tokenIn } from '../../test/mail-server.ts'
import { addPerson, ORIGIN, openBrowser } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { HOUR } from '../platform/clock.ts'
import { requestReset } from './request-reset.ts'

const mail = await startMailServer()
const service = await startService({ smtp_url: mail.url })
const { context, clock } = service
const tenant = await service.tenant()

const mailsTo = (email: string) => mail.sent().filter(({ to }) => to.join().includes(email))

/** Each from another address, so that none waits for the ones before. */
async function ask(email: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const visit = { address: `198.51.100.${i}`, request_id: 'req_x', device: '', cookies: '' }
    await requestReset(context, visit, ORIGIN, email)
  }
}

test('who asks for resets of somebody floods no mailbox, and takes no link away that was mailed', async () => {
  const [ada, bob] = [
    await addPerson(service, tenant.tenant_id),
    await addPerson(service, tenant.tenant_id),
  ]
  await ask(ada.email, 5)
  await expect.poll(() => mailsTo(ada.email)).toHaveLength(5)
  await ask(ada.email, 20)
  await ask(bob.email, 1)
  await expect.poll(() => mailsTo(bob.email)).toHaveLength(1)
  expect(mailsTo(ada.email)).toHaveLength(5)
  const tokens = mailsTo(ada.email).map(({ text }) => tokenIn(text))
  const password = 'seven quiet herons wade'
  const statuses = []
  for (const token of tokens) {
    const answer = await openBrowser(service).call('POST', '/session/link/accept', {
      token,
      password,
    })
    statuses.push(answer.status)
  }
  expect(statuses.sort()).toEqual([200, 404, 404, 404, 404])
  clock.advance(HOUR)
  await ask(ada.email, 1)
  await expect.poll(() => mailsTo(ada.email)).toHaveLength(7)
})

test('30 resets asked for from one address keep nobody from logging in there, and failed logins nobody from a reset', async () => {
  const { email } = await addPerson(service, tenant.tenant_id)
  const reset = (i: number) =>
    openBrowser(service).call('POST', '/session/reset', { email: `guess${i}@example.test` })
  const statuses = []
  for (let i = 0; i < 31; i++) statuses.push((await reset(i)).status)
  expect(statuses).toEqual([...Array(30).fill(202), 429])
  expect((await openBrowser(service).logIn(email)).status).toBe(200)
  clock.advance(2 * HOUR)
  const logIn = (i: number) => openBrowser(service).logIn(`guess${i}@example.test`, 'wrong wrong')
  const failed = []
  for (let i = 0; i < 31; i++) failed.push((await logIn(i)).status)
  expect(failed).toEqual([...Array(30).fill(401), 429])
  expect((await reset(0)).status).toBe(202)
})

test('five resets asked for of an address pause the next one, and no login of it', async () => {
  clock.advance(2 * HOUR)
  const { email } = await addPerson(service, tenant.tenant_id)
  const ask = () => openBrowser(service).call('POST', '/session/reset', { email })
  const statuses = []
  for (let i = 0; i < 6; i++) statuses.push((await ask()).status)
  expect(statuses).toEqual([...Array(5).fill(202), 429])
  expect((await openBrowser(service).logIn(email)).status).toBe(200)
})
