// An open window that nobody is at keeps no session alive, nor does a page of another site; whoever works stays in.
import { describe, expect, it } from 'vitest'
import { signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { MINUTE } from '../platform/clock.ts'
import { SESSION } from './open-session.ts'

const service = await startService()
const { clock } = service
const { tenant_id } = await service.tenant()
const UNATTENDED = { 'x-unattended': '1' }
const STRANGE = { 'sec-fetch-site': 'cross-site' }

/** Asks every ten minutes until the idle limit is past; the status of each answer, and of a look after them. */
async function askOn(
  ask: () => Promise<{ status: number }>,
  look: () => Promise<{ status: number }>,
) {
  const told: number[] = []
  for (let passed = 0; passed < SESSION.idle_ms; passed += 10 * MINUTE) {
    clock.advance(10 * MINUTE)
    told.push((await ask()).status)
  }
  return [...told, (await look()).status]
}

describe('a session', () => {
  it('stays while somebody works, whatever is asked', async () => {
    const person = await signIn(service, tenant_id)
    const look = () => person.call('GET', '/session', undefined, UNATTENDED)
    for (const path of ['/session', '/v1/rules', '/admin/notifications/unread']) {
      expect(await askOn(() => person.call('GET', path), look)).toEqual([200, 200, 200, 200])
    }
  })

  it('ends where only requests come that a window makes by itself', async () => {
    const person = await signIn(service, tenant_id)
    const look = () => person.call('GET', '/session', undefined, UNATTENDED)
    for (const path of ['/session', '/v1/rules', '/admin/notifications/unread']) {
      await person.logIn(person.email)
      const ask = () => person.call('GET', path, undefined, UNATTENDED)
      expect(await askOn(ask, look)).toEqual([200, 200, 401, 401])
    }
  })

  it('ends whatever a page of another site has the browser ask for', async () => {
    const person = await signIn(service, tenant_id)
    const look = () => person.call('GET', '/session', undefined, UNATTENDED)
    for (const [path, answers] of [
      ['/v1/rules', 403],
      ['/session', 403],
      ['/login', 302],
    ] as const) {
      await person.logIn(person.email)
      const ask = () => person.call('GET', path, undefined, STRANGE)
      const told = await askOn(ask, look)
      expect([told[0], told.at(-1)], path).toEqual([answers, 401])
    }
  })
})
