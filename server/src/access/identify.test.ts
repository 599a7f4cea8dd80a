// Looking up credentials: however many name one tenant, invented or not, they take one place in its line.
import { expect, it } from 'vitest'
import { addApp } from '../../test/oauth.ts'
import { signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { newKey } from '../keys/key-format.ts'
import { authenticateClient } from '../oauth/authenticate-client.ts'
import { findClient } from '../oauth/authorize.ts'
import { newCredential } from '../oauth/token-format.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { unavailable } from '../platform/errors.ts'
import { readForm } from '../platform/form-body.ts'
import { idPart } from '../platform/ids.ts'
import { newToken } from '../platform/tokens.ts'
import { createIdentifier } from './identify.ts'
import { createSessionReader } from './identify-session.ts'

const service = await startService()
const { context } = service
const acme = await service.tenant()
const { tenant_id } = acme

/** Asks for all of them at once: who each is, and how many transactions were wanted at a time. */
async function askAll<T>(
  credentials: readonly string[],
  open: (own: Context) => (credential: string) => Promise<T | null>,
) {
  let [inside, most] = [0, 0]
  const counted = async <R>(id: string, work: (tx: Tx) => Promise<R>) => {
    most = Math.max(most, ++inside)
    return context.db.inTenant(id, work).finally(() => inside--)
  }
  const ask = open({ ...context, db: { ...context.db, inTenant: counted } })
  const found = await Promise.all(credentials.map(ask))
  return { most, found }
}

const identifyAll = async (bearers: readonly string[]) => {
  const { most, found } = await askAll(bearers, own => createIdentifier(own).identify)
  return { most, actors: found.map(one => one?.actor.id ?? null) }
}

/** What somebody makes up who knows the tenant's id, with a good one in the middle. */
function amidInvented(good: string, invent: () => string): string[] {
  const some = () => Array.from({ length: 100 }, invent)
  return [...some(), good, ...some()]
}

const nobody = Array(100).fill(null)

it('keys: the good one among hundreds of invented ones is known, and the line has one of them at a time', async () => {
  const bearers = amidInvented(acme.key, () => newKey(idPart(tenant_id)))
  const { most, actors } = await identifyAll(bearers)
  expect(actors).toEqual([...nobody, acme.key_id, ...nobody])
  expect(most).toBe(1)
})

it('access tokens: the same of a good one among invented ones', async () => {
  const app = await addApp(service, tenant_id)
  const { tokens } = await app.connect(await signIn(service, tenant_id, 'owner'))
  const bearers = amidInvented(tokens.access_token, () => newCredential('access', tenant_id))
  const { most, actors } = await identifyAll(bearers)
  expect(actors).toEqual([...nobody, app.client_id, ...nobody])
  expect(most).toBe(1)
})

it('sessions: the same of a good one among invented ones', async () => {
  const person = await signIn(service, tenant_id, 'viewer')
  const bearers = amidInvented(person.cookie().split('=')[1]!, newToken)
  const { most, found } = await askAll(bearers, createSessionReader)
  expect(found.map(one => one?.user_id ?? null)).toEqual([...nobody, person.user_id, ...nobody])
  expect(most).toBe(1)
})

const INVENTED = 'ten_00000000000000000000000'

it('invented tenants have no line of their own: all of them are asked for together', async () => {
  const { most, named, found } = await askInvented(async own => {
    const some = (n: number) =>
      [...Array(100)].map((_, i) => `${INVENTED}${n}${String(i).padStart(2, '0')}`)
    const bearers = [
      ...some(0).map(id => newKey(idPart(id))),
      acme.key,
      ...some(1).map(id => newCredential('access', id)),
    ]
    const { identify } = createIdentifier(own)
    return Promise.all(bearers.map(identify))
  })
  expect(found.map(one => one?.actor.id ?? null)).toEqual([...nobody, acme.key_id, ...nobody])
  expect(named).toEqual([tenant_id])
  expect(most).toBe(1)
})

it('nor have those that invented apps name', async () => {
  const ids = [...Array(100)].map((_, i) => `${INVENTED}2${i}`)
  const { most, named } = await askInvented(own =>
    Promise.all(
      ids.map(id => {
        const client_id = newCredential('client', id)
        const form = readForm(`client_id=${client_id}&client_secret=x&redirect_uri=https://x.com`)
        return Promise.all([
          expect(authenticateClient(own, form, undefined)).rejects.toThrow('client_id'),
          expect(findClient(own, form)).rejects.toThrow('no app we know'),
        ])
      }),
    ),
  )
  expect(named).toEqual([])
  expect(most).toBe(1)
})

/** The tenants in whose lines was waited, and how many looks across tenants were wanted at a time. */
async function askInvented<T>(ask: (own: Context) => Promise<T>) {
  const named: string[] = []
  let [inside, most] = [0, 0]
  const { db } = context
  const inTenant = <R>(id: string, work: (tx: Tx) => Promise<R>) => {
    named.push(id)
    return db.inTenant(id, work)
  }
  const acrossTenants = <R>(work: (tx: Tx) => Promise<R>) => {
    most = Math.max(most, ++inside)
    return db.acrossTenants(work).finally(() => inside--)
  }
  const found = await ask({ ...context, db: { ...db, inTenant, acrossTenants } })
  return { named, most, found }
}

it('that a key was used is written by the next flush where one fails', async () => {
  let isAway = false
  const inTenant = <R>(id: string, work: (tx: Tx) => Promise<R>) =>
    context.db.inTenant(id, tx => (isAway ? Promise.reject(unavailable()) : work(tx)))
  const own = { ...context, db: { ...context.db, inTenant } }
  const { identify, flush } = createIdentifier(own)
  service.clock.advance(60_000)
  await identify(acme.key)
  isAway = true
  await expect(flush()).rejects.toMatchObject({ status: 503 })
  isAway = false
  await flush()
  const [key] = await context.db.inTenant(
    tenant_id,
    tx => tx`SELECT last_used_at FROM api_keys
      WHERE tenant_id = ${tenant_id} AND key_id = ${acme.key_id}`,
  )
  expect(key!.last_used_at).toEqual(new Date(service.clock.now()))
})
