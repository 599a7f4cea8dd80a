// Readiness, which anybody may ask as often as they like.
import { expect, it } from 'vitest'
import { caller, startService } from '../test/service.ts'
import { buildApp } from './app.ts'
import type { Tx } from './platform/database.ts'

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
