// A reset link lasts no longer than the power of who made it: other tenants, removal and a new password end it.
import { expect, test } from 'vitest'
import { seeBlocked } from '../../test/locks.ts'
import { addFactor, addPerson, ORIGIN, openBrowser, PASSWORD, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { inviteUser } from './invite-user.ts'
import { deleteMembership, insertMembership } from './memberships.queries.ts'
import { hashChosen } from './password-hash.ts'
import { startReset } from './rescue-user.ts'
import { addTenantHint, dropTenantHint, findUser, lockUser } from './users.queries.ts'

const service = await startService()
const { context } = service
const acme = await service.tenant({ name: 'Acme' })
const other = await service.tenant({ name: 'Other' })
const owner = await signIn(service, acme.tenant_id)

const CHOSEN = 'seven quiet herons wade'
const tokenOf = (url: string) => new URL(url).searchParams.get('token')!

async function resetByOwner(user_id: string): Promise<string> {
  const answer = await owner.call('POST', `/admin/users/${user_id}/reset`)
  expect(answer.status).toBe(201)
  return tokenOf(answer.body.reset_url)
}

async function resetByOperator(user_id: string): Promise<string> {
  const user = (await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, user_id)))!
  return tokenOf((await startReset(context, operatorOrigin(), ORIGIN, user, null)).url)
}

const use = (token: string, password = CHOSEN) =>
  openBrowser(service).call('POST', '/session/link/accept', { token, password })

async function join({ user_id, email }: { user_id: string; email: string }): Promise<void> {
  const [created_at, created_by] = [new Date(context.clock.now()), 'system:operator']
  const row = { user_id, email, membership_id: `mem_${user_id}`, created_at, created_by } as const
  await context.db.inTenant(other.tenant_id, tx =>
    insertMembership(tx, other.tenant_id, { ...row, role: 'viewer', status: 'active' }),
  )
}

/** The answer of a link that never was, so that nothing else is told apart. */
async function expectGone(token: string, email: string): Promise<void> {
  const [gone, unknown] = [await use(token), await use('x'.repeat(43))]
  const seen = ({ status, body }: typeof gone) => [status, body.error.code, body.error.message]
  expect(seen(gone)).toEqual(seen(unknown))
  expect(gone.status).toBe(404)
  expect((await openBrowser(service).call('GET', `/reset?token=${token}`)).status).toBe(404)
  expect((await openBrowser(service).logIn(email, CHOSEN)).status).toBe(401)
  expect((await openBrowser(service).logIn(email)).status).toBe(200)
}

test("an owner's link is dead once the person joins another tenant", async () => {
  const person = await signIn(service, acme.tenant_id, 'viewer')
  const token = await resetByOwner(person.user_id)
  const input = { email: person.email, role: 'owner' } as const
  const invited = await inviteUser(context, other.tenant_id, operatorOrigin(), ORIGIN, input)
  const joined = { token: tokenOf(invited.setup_url) }
  expect((await person.call('POST', '/session/link/accept', joined)).status).toBe(200)
  await expectGone(token, person.email)
  expect((await use(await resetByOperator(person.user_id))).status).toBe(200)
})

test('it is dead too for who joins elsewhere while it is being used', async () => {
  const person = await addPerson(service, acme.tenant_id, 'viewer')
  const token = await resetByOwner(person.user_id)
  const { used } = await context.db.inTenant(RESERVED_TENANT, async tx => {
    await addTenantHint(tx, person.user_id, other.tenant_id)
    const used = use(token)
    await seeBlocked(tx)
    await join(person)
    return { used }
  })
  expect((await used).status).toBe(404)
  await expectGone(token, person.email)
})

test('an invitation elsewhere that nobody accepts takes no power from the own owner', async () => {
  const person = await addPerson(service, acme.tenant_id, 'viewer')
  const token = await resetByOwner(person.user_id)
  const input = { email: person.email, role: 'viewer' } as const
  await inviteUser(context, other.tenant_id, operatorOrigin(), ORIGIN, input)
  expect((await use(token)).status).toBe(200)
  await resetByOwner(person.user_id)
  const stranger = await signIn(service, other.tenant_id)
  const refused = await stranger.call('POST', `/admin/users/${person.user_id}/reset`)
  expect(refused.body.error).toMatchObject({ code: 'CONFLICT' })
})

test('it is dead once the person is removed, also where only the membership is gone', async () => {
  const removed = await addPerson(service, acme.tenant_id, 'viewer')
  const token = await resetByOwner(removed.user_id)
  expect((await owner.call('DELETE', `/admin/users/${removed.user_id}`)).status).toBe(204)
  await expectGone(token, removed.email)
  const halfway = await addPerson(service, acme.tenant_id, 'viewer')
  const second = await resetByOwner(halfway.user_id)
  await context.db.inTenant(acme.tenant_id, tx =>
    deleteMembership(tx, acme.tenant_id, halfway.user_id),
  )
  await expectGone(second, halfway.email)
})

