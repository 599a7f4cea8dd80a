// Who waits for a connection: callers are refused after a while, work of our own never.
import { expect, onTestFinished, test, vi } from 'vitest'
import { cloneDatabase } from '../../test/service.ts'
import { openDatabase } from './database.ts'
import { MOST_WAIT_MS } from './fair-gate.ts'

test('looks across tenants wait for a connection however long it takes; the next caller of a tenant does not', async () => {
  const db = openDatabase({ address: await cloneDatabase(), pool: 1, prepare: true })
  onTestFinished(() => db.close())
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const holding = db.inTenant('ten_a', () => held)
  const look = () => db.acrossTenants(tx => tx<{ one: number }[]>`SELECT 1 AS one`)
  const call = () => db.inTenant('ten_a', async () => 'in')
  const waiting = [look(), call()]
  const now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now + MOST_WAIT_MS + 1000)
  onTestFinished(() => void vi.restoreAllMocks())
  waiting.push(look())
  await expect(call()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  letGo()
  await holding
  expect(await Promise.all(waiting)).toEqual([[{ one: 1 }], 'in', [{ one: 1 }]])
})
