// A connection that ends in the middle of a transaction: the call is refused, the process lives, the pool recovers.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { cloneDatabase } from '../../test/service.ts'
import { type Database, openDatabase, type Tx } from './database.ts'
import { mendDriver } from './driver.ts'

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
    // The one connection of this pool is made anew at once, and writes again.
    const began = performance.now()
    expect(await db.inTenant('ten_1', readPid)).toBeGreaterThan(0)
    expect(performance.now() - began).toBeLessThan(4_000)
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

/** Passes everything on to the database; a connection that asks for the array types is reset, as often as told. */
async function resetTypeReads(times: number): Promise<string> {
  const { host, port, user, password, database: name } = await cloneDatabase()
  let left = times
  const proxy = createServer(client => {
    const database = connect(`${host}/.s.PGSQL.${port}`)
    client.on('error', () => database.destroy()).on('close', () => database.destroy())
    database.on('error', () => client.destroy()).on('close', () => client.destroy())
    database.pipe(client)
    client.on('data', bytes => {
      if (left > 0 && bytes.includes('pg_catalog.pg_type')) {
        left -= 1
        client.resetAndDestroy()
      } else database.write(bytes)
    })
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void proxy.close())
  const { port: near } = proxy.address() as AddressInfo
  return `postgres://${user}:${password}@127.0.0.1:${near}/${name}`
}

test('a connection reset while the driver reads its types: 503, the process lives, arrays work after', async () => {
  const address = await resetTypeReads(3)
  const db = openDatabase({ address, pool: 1, prepare: true })
  onTestFinished(() => db.close())
  const read = () =>
    db.inTenant('ten_1', tx => tx`SELECT x FROM unnest(${['a', 'b']}::text[]) AS x`)
  const ends = []
  for (let n = 0; n < 5; n++) ends.push(await read().catch((err: Error) => err))
  expect(ends.at(-1)).toEqual([{ x: 'a' }, { x: 'b' }])
  for (const end of ends) if (end instanceof Error) expect(end).toMatchObject({ status: 503 })
})

test('a driver that looks otherwise is refused', () => {
  expect(() => mendDriver('connection.js', 'another text')).toThrow('not known')
})