test('it is dead while the person is disabled, and none is made for them', async () => {
  const person = await addPerson(service, acme.tenant_id, 'viewer')
  const token = await resetByOwner(person.user_id)
  const url = `/admin/users/${person.user_id}`
  expect((await owner.call('PATCH', url, { status: 'disabled' })).status).toBe(204)
  await expectGone(token, person.email)
  expect((await owner.call('POST', `${url}/reset`)).body.error.code).toBe('CONFLICT')
})

test('who was removed and invited again is not open to the old link', async () => {
  const person = await addPerson(service, acme.tenant_id, 'viewer')
  const token = await resetByOwner(person.user_id)
  expect((await owner.call('DELETE', `/admin/users/${person.user_id}`)).status).toBe(204)
  const body = { email: person.email, role: 'viewer' }
  expect((await owner.call('POST', '/admin/users', body)).status).toBe(201)
  await expectGone(token, person.email)
})

test('a reset that no organization asked for refuses the name of each one the person is in', async () => {
  const { tenant_id } = await service.tenant({ name: 'Blue Heron' })
  const person = await signIn(service, tenant_id, 'viewer')
  const input = { email: person.email, role: 'viewer' } as const
  const invited = await inviteUser(context, other.tenant_id, operatorOrigin(), ORIGIN, input)
  const joined = { token: tokenOf(invited.setup_url) }
  expect((await person.call('POST', '/session/link/accept', joined)).status).toBe(200)
  const token = await resetByOperator(person.user_id)
  for (const password of ['my BlueHeron 12', 'nine loud other geese']) {
    const { status, body } = await use(token, password)
    expect([status, body.error?.details[0].message]).toEqual([
      400,
      'must not contain the name of your organization',
    ])
  }
  expect((await use(token)).status).toBe(200)
})

test('a changed password ends every reset link, and one that is used ends the others', async () => {
  const person = await signIn(service, acme.tenant_id, 'viewer')
  const tokens = [await resetByOwner(person.user_id), await resetByOperator(person.user_id)]
  const own = 'nine loud geese fly over'
  expect((await person.call('PUT', '/session/password', { password: own })).status).toBe(204)
  for (const token of tokens) expect((await use(token)).status).toBe(404)
  expect((await openBrowser(service).logIn(person.email, own)).status).toBe(200)
  const [first, second] = [
    await resetByOwner(person.user_id),
    await resetByOperator(person.user_id),
  ]
  expect((await use(second, PASSWORD)).status).toBe(200)
  await expectGone(first, person.email)
})

test('it is dead once whoever made it is removed, disabled or no owner any more', async () => {
  const losses = [
    (id: string) => owner.call('DELETE', `/admin/users/${id}`),
    (id: string) => owner.call('PATCH', `/admin/users/${id}`, { status: 'disabled' }),
    (id: string) => owner.call('PATCH', `/admin/users/${id}`, { role: 'admin' }),
  ]
  for (const lose of losses) {
    const person = await addPerson(service, acme.tenant_id, 'owner')
    const maker = await signIn(service, acme.tenant_id)
    const made = await maker.call('POST', `/admin/users/${person.user_id}/reset`)
    expect((await lose(maker.user_id)).status).toBe(204)
    await expectGone(tokenOf(made.body.reset_url), person.email)
    expect((await use(await resetByOwner(person.user_id))).status).toBe(200)
  }
})

test('409 for help by an owner to who joins elsewhere meanwhile, and nothing is taken from them', async () => {
  const person = await signIn(service, acme.tenant_id, 'viewer')
  await addFactor(service, person)
  for (const what of ['second-factor', 'sessions']) {
    const { asked } = await context.db.inTenant(RESERVED_TENANT, async tx => {
      await lockUser(tx, person.user_id)
      const asked = owner.call('DELETE', `/admin/users/${person.user_id}/${what}`)
      await seeBlocked(tx)
      await addTenantHint(tx, person.user_id, other.tenant_id)
      return { asked }
    })
    expect((await asked).status).toBe(409)
    await context.db.inTenant(RESERVED_TENANT, tx =>
      dropTenantHint(tx, person.user_id, other.tenant_id),
    )
  }
  const { user } = (await person.call('GET', '/session')).body
  expect(user.second_factor).toBe(true)
})

test('429 on its page says when to come again', async () => {
  const person = await addPerson(service, acme.tenant_id, 'viewer')
  const token = await resetByOwner(person.user_id)
  const slow = { memory_kib: 64 * 1024, passes: 4 }
  const others = Array.from({ length: 3 }, () => hashChosen(person.user_id, CHOSEN, slow))
  const answer = await openBrowser(service).post('/reset', { token, password: CHOSEN })
  await Promise.all(others)
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, '2'])
  expect(answer.body).toContain('Too many new passwords for this account at once')
})
