// A connection that ends in the middle of a transaction: the call is refused, the process lives, the pool recovers.
import { getDefaultHighWaterMark, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { cloneDatabase } from '../../test/service.ts'
import { standBetween } from './database.fixture.ts'
import { type Database, openDatabase, type Tx } from './database.ts'
import { openPool, type Pool } from './pool.ts'

async function open(
  pool: number,
): Promise<{ db: Database; endSession(pid: number): Promise<unknown> }> {
  const address = await cloneDatabase()
  const db = openDatabase({ address, pool, prepare: true })
  const admin = openDatabase({ address, pool: 1, prepare: true })
  onTestFinished(async () => {
    await db.close()
    await admin.close()
  })
  return { db, endSession: pid => admin.sql`SELECT pg_terminate_backend(${pid})` }
}

async function readPid(tx: Tx): Promise<number> {
  const [row] = await tx<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
  return row!.pid
}

test('503 for whoever goes on in a transaction whose connection has ended', async () => {
  const { db, endSession } = await open(1)
  for (let round = 0; round < 5; round++) {
    const cut = db.inTenant('ten_1', async tx => {
      const pid = await readPid(tx)
      await Promise.allSettled([tx`SELECT pg_sleep(20)`, endSession(pid)])
      await Promise.allSettled([tx`SELECT 1`, tx`SELECT 2`])
      return tx`SELECT 3`
    })
    await expect(cut).rejects.toMatchObject({ status: 503 })
    // The one connection of this pool is made anew, and writes again.
    expect(await db.inTenant('ten_1', readPid)).toBeGreaterThan(0)
  }
})

test('what a lost transaction still sends reaches nobody else', async () => {
  const { db, endSession } = await open(1)
  let goOn = () => {}
  const later = new Promise<void>(resolve => {
    goOn = resolve
  })
  let late: Promise<unknown> = Promise.resolve()
  const lost = db.inTenant('ten_1', async tx => {
    await endSession(await readPid(tx))
    late = later.then(() => tx`CREATE TABLE stray (n int)`)
    late.catch(() => {})
    return tx`SELECT pg_sleep(20)`
  })
  await expect(lost).rejects.toMatchObject({ status: 503 })
  await db.inTenant('ten_2', async tx => {
    await readPid(tx)
    goOn()
    await expect(late).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    await readPid(tx)
  })
  const found = await db.inTenant('ten_2', tx => tx`SELECT 1 FROM pg_class WHERE relname = 'stray'`)
  expect(found).toEqual([])
})

test('the first statements go out with BEGIN, and what nobody waits for with COMMIT', async () => {
  let [trips, asking] = [0, false]
  const address = await standBetween({
    sent: () => {
      if (!asking) trips++
      asking = true
      return true
    },
    answered: () => {
      asking = false
    },
  })
  const db = openDatabase({ address, pool: 1, prepare: true })
  onTestFinished(() => db.close())
  const read = (tx: Tx) => tx`SELECT 1 AS n`
  const write = (tx: Tx) => tx`SELECT set_config('bellwether.x', 'y', true)`
  const run = () =>
    db.inTenant('ten_1', async tx => {
      const rows = await read(tx)
      write(tx).catch(() => {})
      return rows
    })
  await run()
  trips = 0
  expect(await run()).toEqual([{ n: 1 }])
  expect(trips).toBe(2)
})

test('what nobody waits for fails the transaction, by its own fault, and nothing of it is kept', async () => {
  const { db } = await open(2)
  await db.sql`CREATE TABLE kept (n int PRIMARY KEY)`
  await db.sql`INSERT INTO kept VALUES (1)`
  const put = (tx: Tx, n: number) => tx`INSERT INTO kept VALUES (${n})`
  const lost = db.inTenant('ten_1', async tx => {
    put(tx, 2).catch(() => {})
    put(tx, 1).catch(() => {})
    put(tx, 3).catch(() => {})
    return 'done'
  })
  await expect(lost).rejects.toMatchObject({ code: '23505' })
  expect(await db.sql`SELECT n FROM kept`).toEqual([{ n: 1 }])
  // The connection is whole again.
  expect(await db.inTenant('ten_1', tx => put(tx, 4).then(() => 'done'))).toBe('done')
  expect(await db.sql`SELECT n FROM kept ORDER BY n`).toEqual([{ n: 1 }, { n: 4 }])
})

const ROW_BYTES = 4_000
/** The last row fills the stream, so that it and the end come in the same piece of the answer. */
const ROWS = Math.ceil(getDefaultHighWaterMark(false) / ROW_BYTES)

const copyRows = (tx: Tx) =>
  tx`COPY (SELECT repeat('x', ${tx.unsafe(`${ROW_BYTES - 1}`)})
    FROM generate_series(1, ${tx.unsafe(`${ROWS}`)})) TO STDOUT`.readable()

/** Begins to read when everything is there. */
async function readLate(rows: Readable): Promise<number> {
  while (rows.readableLength < ROWS * ROW_BYTES) await setImmediate()
  return (await buffer(rows)).length
}

test('a slow reader of one COPY after another comes to the end of each', async () => {
  const { db } = await open(1)
  const read = await db.inTenant('ten_1', async tx => {
    const sizes = []
    for (let table = 0; table < 5; table++) sizes.push(await readLate(await copyRows(tx)))
    return sizes
  })
  expect(read).toEqual(Array(5).fill(ROWS * ROW_BYTES))
})

test('a reader who leaves a COPY before its end keeps nobody waiting', async () => {
  const { db } = await open(1)
  const pid = await db.inTenant('ten_1', async tx => {
    for await (const _row of await copyRows(tx)) break
    return readPid(tx)
  })
  expect(await db.inTenant('ten_1', readPid)).toBe(pid)
})

test('lists are read as lists', async () => {
  const db = openDatabase({
    address: await standBetween({}),
    pool: 1,
    prepare: true,
  })
  onTestFinished(() => db.close())
  expect(await db.sql`SELECT ARRAY['a', 'b'] AS names`).toEqual([{ names: ['a', 'b'] }])
})

const openAlone = (opening?: readonly string[]) => {
  let pool: Pool
  return {
    async start() {
      pool = openPool({ address: await cloneDatabase(), max: 1 })
      onTestFinished(() => pool.end())
      await pool`CREATE TABLE kept (n int)`
      return pool
    },
    begin: <T>(work: (tx: Tx) => Promise<T>) => pool.begin(work, opening ? { opening } : {}),
  }
}

test.each([
  ['BEGIN', ['BEGIN ISOLATION LEVEL nonsense', "SET LOCAL lock_timeout = '1s'"]],
  ['what is set', ['BEGIN', "SET LOCAL lock_timeout = 'nonsense'"]],
])(
  'where %s fails nothing behind it is kept, in the same turn or a later one',
  async (_, opening) => {
    const alone = openAlone(opening)
    const pool = await alone.start()
    const put = (tx: Tx, n: number) => tx`INSERT INTO kept VALUES (${n})`
    const lost = alone.begin(async tx => {
      const first = put(tx, 1)
      const second = setImmediate().then(() => put(tx, 2))
      await Promise.allSettled([first, second])
      return put(tx, 3)
    })
    await expect(lost).rejects.toMatchObject({ code: expect.stringMatching(/^(42601|22023)$/) })
    expect(await pool`SELECT n FROM kept`).toEqual([])
  },
)

test('a transaction that failed is told by its first fault, though it was caught, and is not committed', async () => {
  const alone = openAlone()
  const pool = await alone.start()
  const lost = alone.begin(async tx => {
    await tx`INSERT INTO kept VALUES (1)`
    await tx`SELECT 1 / 0`.catch(() => {})
    await tx`SELECT 2`.catch(() => {})
  })
  await expect(lost).rejects.toMatchObject({ code: '22012' })
  expect(await pool`SELECT n FROM kept`).toEqual([])
})

test('a statement whose answer changed its form fails once, and then is read anew', async () => {
  const pool = await openAlone().start()
  const read = () => pool`SELECT * FROM kept`
  await pool`INSERT INTO kept VALUES (1)`
  expect(await read()).toEqual([{ n: 1 }])
  await pool`ALTER TABLE kept ADD COLUMN m int`
  await expect(read()).rejects.toMatchObject({ code: '0A000' })
  expect(await read()).toEqual([{ n: 1, m: null }])
})

test('what cannot be read of an answer fails its statement, and the connection goes on', async () => {
  const pool = await openAlone().start()
  const huge = pool`SELECT '{"a": 1}'::jsonb AS fine, now() AS at`
  expect(await huge).toMatchObject([{ fine: { a: 1 } }])
  await expect(pool`SELECT ${undefined as never} AS nothing`).rejects.toThrow('no value of SQL')
  expect(await pool`SELECT 1 AS n`).toEqual([{ n: 1 }])
})

test('how many rows a statement wrote', async () => {
  const pool = await openAlone().start()
  const put = pool`INSERT INTO kept SELECT n FROM unnest(${[1, 2, 3]}::int[]) AS u(n)`
  expect(await put.changes()).toBe(3)
  expect(await pool`UPDATE kept SET n = 5 WHERE n > ${1}`.changes()).toBe(2)
})
