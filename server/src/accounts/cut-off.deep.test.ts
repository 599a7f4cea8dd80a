// What people do takes several transactions; the database may go away before any of them.
import { generateSync } from 'otplib'
import { describe, expect, test } from 'vitest'
import { loseTransaction } from '../../test/lose-transaction.ts'
import { startMailServer } from '../../test/mail-server.ts'
import { addPerson, ORIGIN, openBrowser, signIn } from '../../test/people.ts'
import { type Answer, startService, type Tenant } from '../../test/service.ts'
import { hire, type Person } from '../actions/actions.fixture.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { MINUTE } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { finishMail } from '../platform/mail.ts'
import { inviteUser } from './invite-user.ts'
import { listOpenLinks } from './links.queries.ts'
import { findUser } from './users.queries.ts'

const mail = await startMailServer()
const service = await startService({ smtp_url: mail.url })
const { clock, context } = service

/** Calls with each of its transactions lost in turn; `look` sees what is left by each. */
async function cutOffEverywhere(
  prepare: () => Promise<() => Promise<Answer>>,
  look: (first: Answer, call: () => Promise<Answer>) => Promise<void>,
): Promise<void> {
  for (let nth = 1; ; nth++) {
    const call = await prepare()
    const loss = await loseTransaction(service, nth)
    const first = await call().finally(loss.end)
    if (loss.begun() < nth) return
    await look(first, call)
  }
}

test('a removal that was cut off is brought to its end by the next, of members and of invited', async () => {
  const { tenant_id } = await service.tenant()
  const owner = await signIn(service, tenant_id)
  let guests = 0
  const invite = async () => {
    const input = { email: `guest${++guests}@example.test`, role: 'viewer' } as const
    return (await inviteUser(context, tenant_id, operatorOrigin(), ORIGIN, input)).id
  }
  const join = async () => (await addPerson(service, tenant_id, 'viewer')).user_id
  for (const add of [invite, join]) {
    let user_id = ''
    const prepare = async () => {
      user_id = await add()
      return () => owner.call('DELETE', `/admin/users/${user_id}`)
    }
    await cutOffEverywhere(prepare, async (first, call) => {
      expect(first.status).toBe(503)
      expect([204, 404]).toContain((await call()).status)
      const left = await context.db.inTenant(RESERVED_TENANT, async tx => ({
        hints: (await findUser(tx, user_id))!.tenant_ids,
        links: await listOpenLinks(tx, user_id, tenant_id),
      }))
      expect(left).toEqual({ hints: [], links: [] })
    })
  }
})

test('who is erased after a removal that was cut off leaves no account behind', async () => {
  const tenant = await service.tenant()
  const owner = await signIn(service, tenant.tenant_id)
  const prepare = async () => {
    const person = await addPerson(service, tenant.tenant_id, 'viewer')
    const { id } = await hire(tenant, { email: person.email })
    const erase = () => tenant.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
    const remove = () => owner.call('DELETE', `/admin/users/${person.user_id}`)
    return { ...person, erase, remove }
  }
  let person: Awaited<ReturnType<typeof prepare>>
  await cutOffEverywhere(
    async () => {
      person = await prepare()
      return person.remove
    },
    async () => {
      if ((await person.erase()).status === 409) {
        expect((await person.remove()).status).toBe(204)
        expect((await person.erase()).status).toBe(200)
      }
      const account = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, person.user_id))
      expect(account).toBeUndefined()
    },
  )
})

describe('what is done stands, is mailed, and is told to the tenant as soon as it can be', () => {
  const OTHER = 'seven quiet herons wade'

  /** What it is called in the log of the tenant, how often it was mailed, and how to set it off. */
  type Case = {
    action: string
    mails: number
    prepare(person: Person, tenant: Tenant): Promise<() => Promise<Answer>>
  }

  const CASES: Record<string, Case> = {
    'a new password': {
      action: 'password.changed',
      mails: 1,
      prepare: async person => () => person.call('PUT', '/session/password', { password: OTHER }),
    },
    'a second factor': {
      action: 'second_factor.enabled',
      mails: 1,
      prepare: async person => {
        const { secret } = (await person.call('POST', '/session/totp')).body
        const code = generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
        return () => person.call('POST', '/session/totp/confirm', { code })
      },
    },
    'a login after guesses': {
      action: 'login.succeeded',
      mails: 1,
      prepare: async ({ email }) => {
        const browser = openBrowser(service)
        for (let guess = 0; guess < 5; guess++) await browser.logIn(email, OTHER)
        clock.advance(MINUTE)
        return () => browser.logIn(email)
      },
    },
    'another organization': {
      action: 'session.entered',
      mails: 0,
      prepare: async (person, { tenant_id }) => {
        const { tenant_id: elsewhere } = await service.tenant()
        const input = { email: person.email, role: 'viewer' } as const
        const invited = await inviteUser(context, elsewhere, operatorOrigin(), ORIGIN, input)
        const token = new URL(invited.setup_url).searchParams.get('token')
        await person.call('POST', '/session/link/accept', { token })
        return () => person.call('PUT', '/session/tenant', { tenant_id })
      },
    },
    'a logout': {
      action: 'session.logged_out',
      mails: 0,
      prepare: async person => () => person.call('DELETE', '/session'),
    },
  }

  test.each(Object.entries(CASES))('%s', async (_, { action, mails, prepare }) => {
    const tenant = await service.tenant()
    const counted = async () => {
      await service.app.flush()
      await finishMail(context)
      const { body } = await tenant.call('GET', `/v1/audit?action=${action}`)
      return { told: body.pagination.total as number, mailed: mail.sent().length }
    }
    const person = await signIn(service, tenant.tenant_id)
    const plain = await prepare(person, tenant)
    const before = await counted()
    const count = await loseTransaction(service, Number.POSITIVE_INFINITY)
    expect((await plain()).status).toBeLessThan(300)
    count.end()
    const after = await counted()
    expect(after).toEqual({ told: before.told + 1, mailed: before.mailed + mails })

    const call = await prepare(await signIn(service, tenant.tenant_id), tenant)
    const start = await counted()
    const loss = await loseTransaction(service, count.begun())
    expect((await call().finally(loss.end)).status).toBeLessThan(300)
    expect(await counted()).toEqual({ told: start.told + 1, mailed: start.mailed + mails })
  })
})
