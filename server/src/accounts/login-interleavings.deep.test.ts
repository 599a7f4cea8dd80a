// A login meets a change of the account, statement by statement in many orders: it never opens what the change closed.
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { type Ended, interleave, listOrders, type Side } from '../../test/interleave.ts'
import { addPerson, PASSWORD, sessionBehind } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { MINUTE } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { changePassword } from './change-password.ts'
import { confirmTotp, startTotp } from './enrol-totp.ts'
import type { Session } from './identity.ts'
import { logIn } from './log-in.ts'
import type { OpenedSession } from './open-session.ts'
import { setUserEnabled } from './rescue-user.ts'
import { flushTold } from './tell-later.ts'
import { findUser } from './users.queries.ts'

const service = await startService({ pool: 12 })
const { clock, context } = service
const tenant = await service.tenant()

/** Orders tried for each pair; more than these change nothing but the time. */
const MOST_ORDERS = 30
const CHANGED = 'seven quiet herons wade'

type Person = { user_id: string; email: string; session: Session; totp_secret: string }

let visits = 0
const visit = () => ({
  address: `192.0.2.${++visits % 250}`,
  request_id: 'req_x',
  device: '',
  cookies: '',
})

async function newPerson(): Promise<Person> {
  clock.advance(20 * MINUTE)
  const { user_id, email } = await addPerson(service, tenant.tenant_id, 'viewer')
  const { token } = await logIn(context, visit(), { email, password: PASSWORD })
  return {
    user_id,
    email,
    session: (await sessionBehind(context, token))!,
    totp_secret: '',
  }
}

/** What is told to the tenants after the answer belongs to this side too. */
function login(email: string): Side<OpenedSession> {
  return own => logIn(own, visit(), { email, password: PASSWORD }).finally(() => flushTold(own))
}

type Change = (own: Context, person: Person) => Promise<unknown>
type Outcome = Ended<OpenedSession, unknown>

async function contest(
  set: () => Promise<Person>,
  change: Change,
  check: (person: Person, ended: Outcome) => Promise<void>,
): Promise<void> {
  const run = async (first: number, second: number) => {
    const person = await set()
    const side: Side<unknown> = own => change(own, person)
    const ended = await interleave(service, login(person.email), side, { first, second })
    if (ended.second.status === 'rejected') throw ended.second.reason
    if (ended.first.status === 'rejected') expect(ended.first.reason.status).toBe(401)
    await check(person, ended)
    return ended.counts
  }
  const counts = await run(Number.POSITIVE_INFINITY, 0)
  for (const { first, second } of listOrders(counts, MOST_ORDERS, 1)) {
    await run(first, second).catch((error: Error) => {
      throw new Error(`order ${first}, ${second} of ${counts}: ${error.message}`, { cause: error })
    })
  }
}

async function stagesOf(user_id: string) {
  const rows = await context.db.inTenant(
    RESERVED_TENANT,
    tx => tx<{ session_id: string; stage: string }[]>`SELECT session_id, stage FROM sessions
      WHERE tenant_id = ${RESERVED_TENANT} AND user_id = ${user_id} ORDER BY session_id`,
  )
  return rows.map(({ session_id, stage }) => ({ session_id, stage }))
}

const own = ({ session: { session_id } }: Person) => [{ session_id, stage: 'signed_in' }]

/** The code of another moment for each person, since every step works once. */
const codeNow = (secret: string) => generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })

async function withTotp(): Promise<Person> {
  const person = await newPerson()
  const { secret } = await startTotp(context, person.session)
  await confirmTotp(context, visit(), person.session, codeNow(secret))
  return person
}

async function enrolling(): Promise<Person> {
  const person = await newPerson()
  const { secret } = await startTotp(context, person.session)
  return { ...person, totp_secret: secret }
}

const changePasswordOf: Change = (context, { session }) =>
  changePassword(context, visit(), session, CHANGED)

test('with the former password nothing is open after the change', async () => {
  await contest(newPerson, changePasswordOf, async person => {
    expect(await stagesOf(person.user_id)).toEqual(own(person))
  })
})

test('nor does a login wait for its code with the former password', async () => {
  await contest(withTotp, changePasswordOf, async person => {
    expect(await stagesOf(person.user_id)).toEqual(own(person))
  })
})

test('once a second factor is confirmed, the password alone has opened nothing', async () => {
  const confirm: Change = (context, { session, totp_secret }) =>
    confirmTotp(context, visit(), session, codeNow(totp_secret))
  await contest(enrolling, confirm, async (person, { first }) => {
    const stages = await stagesOf(person.user_id)
    expect(stages.filter(({ stage }) => stage === 'signed_in')).toEqual(own(person))
    expect(first.status).toBe('fulfilled')
  })
})

test('whom the operator shuts out has no session', async () => {
  const shutOut: Change = async (context, { user_id }) => {
    const user = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, user_id))
    await setUserEnabled(context, operatorOrigin(), user!, false)
  }
  await contest(newPerson, shutOut, async person => {
    expect(await stagesOf(person.user_id)).toEqual([])
  })
})

test('two logins that make a hash anew at once both enter', async () => {
  const password_cost = { memory_kib: 16, passes: 1 }
  const dearer = (own: Context) => ({ ...own, config: { ...own.config, password_cost } })
  for (const first of [4, 8, 12, 16, 20]) {
    const { email } = await newPerson()
    const side: Side<OpenedSession> = own => login(email)(dearer(own))
    const ended = await interleave(service, side, side, { first, second: 100 })
    expect([ended.first.status, ended.second.status]).toEqual(['fulfilled', 'fulfilled'])
  }
})
