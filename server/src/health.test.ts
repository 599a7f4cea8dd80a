// Readiness, which anybody may ask as often as they like.
import { expect, it, onTestFinished } from 'vitest'
import { caller, cloneDatabase, startService } from '../test/service.ts'
import { buildApp } from './app.ts'
import { healthRoutes } from './health.routes.ts'
import type { Context } from './platform/context.ts'
import { openDatabase, type Tx } from './platform/database.ts'
import { createServer } from './platform/http.ts'

const { context } = await startService()

it('200 to hundreds who ask at once, who look at the database one at a time', async () => {
  let [inside, most] = [0, 0]
  const acrossTenants = async <T>(work: (tx: Tx) => Promise<T>) => {
    most = Math.max(most, ++inside)
    return context.db.acrossTenants(work).finally(() => inside--)
  }
  const call = caller(buildApp({ ...context, db: { ...context.db, acrossTenants } }), null)
  const answers = await Promise.all(Array.from({ length: 300 }, () => call('GET', '/readyz')))
  expect(new Set(answers.map(one => one.status))).toEqual(new Set([200]))
  expect(most).toBe(1)
})

it('503 while the database is away, and 200 again afterwards', async () => {
  let isAway = true
  const acrossTenants = async <T>(work: (tx: Tx) => Promise<T>) => {
    if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    return context.db.acrossTenants(work)
  }
  const call = caller(buildApp({ ...context, db: { ...context.db, acrossTenants } }), null)
  expect((await call('GET', '/readyz')).status).toBe(503)
  isAway = false
  expect((await call('GET', '/readyz')).status).toBe(200)
})

it('503 while the database is read-only, as every request would be', async () => {
  const address = await cloneDatabase()
  const ask = async () => {
    const db = openDatabase({ address, pool: 1, prepare: true })
    const call = caller(buildApp({ ...context, db }), null)
    return (await call('GET', '/readyz').finally(() => db.close())).status
  }
  expect(await ask()).toBe(200)
  const owner = openDatabase({ address, pool: 1, prepare: true })
  onTestFinished(() => owner.close())
  await owner.sql.unsafe(
    `ALTER DATABASE ${address.database} SET default_transaction_read_only = on`,
  )
  expect(await ask()).toBe(503)
})

it('503 after a while where the database stands still, and 200 once it goes on', async () => {
  const { promise: still, resolve: goOn } = Promise.withResolvers<void>()
  const acrossTenants = <T>(work: (tx: Tx) => Promise<T>) =>
    still.then(() => context.db.acrossTenants(work))
  const stuck = { ...context, db: { ...context.db, acrossTenants } } as Context
  const server = createServer(stuck)
  onTestFinished(() => server.close())
  healthRoutes(server, stuck, 5)
  const ask = async () => (await server.inject({ method: 'GET', url: '/readyz' })).statusCode
  expect(await ask()).toBe(503)
  goOn()
  await expect.poll(ask).toBe(200)
})
