// One side of a connection stands still or is gone without a word: the other does not wait for ever.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { cloneDatabase } from '../../test/service.ts'
import { standBetween } from './database.fixture.ts'
import { type Database, type DatabaseOptions, openDatabase, type Tx } from './database.ts'

const VERSION = 18
/** Longer than a busy machine stands still now and then. */
const SHORT_MS = 2_000
/** Longer than it may be silent. */
const REST_MS = 2_300
const BOTH = [{ tls: false }, { tls: true }]

function open(
  address: DatabaseOptions['address'],
  patience?: DatabaseOptions['patience'],
): Database {
  const db = openDatabase({ address, pool: 1, prepare: true, ...(patience && { patience }) })
  onTestFinished(() => db.close())
  return db
}

test('a database that falls silent behind an answer is left too', async () => {
  const silenced = new Set<unknown>()
  const address = await standBetween({
    sent: (bytes, client) => {
      if (bytes.includes('falls_silent')) silenced.add(client)
      return !silenced.has(client)
    },
  })
  const db = open(address, { version: VERSION, silence_ms: SHORT_MS })
  const began = performance.now()
  const lost = db.inTenant('ten_1', async tx => {
    await read(tx)
    const answered = tx`SELECT pg_sleep(0.2)`
    await sleep(1)
    return Promise.all([answered, tx`SELECT 2 AS falls_silent`])
  })
  await expect(lost).rejects.toMatchObject({ status: 503, cause: { code: 'ETIMEDOUT' } })
  expect(performance.now() - began).toBeLessThan(4 * SHORT_MS)
})

const read = (tx: Tx) => tx<{ n: number }[]>`SELECT 1 AS n`

test.for(BOTH)(
  'a database that is gone without a word is left: 503, then another connection, tls $tls',
  async ({ tls }) => {
    const silenced = new Set<unknown>()
    let isGone = false
    const address = await standBetween({
      tls,
      sent: (_bytes, client) => {
        if (isGone) silenced.add(client)
        return !silenced.has(client)
      },
    })
    const db = open(address, { version: VERSION, silence_ms: SHORT_MS })
    await db.inTenant('ten_1', read)
    isGone = true
    const lost = db.inTenant('ten_1', read)
    while (silenced.size === 0) await sleep(1)
    isGone = false
    await expect(lost).rejects.toMatchObject({ status: 503, cause: { code: 'ETIMEDOUT' } })
    expect(await db.inTenant('ten_1', read)).toEqual([{ n: 1 }])
  },
)

test.for(BOTH)(
  'a connection that rests, or whose transaction waits for something else, is not left, tls $tls',
  async ({ tls }) => {
    const db = open(await standBetween({ tls }), { version: VERSION, silence_ms: SHORT_MS })
    const pid = (tx: Tx) => tx<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
    const before = await db.inTenant('ten_1', pid)
    await sleep(REST_MS)
    const during = await db.inTenant('ten_1', async tx => {
      await read(tx)
      await sleep(REST_MS)
      return pid(tx)
    })
    expect([during, await db.inTenant('ten_1', pid)]).toEqual([before, before])
  },
)

test('whoever stands still in the middle of a statement keeps no lock', async () => {
  const still = new Set<unknown>()
  const address = await standBetween({
    sent: (bytes, client) => {
      if (still.has(client)) return false
      // It is parsed; what it is to run with never comes.
      if (bytes.includes('stand_still')) still.add(client)
      return true
    },
  })
  const lock = (tx: Tx) => tx`SELECT pg_advisory_xact_lock(1)`
  const held = open(address, { version: VERSION, transaction_ms: SHORT_MS }).inTenant(
    'ten_1',
    async tx => {
      await lock(tx)
      return tx`SELECT ${'x'}::text AS stand_still`
    },
  )
  held.catch(() => {})
  while (still.size === 0) await sleep(1)
  await open(address).inTenant('ten_1', lock)
  await expect(held).rejects.toMatchObject({ status: 503 })
})

test('what may take longer goes on beyond the limit of others', async () => {
  const db = open(await cloneDatabase(), { version: VERSION, transaction_ms: 200 })
  const rest = (tx: Tx) => tx<{ n: number }[]>`SELECT 1 AS n FROM pg_sleep(0.4)`
  await expect(db.inTenant('ten_1', rest)).rejects.toMatchObject({ status: 503 })
  expect(await db.inTenant('ten_1', rest, 60_000)).toEqual([{ n: 1 }])
})

test('a server that does not know the limit is not asked for it, what may take long has its own', async () => {
  const address = await cloneDatabase()
  const limit = (tx: Tx) =>
    tx<{ ms: string }[]>`SELECT current_setting('transaction_timeout') AS ms`
  const old = open(address, { version: 16 })
  const known = open(address, { version: 17 })
  expect(await old.inTenant('ten_1', limit)).toEqual([{ ms: '0' }])
  expect(await known.inTenant('ten_1', limit)).toEqual([{ ms: '1min' }])
  expect(await known.readTenant('ten_1', limit)).toEqual([{ ms: '1min' }])
  expect(await known.readTenant('ten_1', limit, 300_000)).toEqual([{ ms: '320s' }])
  expect(await known.inTenant('ten_1', limit, 200_000)).toEqual([{ ms: '220s' }])
})

test.for([
  { version: 16, prepare: true },
  { version: 18, prepare: true },
  { version: 18, prepare: false },
])(
  'of what was given up after its deadline nothing is kept: $version, prepared: $prepare',
  async how => {
    const address = await cloneDatabase()
    const patience = { version: how.version, deadline_ms: 100 }
    const db = openDatabase({ address, pool: 1, prepare: how.prepare, patience })
    onTestFinished(() => db.close())
    await db.sql`CREATE TABLE kept (n int)`
    const write = async (tx: Tx) => {
      await tx`INSERT INTO kept VALUES (1)`
      await tx`SELECT pg_sleep(0.3)`
    }
    const late = { status: 503, cause: { code: 'DEADLINE' } }
    await expect(db.inTenant('ten_1', write)).rejects.toMatchObject(late)
    await expect(db.inTenant('ten_1', write, 100)).rejects.toMatchObject(late)
    const both = (tx: Tx) => Promise.all([write(tx), write(tx)])
    await expect(db.inTenant('ten_1', both)).rejects.toMatchObject(late)
    // The only connection is free when all of them have come to their end.
    expect(await db.sql`SELECT count(*) FROM kept`).toEqual([{ count: 0 }])
  },
)
