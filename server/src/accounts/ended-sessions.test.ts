// A session that was ended while one of its requests was under way changes nothing of the account any more.
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { interleave, type Side } from '../../test/interleave.ts'
import { addPerson, ORIGIN, PASSWORD, sessionBehind } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { MINUTE } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { acceptLink } from './accept-link.ts'
import { changePassword } from './change-password.ts'
import { confirmTotp, renewRecoveryCodes, startTotp } from './enrol-totp.ts'
import { logIn } from './log-in.ts'
import { startReset } from './rescue-user.ts'
import { findUser } from './users.queries.ts'

const service = await startService({ pool: 12 })
const { context, clock } = service
const { tenant_id } = await service.tenant()
const CHOSEN = 'seven quiet herons wade'
const OTHER = 'green ladders under rain'
let visits = 0
const visit = () => ({
  address: `192.0.2.${++visits}`,
  request_id: 'req_x',
  device: '',
  cookies: '',
})

/** Somebody with a session, and a reset that will end it. */
async function open() {
  clock.advance(20 * MINUTE)
  const { user_id, email } = await addPerson(service, tenant_id, 'viewer')
  const { token } = await logIn(context, visit(), { email, password: PASSWORD })
  const session = (await sessionBehind(context, token))!
  const user = (await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, user_id)))!
  const { url } = await startReset(context, operatorOrigin(), ORIGIN, user, null)
  const link = { token: new URL(url).searchParams.get('token')!, password: CHOSEN }
  const reset: Side<unknown> = own => acceptLink(own, visit(), null, link)
  const enter = (password: string) => logIn(context, visit(), { email, password })
  return { session, reset, enter }
}

test('a session that was ended chooses no other password', async () => {
  const { session, reset, enter } = await open()
  const change: Side<unknown> = own => changePassword(own, visit(), session, OTHER)
  const ended = await interleave(service, change, reset, { first: 0, second: 100 })
  expect([ended.first.status, ended.second.status]).toEqual(['rejected', 'fulfilled'])
  expect((ended.first as PromiseRejectedResult).reason).toMatchObject({ code: 'UNAUTHORIZED' })
  await expect(enter(OTHER)).rejects.toThrow()
  expect((await enter(CHOSEN)).stage).toBe('signed_in')
})

test('a session that was ended sets up no second factor and makes no recovery codes', async () => {
  const { session, reset, enter } = await open()
  const { secret } = await startTotp(context, session)
  const code = generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
  const confirm: Side<unknown> = own => confirmTotp(own, visit(), session, code)
  // Its attempt is counted in a transaction of its own; then the reset comes.
  const ended = await interleave(service, confirm, reset, { first: 3, second: 100 })
  expect([ended.first.status, ended.second.status]).toEqual(['rejected', 'fulfilled'])
  expect((await enter(CHOSEN)).stage).toBe('signed_in')
  const known = { ...session, has_second_factor: true }
  await expect(renewRecoveryCodes(context, visit(), known)).rejects.toThrow('the session has ended')
  await expect(startTotp(context, session)).rejects.toThrow('the session has ended')
})
