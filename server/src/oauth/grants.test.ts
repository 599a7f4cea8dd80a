// Which grants are listed: those that something still comes of, and where there are too many, that there are more.
import { expect, test } from 'vitest'
import { addApp } from '../../test/oauth.ts'
import { signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { findMembership } from '../accounts/memberships.queries.ts'
import { DAY, SECOND } from '../platform/clock.ts'
import { MOST_APPS } from './apps.queries.ts'
import { createApp } from './manage-apps.ts'

const service = await startService()
const { clock, context } = service
const { tenant_id } = await service.tenant()
const app = await addApp(service, tenant_id)

const LISTS = ['/admin/grants', `/admin/apps/${app.client_id}/grants`]

/** How many of this person each list of the tenant holds. */
async function listed({ email }: { email: string }) {
  const owner = await signIn(service, tenant_id)
  const own = async (url: string) => {
    const { body } = await owner.call('GET', url)
    return body.data.filter((grant: { user: { email: string } }) => grant.user.email === email)
  }
  return (await Promise.all(LISTS.map(own))).map(grants => grants.length)
}

test('a grant whose code was never redeemed is listed while the code works, and no longer', async () => {
  const owner = await signIn(service, tenant_id)
  const { query } = app.ask()
  await app.consent(owner, query)
  expect((await owner.call('GET', '/session/grants')).body.data).toHaveLength(1)
  expect(await listed(owner)).toEqual([1, 1])
  clock.advance(60 * SECOND)
  expect((await owner.call('GET', '/session/grants')).body).toEqual({ data: [] })
  expect(await listed(owner)).toEqual([0, 0])
})

test('a grant that was used is listed until its refresh token has been idle for too long', async () => {
  const owner = await signIn(service, tenant_id)
  const { tokens } = await app.connect(owner)
  clock.advance(30 * DAY - SECOND)
  expect(await listed(owner)).toEqual([1, 1])
  const refreshed = await app.refresh(tokens.refresh_token)
  expect(refreshed.status).toBe(200)
  clock.advance(30 * DAY - SECOND)
  expect(await listed(owner)).toEqual([1, 1])
  clock.advance(SECOND)
  expect(await listed(owner)).toEqual([0, 0])
  expect((await app.refresh(refreshed.body.refresh_token)).status).toBe(400)
})

test('of more than a thousand grants the newest are listed, and it is said that there are more', async () => {
  const owner = await signIn(service, tenant_id)
  const { user_id } = owner
  await app.connect(owner)
  const list = async () => (await owner.call('GET', '/session/grants')).body
  expect(await list()).toEqual({ data: [expect.anything()] })
  const { membership_id } = (await context.db.inTenant(tenant_id, tx =>
    findMembership(tx, tenant_id, user_id),
  ))!
  const now = new Date(clock.now())
  const end = new Date(clock.now() + DAY)
  const ids = Array.from({ length: 1000 }, (_, i) => `grt_0${String(i).padStart(4, '0')}`)
  await context.db.inTenant(
    tenant_id,
    tx => tx`INSERT INTO oauth_grants (tenant_id, grant_id, client_id, user_id, membership_id, scopes, created_at,
        expires_at, last_used_at)
      SELECT ${tenant_id}, u.id, ${app.client_id}, ${user_id}, ${membership_id}, '{scores:read}', ${now}::timestamptz,
        ${end}::timestamptz, ${now}::timestamptz
      FROM unnest(${ids}::text[]) AS u(id)`,
  )
  const { data, truncated } = await list()
  expect([data.length, truncated]).toEqual([1000, true])
  expect(data[0].id > data[1].id && data[1].id === ids.at(-1)).toBe(true)
})

test('409 for an app beyond a thousand, so that every one is listed', async () => {
  const other = await service.tenant()
  const at = new Date(clock.now())
  const ids = Array.from({ length: MOST_APPS - 1 }, (_, i) => `app_x_${i}`)
  await context.db.inTenant(
    other.tenant_id,
    tx => tx`INSERT INTO oauth_apps (tenant_id, client_id, name, redirect_uris, scopes, secret_hash, created_by,
        created_at)
      SELECT ${other.tenant_id}, u.id, u.id, '{https://app.example/}', '{scores:read}', '', 'operator:operator',
        ${at}::timestamptz FROM unnest(${ids}::text[]) AS u(id)`,
  )
  const input = {
    name: 'one more',
    redirect_uris: ['https://app.example/'],
    scopes: ['scores:read'],
  } as const
  const add = () => asOperator(context, other.tenant_id, createApp, input)
  const [first, second] = await Promise.allSettled([add(), add()])
  expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected'])
  await expect(add()).rejects.toMatchObject({ status: 409 })
})
