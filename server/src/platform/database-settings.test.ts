// What is read from the database is what was written, whatever its server, database or user is set to.
import { expect, onTestFinished, test } from 'vitest'
import { cloneDatabase } from '../../test/service.ts'
import { openDatabase } from './database.ts'

const ELSEWHERE = {
  timezone: 'America/St_Johns',
  datestyle: 'SQL, DMY',
  extra_float_digits: '-3',
  bytea_output: 'escape',
}

test.each([true, false])('instants and days are ISO in UTC (prepared: %s)', async prepare => {
  const sql = await openSet(prepare)
  const at = new Date('2026-03-04T23:59:59.999Z')
  const [row] = await sql`
    SELECT ${at}::timestamptz AS at, ${at}::timestamptz::date AS day, ${at}::timestamptz::date::text AS text`
  expect(row).toEqual({ at, day: '2026-03-04', text: '2026-03-04' })
})

test('numbers keep all their digits, and bytes are bytes', async () => {
  const sql = await openSet(true)
  const [third, bytes] = [1 / 3, Buffer.from([0, 39, 92, 255])]
  const [row] = await sql`SELECT ${third}::float8 AS third, ${bytes}::bytea AS bytes`
  expect(row).toEqual({ third, bytes })
})

async function openSet(prepare: boolean) {
  const address = await cloneDatabase()
  const owner = openDatabase({ address, pool: 1, prepare: true })
  for (const [name, value] of Object.entries(ELSEWHERE)) {
    await owner.sql.unsafe(`ALTER DATABASE ${address.database} SET ${name} = '${value}'`)
  }
  await owner.close()
  const db = openDatabase({ address, pool: 1, prepare })
  onTestFinished(() => db.close())
  return db.sql
}
