// Two changes of one membership meet, statement by statement in many orders: the second sees the first.
import { expect, test } from 'vitest'
import { interleave, listOrders, type Side } from '../../test/interleave.ts'
import { addPerson, ORIGIN, PASSWORD, sessionBehind } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { MINUTE } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { acceptLink, openLink } from './accept-link.ts'
import { forgetTenant } from './forget-tenant.ts'
import { asOperator } from './identity.ts'
import { type Invitation, inviteUser } from './invite-user.ts'
import { logIn } from './log-in.ts'
import { changeMember, removeMember } from './manage-members.ts'
import { findMembership } from './memberships.queries.ts'
import { findUser } from './users.queries.ts'

const service = await startService({ pool: 12 })
const { context } = service
const { tenant_id } = await service.tenant()
const visit = { address: '192.0.2.1', request_id: 'req_x', device: '', cookies: '' }

const OTHER = 'seven quiet herons wade'

let people = 0

test('an invitation accepted while it is withdrawn: who was disabled is out', async () => {
  const run = async (first: number, second: number) => {
    const email = `invited${people++}@example.com`
    const input = { email, role: 'viewer' as const }
    const invited = await inviteUser(context, tenant_id, operatorOrigin(), ORIGIN, input)
    const token = new URL(invited.setup_url).searchParams.get('token')!
    const accept: Side<unknown> = own => acceptLink(own, visit, null, { token, password: PASSWORD })
    const disable: Side<unknown> = own =>
      asOperator(own, tenant_id, changeMember, invited.id, { status: 'disabled' })
    const ended = await interleave(service, accept, disable, { first, second })
    if (ended.second.status === 'rejected') throw ended.second.reason
    const membership = await context.db.inTenant(tenant_id, tx =>
      findMembership(tx, tenant_id, invited.id),
    )
    const out = ended.first.status === 'rejected' ? 'withdrawn' : 'disabled'
    expect(membership!.status).toBe(out)
    return ended.counts
  }
  const counts = await run(Number.POSITIVE_INFINITY, 0)
  for (const { first, second } of listOrders(counts, 60, 1)) await run(first, second)
})

const tokenOf = ({ setup_url }: Invitation) => new URL(setup_url).searchParams.get('token')!
const membershipOf = (user_id: string) =>
  context.db.inTenant(tenant_id, tx => findMembership(tx, tenant_id, user_id))
const hintsOf = async (user_id: string) =>
  (await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, user_id)))!.tenant_ids

test('an invitation sent again while it is accepted: who has accepted is a member', async () => {
  const run = async (first: number, second: number) => {
    const input = { email: `invited${people++}@example.com`, role: 'viewer' as const }
    const invited = await inviteUser(context, tenant_id, operatorOrigin(), ORIGIN, input)
    const link = { token: tokenOf(invited), password: PASSWORD }
    const again: Side<unknown> = own => inviteUser(own, tenant_id, operatorOrigin(), ORIGIN, input)
    const accept: Side<unknown> = own => acceptLink(own, visit, null, link)
    const ended = await interleave(service, again, accept, { first, second })
    if (ended.second.status === 'fulfilled') {
      expect((await membershipOf(invited.id))!.status).toBe('active')
      expect(await hintsOf(invited.id)).toEqual([tenant_id])
    }
    return ended.counts
  }
  const counts = await run(Number.POSITIVE_INFINITY, 0)
  for (const { first, second } of listOrders(counts, 40, 2)) await run(first, second)
})

