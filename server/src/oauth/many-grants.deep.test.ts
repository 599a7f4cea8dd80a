// Grants and codes that pile up, by somebody who consents again and again: they are bounded, and hold up nobody.
import { expect, test } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { addApp, challengeOf } from '../../test/oauth.ts'
import { signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { mayStill } from '../access/judge-originator.ts'
import { askAsOperator } from '../accounts/identity.ts'
import { findMembership } from '../accounts/memberships.queries.ts'
import { DAY, MINUTE } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { removeApp } from './manage-apps.ts'
import { isChallengeSpent } from './tokens.queries.ts'

const service = await startService()
const { clock, context } = service
const { tenant_id } = await service.tenant()
const MANY = 5_000

/** Somebody who has let the app in many times. */
async function letInOften() {
  const app = await addApp(service, tenant_id)
  const person = await signIn(service, tenant_id, 'viewer')
  const { client_id } = app
  const { user_id } = person
  const now = new Date(clock.now())
  const end = new Date(clock.now() + DAY)
  await context.db.inTenant(tenant_id, async tx => {
    const { membership_id } = (await findMembership(tx, tenant_id, user_id))!
    await tx`INSERT INTO oauth_grants (tenant_id, grant_id, client_id, user_id, membership_id, scopes, created_at,
        expires_at, last_used_at)
      SELECT ${tenant_id}, 'grt_' || i || ${user_id}, ${client_id}, ${user_id}, ${membership_id}, '{scores:read}',
        ${now}::timestamptz, ${end}::timestamptz, ${now}::timestamptz FROM generate_series(1, ${MANY}::int) i`
    await tx`INSERT INTO oauth_codes (tenant_id, code_hash, grant_id, client_id, redirect_uri, code_challenge,
        expires_at, used_at)
      SELECT ${tenant_id}, sha256((i || ${user_id})::bytea), 'grt_' || i || ${user_id}, ${client_id}, '', i::text,
        ${now}::timestamptz, ${now}::timestamptz FROM generate_series(1, ${MANY}::int) i`
  })
  return { app, person }
}

async function readBy(table: string, work: (tx: Tx) => Promise<unknown>): Promise<number> {
  return context.db.inTenant(tenant_id, async tx => {
    const before = await countRead(tx, table)
    await work(tx)
    return (await countRead(tx, table)) - before
  })
}

test('an app is removed at once however often it was let in, and nothing of it works any more', async () => {
  const { app, person } = await letInOften()
  const { tokens } = await app.connect(person)
  const asked = askAsOperator(tenant_id, clock.now())
  const read = await readBy('oauth_grants', tx => removeApp(tx, asked, app.client_id))
  expect(read).toBeLessThan(MANY / 2)
  expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_client')
  expect((await person.call('GET', '/session/grants')).body.data).toEqual([])
})

test('whether somebody lets an app do something is found by the newest who does', async () => {
  const { app } = await letInOften()
  const now = new Date(clock.now())
  const read = await readBy('oauth_grants', async tx => {
    const may = await mayStill(tx, tenant_id, `app:${app.client_id}`, 'scores:read', now)
    expect(may).toBe(true)
  })
  expect(read).toBeLessThan(10)
})

test('whether a challenge has redeemed a code is found without reading the codes', async () => {
  const { app } = await letInOften()
  const find = (challenge: string) =>
    readBy('oauth_codes', async tx => {
      const spent = await isChallengeSpent(tx, tenant_id, app.client_id, challenge)
      expect(spent).toBe(challenge === '7')
    })
  expect(await find(challengeOf('another'))).toBeLessThan(10)
  expect(await find('7')).toBeLessThan(10)
})

test('what was approved and never redeemed goes with the next approval, once its code is long dead', async () => {
  const app = await addApp(service, tenant_id)
  const other = await addApp(service, tenant_id)
  const person = await signIn(service, tenant_id, 'viewer')
  const left = async () => {
    const [row] = await context.db.sql`SELECT
      (SELECT count(*) FROM oauth_grants WHERE tenant_id = ${tenant_id} AND user_id = ${person.user_id}) AS grants,
      (SELECT count(*) FROM oauth_codes c JOIN oauth_grants g USING (tenant_id, grant_id)
        WHERE tenant_id = ${tenant_id} AND user_id = ${person.user_id}) AS codes`
    return { ...row }
  }
  const { tokens } = await app.connect(person)
  await other.consent(person, other.ask().query)
  for (let i = 0; i < 3; i++) await app.consent(person, app.ask().query)
  expect(await left()).toEqual({ grants: 5, codes: 5 })
  clock.advance(11 * MINUTE)
  await app.consent(person, app.ask().query)
  // The one in use and the new one.
  expect(await left()).toEqual({ grants: 2, codes: 2 })
  expect((await app.refresh(tokens.refresh_token)).status).toBe(200)
})
