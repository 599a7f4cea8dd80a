// Which grants are listed: those that something still comes of, and where there are too many, that there are more; that
// none is made of an app or a person that is gone; and when what has ended is forgotten.
import { expect, test } from 'vitest'
import { interleave, listOrders, type Side } from '../../test/interleave.ts'
import { addApp, challengeOf, REDIRECT_URI, type TestApp } from '../../test/oauth.ts'
import { signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { removeMember } from '../accounts/manage-members.ts'
import { findMembership } from '../accounts/memberships.queries.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { DAY, MINUTE, SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { approveRequest } from './approve-request.ts'
import { findApp, lockLiveGrant, MOST_APPS } from './apps.queries.ts'
import { forgetTokensJob } from './forget-tokens.job.ts'
import { changeApp, createApp, removeApp } from './manage-apps.ts'

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

test('409 for redirect URIs that are longer than 64 KiB over all apps, made or changed', async () => {
  const { tenant_id } = await service.tenant()
  const long = (start: string, count: number) =>
    Array.from({ length: count }, (_, i) => `https://app.example/${start}${i}/`.padEnd(1800, 'x'))
  const app = { name: 'Long', scopes: ['scores:read' as const] }
  const add = (redirect_uris: string[]) =>
    asOperator(context, tenant_id, createApp, { ...app, redirect_uris })
  await add(long('a', 20))
  const { client_id } = await add(long('b', 16))
  const refused = {
    status: 409,
    message: expect.stringMatching(/^the redirect URIs of all apps .* at most 64 KiB/),
  }
  await expect(add(long('c', 1))).rejects.toMatchObject(refused)
  const change = (redirect_uris: string[]) =>
    asOperator(context, tenant_id, changeApp, client_id, { redirect_uris })
  await expect(change(long('d', 17))).rejects.toMatchObject(refused)
  await change(long('d', 16))
  await asOperator(context, tenant_id, changeApp, client_id, { name: 'Renamed' })
})

test('two apps made in parallel do not pass the bound of redirect URIs together', async () => {
  const { tenant_id } = await service.tenant()
  const redirect_uris = Array.from({ length: 20 }, (_, i) =>
    `https://app.example/${i}/`.padEnd(1800, 'x'),
  )
  const input = { name: 'Long', redirect_uris, scopes: ['scores:read' as const] }
  const add = () => asOperator(context, tenant_id, createApp, input)
  const ends = await Promise.allSettled([add(), add()])
  expect(ends.map(end => end.status).sort()).toEqual(['fulfilled', 'rejected'])
})

/** Somebody says yes while the app or the person is taken away, statement by statement in many orders. */
async function contest(
  take: (own: Context, app: TestApp, user_id: string) => Promise<unknown>,
  gone: string,
) {
  const code_challenge = challengeOf('a verifier of no matter')
  let refused = 0
  const run = async (first: number, second: number) => {
    clock.advance(20 * MINUTE)
    const own = await addApp(service, tenant_id)
    const { user_id } = await signIn(service, tenant_id)
    const { row, member } = await context.db.inTenant(tenant_id, async tx => ({
      row: (await findApp(tx, tenant_id, own.client_id))!,
      member: (await findMembership(tx, tenant_id, user_id))!,
    }))
    const client = {
      tenant_id,
      tenant_name: '',
      suspended: false,
      app: row,
      redirect_uri: REDIRECT_URI,
    }
    const { membership_id, role } = member
    const offer = { membership_id, role, code_challenge, granted: row.scopes, withheld: [] }
    const origin = { ...operatorOrigin(), actor: { kind: 'user', id: user_id } as const }
    const approve: Side<unknown> = side => approveRequest(side, origin, client, offer)
    const ended = await interleave(service, approve, side => take(side, own, user_id), {
      first,
      second,
    })
    if (ended.second.status === 'rejected') throw ended.second.reason
    if (ended.first.status === 'rejected') refused++
    const log = await context.db.inTenant(
      tenant_id,
      tx => tx<{ action: string }[]>`SELECT action FROM audit_entries WHERE tenant_id = ${tenant_id}
        AND action IN ('grant.approved', ${gone}) ORDER BY seq DESC LIMIT 1`,
    )
    expect(log).toEqual([{ action: gone }])
    return { counts: ended.counts, client_id: own.client_id }
  }
  const { counts } = await run(Number.POSITIVE_INFINITY, 0)
  const apps: string[] = []
  for (const { first, second } of listOrders(counts, 0, 1))
    apps.push((await run(first, second)).client_id)
  expect(refused).toBeGreaterThan(0)
  return apps
}

test('an app that is removed while somebody lets it in is let in by nobody afterwards, and keeps no grant that works', async () => {
  const apps = await contest(
    (own, { client_id }) => asOperator(own, tenant_id, removeApp, client_id),
    'oauth_app.deleted',
  )
  const now = new Date(clock.now())
  await context.db.inTenant(tenant_id, async tx => {
    const left = await tx<{ grant_id: string }[]>`SELECT grant_id FROM oauth_grants
      WHERE tenant_id = ${tenant_id} AND client_id = ANY(${apps}::text[])`
    for (const { grant_id } of left)
      expect(await lockLiveGrant(tx, tenant_id, grant_id, now)).toBeUndefined()
  })
})

test('somebody who is removed while letting an app in lets it in no more afterwards', async () => {
  await contest(
    (own, _, user_id) => removeMember(own, tenant_id, operatorOrigin(), user_id),
    'user.removed',
  )
})

test('what has ended is forgotten a week later and not before; what still works stays', async () => {
  const { tenant_id: own } = await service.tenant()
  const maker = await addApp(service, own)
  const began = clock.now()
  const person = await signIn(service, own)
  const used = await maker.connect(person)
  const idle = await maker.connect(person)
  const left = async (at: number) => {
    clock.set(at)
    await runDueJobs(context, [forgetTokensJob()])
    const [row] = await context.db.sql`SELECT
      (SELECT count(*) FROM oauth_tokens WHERE tenant_id = ${own}) AS tokens,
      (SELECT count(*) FROM oauth_grants WHERE tenant_id = ${own}) AS grants,
      (SELECT count(*) FROM oauth_codes WHERE tenant_id = ${own}) AS codes`
    return { ...row }
  }
  const accessGone = began + 900 * SECOND + 7 * DAY
  expect(await left(accessGone)).toEqual({ tokens: 4, grants: 2, codes: 2 })
  expect(await left(accessGone + 1)).toEqual({ tokens: 2, grants: 2, codes: 2 })
  const renewed = await maker.refresh(used.tokens.refresh_token)
  expect(renewed.status).toBe(200)
  const refreshGone = began + 30 * DAY + 7 * DAY
  expect(await left(refreshGone)).toEqual({ tokens: 3, grants: 2, codes: 2 })
  expect(await left(refreshGone + 1)).toEqual({ tokens: 1, grants: 2, codes: 2 })
  expect((await maker.refresh(renewed.body.refresh_token)).status).toBe(200)
  const replayed = await maker.post('/oauth/token', {
    grant_type: 'authorization_code',
    code: idle.code,
    redirect_uri: REDIRECT_URI,
    code_verifier: idle.verifier,
  })
  expect(replayed.body.error_description).toMatch(/used before/)
  await maker.connect(await signIn(service, own))
  const grantGone = began + 365 * DAY + 7 * DAY
  expect(await left(grantGone)).toEqual({ tokens: 0, grants: 3, codes: 3 })
  expect(await left(grantGone + 1)).toEqual({ tokens: 0, grants: 1, codes: 1 })
})