test('someone removed and invited again at once: the link that was given opens, and lets in', async () => {
  const run = async (first: number, second: number) => {
    service.clock.advance(20 * MINUTE)
    const person = await addPerson(service, tenant_id, 'viewer')
    const { email, user_id } = person
    const remove: Side<unknown> = own => removeMember(own, tenant_id, operatorOrigin(), user_id)
    const input = { email, role: 'viewer' as const }
    const invite: Side<Invitation> = own =>
      inviteUser(own, tenant_id, operatorOrigin(), ORIGIN, input)
    const ended = await interleave(service, remove, invite, { first, second })
    expect(ended.first.status).toBe('fulfilled')
    if (ended.second.status === 'rejected') {
      expect(await hintsOf(user_id)).toEqual([])
      return ended.counts
    }
    const { token } = await logIn(context, visit, { email, password: PASSWORD })
    const session = await sessionBehind(context, token)
    const link = { token: tokenOf(ended.second.value), password: '' }
    await acceptLink(context, visit, session, link)
    expect((await membershipOf(user_id))!.status).toBe('active')
    expect(await hintsOf(user_id)).toEqual([tenant_id])
    return ended.counts
  }
  const counts = await run(Number.POSITIVE_INFINITY, 0)
  for (const { first, second } of listOrders(counts, 40, 3)) await run(first, second)
})

test('someone who joins while being removed is wholly in or wholly out', async () => {
  const run = async (first: number, second: number) => {
    const input = { email: `invited${people++}@example.com`, role: 'viewer' as const }
    const invited = await inviteUser(context, tenant_id, operatorOrigin(), ORIGIN, input)
    const link = { token: tokenOf(invited), password: PASSWORD }
    const accept: Side<unknown> = own => acceptLink(own, visit, null, link)
    const remove: Side<unknown> = own => removeMember(own, tenant_id, operatorOrigin(), invited.id)
    const ended = await interleave(service, accept, remove, { first, second })
    expect(ended.second.status).toBe('fulfilled')
    expect(await membershipOf(invited.id)).toBe(undefined)
    expect(await hintsOf(invited.id)).toEqual([])
    return ended.counts
  }
  const counts = await run(Number.POSITIVE_INFINITY, 0)
  for (const { first, second } of listOrders(counts, 40, 4)) await run(first, second)
})

test('two tenants invite somebody new: one link chooses the password, the other never replaces it', async () => {
  const other = await service.tenant()
  const run = async (first: number, second: number) => {
    service.clock.advance(20 * MINUTE)
    const input = { email: `invited${people++}@example.com`, role: 'viewer' as const }
    const accept = async (by: string, password: string): Promise<Side<unknown>> => {
      const link = await inviteUser(context, by, operatorOrigin(), ORIGIN, input)
      return own => acceptLink(own, visit, null, { token: tokenOf(link), password })
    }
    const sides = [await accept(tenant_id, PASSWORD), await accept(other.tenant_id, OTHER)] as const
    const ended = await interleave(service, ...sides, { first, second })
    const chosen = [ended.first, ended.second].map(({ status }) => status === 'fulfilled')
    expect(chosen.filter(Boolean)).toHaveLength(1)
    const password = chosen[0] ? PASSWORD : OTHER
    await logIn(context, visit, { email: input.email, password })
    return ended.counts
  }
  const counts = await run(Number.POSITIVE_INFINITY, 0)
  for (const { first, second } of listOrders(counts, 40, 5)) await run(first, second)
})

test('someone invited while the only other tenant of theirs is deleted: every link that was given opens', async () => {
  const { tenant_id: gone } = await service.tenant()
  const run = async (first: number, second: number) => {
    const { email } = await addPerson(service, gone, 'viewer')
    const input = { email, role: 'viewer' as const }
    const forget: Side<unknown> = own => forgetTenant(own, gone)
    const invite: Side<Invitation> = own =>
      inviteUser(own, tenant_id, operatorOrigin(), ORIGIN, input)
    const ended = await interleave(service, invite, forget, { first, second })
    expect(ended.second.status).toBe('fulfilled')
    const again = () => inviteUser(context, tenant_id, operatorOrigin(), ORIGIN, input)
    if (ended.first.status === 'rejected') expect(ended.first.reason).toMatchObject({ status: 409 })
    const given = ended.first.status === 'fulfilled' ? ended.first.value : await again()
    expect(await openLink(context, tokenOf(given))).toMatchObject({ email })
    return ended.counts
  }
  const counts = await run(Number.POSITIVE_INFINITY, 0)
  for (const { first, second } of listOrders(counts, 40, 6)) await run(first, second)
})
