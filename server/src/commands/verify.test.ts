// The operator's proof in words, and whether the key of before may be dropped.
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { addPerson, PASSWORD, sessionBehind, signIn } from '../../test/people.ts'
import { run } from '../../test/program.ts'
import { cloneDatabase, startService } from '../../test/service.ts'
import { confirmTotp, startTotp } from '../accounts/enrol-totp.ts'
import { asOperator } from '../accounts/identity.ts'
import { logIn } from '../accounts/log-in.ts'
import { factorPurpose } from '../accounts/totp.ts'
import { findUser } from '../accounts/users.queries.ts'
import { countOldSeals } from '../count-old-seals.ts'
import { DAY } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { createSecrets, keyFromSetting, type Secrets } from '../platform/secrets.ts'
import { rotateSecret } from '../webhooks/manage-webhooks.ts'

const service = await startService()
const { context, clock, address } = service
const { tenant_id, call } = await service.tenant()
/** The key the service of the tests seals with. */
const BEFORE = 'a key for tests only, long enough'
const NOW = 'the key that comes after it, as long'

const hired = { first_name: 'Ada', last_name: 'Byron' }
await call('POST', '/v1/employees', { ...hired, email: 'ada@example.com' })
const webhook = await call(
  'POST',
  '/v1/webhooks',
  { url: 'https://receiver.example/', events: ['score.updated'] },
  { 'idempotency-key': 'once' },
)
const person = await signIn(service, tenant_id, 'admin')
const { secret } = (await person.call('POST', '/session/totp')).body
const code = generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
await person.call('POST', '/session/totp/confirm', { code })

const env = {
  DATABASE_URL: databaseUrl(address),
  BELLWETHER_SECRET_KEY: NOW,
  BELLWETHER_SECRET_KEY_BEFORE: BEFORE,
}
const ask = (...args: string[]) => run(['verify', ...args], env)

test('one line for a tenant, and one for what the key of before still seals', async () => {
  const sealed = '1 signing secret, 1 second factor, 1 answer kept for a day'
  expect(await ask()).toEqual({
    code: 0,
    stdout:
      `${tenant_id}: 1 employee, clean\n` +
      `BELLWETHER_SECRET_KEY_BEFORE is still needed: it seals ${sealed}.\n`,
    stderr: '',
  })
  expect(JSON.parse((await ask('--json')).stdout)).toMatchObject({
    clean: true,
    sealed_before: { signing_secrets: 1, second_factors: 1, answers: 1 },
  })
  const alone = await ask('--tenant', tenant_id)
  expect(alone.stdout).toBe(`${tenant_id}: 1 employee, clean\n`)
})

test('a key of before that is the key in use itself can be dropped', async () => {
  const { stdout } = await run(['verify'], { ...env, BELLWETHER_SECRET_KEY: BEFORE })
  expect(stdout.split('\n').at(-2)).toContain('can be dropped')
})

test('without tenants it says that there is nothing to prove', async () => {
  const DATABASE_URL = databaseUrl(await cloneDatabase())
  expect(await run(['verify'], { DATABASE_URL })).toEqual({
    code: 0,
    stdout: 'There are no tenants.\n',
    stderr: '',
  })
})

test('a tenant whose deletion was cut short is named, and the others are proven', async () => {
  const half = await service.tenant()
  await half.call('POST', '/v1/employees', { ...hired, email: 'ada@example.com' })
  await context.db.sql`UPDATE tenants SET status = 'deleting' WHERE tenant_id = ${half.tenant_id}`
  await context.db.sql`DELETE FROM band_edges WHERE tenant_id = ${half.tenant_id}`
  const { code, stdout, stderr } = await ask()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`${tenant_id}: 1 employee, clean\n`)
  expect(stdout).toContain(`${half.tenant_id}: being deleted; \`tenant delete\` again ends it\n`)
  expect(JSON.parse((await ask('--json')).stdout)).toMatchObject({
    tenants: [{ tenant_id }],
    being_deleted: [half.tenant_id],
  })
})

test('a second factor whose set-up is unfinished needs no key of before', async () => {
  const visit = { address: '192.0.2.7', request_id: 'req_x', device: '', cookies: '' }
  const { email, user_id } = await addPerson(service, tenant_id, 'viewer')
  const { token } = await logIn(context, visit, { email, password: PASSWORD })
  const session = (await sessionBehind(context, token))!
  const { secret } = await startTotp(context, session)
  const code = generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
  const alone = createSecrets(keyFromSetting(NOW))
  const confirm = (secrets: Secrets) => confirmTotp({ ...context, secrets }, visit, session, code)
  // With that key gone the set-up begins again.
  await expect(confirm(alone)).rejects.toMatchObject({ code: 'CONFLICT' })
  await confirm(createSecrets(keyFromSetting(NOW), keyFromSetting(BEFORE)))
  const user = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, user_id))
  expect(alone.open(user!.totp_secret!, factorPurpose(user_id))).toBe(secret)
})

test('when all is renewed and the day of the old signing secret is over, it says that the key can go', async () => {
  const keys = [keyFromSetting(NOW), keyFromSetting(BEFORE)] as const
  const config = { ...context.config, secret_key_before: BEFORE }
  const renewed = { ...context, config, secrets: createSecrets(...keys) }
  const count = () => countOldSeals(renewed, [tenant_id])
  const { db } = context
  await asOperator(context, tenant_id, rotateSecret, webhook.body.id, renewed)
  expect(await count()).toMatchObject({ signing_secrets: 1 })
  clock.advance(DAY)
  expect(await count()).toMatchObject({ signing_secrets: 0, second_factors: 1 })
  await db.sql`DELETE FROM idempotent_answers`
  await db.sql`UPDATE users SET totp_secret = NULL`
  const { code, stdout } = await ask()
  expect({ code, last: stdout.split('\n').at(-2) }).toEqual({
    code: 0,
    last: 'BELLWETHER_SECRET_KEY_BEFORE seals nothing any more and can be dropped.',
  })
})
