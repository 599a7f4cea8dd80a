// What is read from the database is what was written, whatever its server, database or user is set to.
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { cloneDatabase } from '../../test/service.ts'
import { type DatabaseOptions, openDatabase, type Tx } from './database.ts'
import { nameRoles } from './database-roles.ts'
import type { PostgresAddress } from './embedded-postgres.ts'
import { openPool } from './pool.ts'
import { startPooler } from './pooler.fixture.ts'

const ELSEWHERE = {
  timezone: 'America/St_Johns',
  datestyle: 'SQL, DMY',
  standard_conforming_strings: 'off',
  extra_float_digits: '-3',
  bytea_output: 'escape',
  array_nulls: 'off',
  gin_fuzzy_search_limit: '1',
  default_transaction_isolation: 'serializable',
  statement_timeout: '200ms',
  idle_in_transaction_session_timeout: '200ms',
  row_security: 'off',
}

let address: PostgresAddress
beforeAll(async () => {
  address = await cloneDatabase()
  const { database } = address
  const owner = openPool({ address, max: 1 })
  for (const [name, value] of Object.entries(ELSEWHERE)) {
    await owner.unsafe(`ALTER DATABASE ${database} SET ${name} = '${value}'`)
  }
  await owner.end()
})

type Way = 'prepared' | 'not prepared' | 'behind a pooler'
const WAYS: Way[] = ['prepared', 'not prepared', 'behind a pooler']

async function open(way: Way, more: Partial<DatabaseOptions> = {}) {
  const place = way === 'behind a pooler' ? await startPooler(address) : address
  const db = openDatabase({ address: place, pool: 2, prepare: way === 'prepared', ...more })
  onTestFinished(() => db.close())
  return db
}

const TEXTS = ['NULL', null]

test.each(WAYS)('instants, days, numbers, bytes and lists are what they were: %s', async way => {
  const at = new Date('2026-03-04T23:59:59.999Z')
  const [third, bytes] = [1 / 3, Buffer.from([0, 39, 92, 255])]
  const [row] = await (await open(way)).inTenant(
    'ten_1',
    tx => tx`
      SELECT ${at}::timestamptz AS at, ${at}::timestamptz::date AS day,
        ${at}::timestamptz::date::text AS text, ${third}::float8 AS third, ${bytes}::bytea AS bytes,
        (SELECT count(*) FROM unnest(${TEXTS}::text[]) t WHERE t IS NULL) AS nothing`,
  )
  const day = '2026-03-04'
  expect(row).toEqual({ at, day, text: day, third, bytes, nothing: 1 })
})

test.each(WAYS)(
  'a statement sees what was committed before it, and takes its time: %s',
  async way => {
    const db = await open(way)
    const count = (tx: Tx) => tx<{ n: number }[]>`SELECT count(*) AS n FROM schema_migrations`
    const add = (tx: Tx) =>
      tx`INSERT INTO schema_migrations VALUES (${9000 + WAYS.indexOf(way)}, 'x', 'x', ${new Date()})`
    const grew = await db.inTenant('ten_1', async tx => {
      const [before] = await count(tx)
      await db.inTenant('ten_1', add)
      await tx`SELECT pg_sleep(0.3)`
      const [after] = await count(tx)
      return after!.n - before!.n
    })
    expect(grew).toBe(1)
  },
)

test('nothing ends a session that rests, and no plan is compiled', async () => {
  const { database } = address
  const owner = openPool({ address, max: 1 })
  onTestFinished(() => owner.end())
  const others = { jit: 'on', lock_timeout: '1s', idle_session_timeout: '1h' }
  for (const [name, value] of Object.entries(others))
    await owner.unsafe(`ALTER DATABASE ${database} SET ${name} = '${value}'`)
  const names = Object.keys(others)
  const db = await open('prepared')
  const rows = await db.sql`SELECT name, setting FROM pg_settings WHERE name IN ${db.sql(names)}`
  expect(Object.fromEntries(rows.map(row => [row.name, row.setting]))).toEqual({
    jit: 'off',
    lock_timeout: '0',
    idle_session_timeout: '0',
  })
})

const SAID =
  '?timezone=Asia/Tokyo&bytea_output=escape&Array_Nulls=off&role=nobody&application_name=x'

test('an address says where the database is, and by which name it is asked, but sets nothing else', async () => {
  const place = `${databaseUrl(address)}${SAID}`
  const db = await open('prepared', { address: place, roles: nameRoles() })
  const [row] = await db.inTenant(
    'ten_1',
    tx => tx`
      SELECT current_setting('TimeZone') AS zone, current_setting('bytea_output') AS bytes,
        current_setting('array_nulls') AS nulls, current_user AS "user",
        current_setting('application_name') AS name`,
  )
  const { tenant } = nameRoles()
  expect(row).toEqual({ zone: 'UTC', bytes: 'hex', nulls: 'on', user: tenant, name: 'x' })
})

test('the name of a database may be percent-encoded in an address', async () => {
  const name = `${address.database} ä/%`
  const owner = openPool({ address: { ...address, database: 'postgres' }, max: 1 })
  await owner`CREATE DATABASE ${owner(name)} TEMPLATE template0`
  const place = databaseUrl({ ...address, database: name })
  const db = openDatabase({ address: place, pool: 1, prepare: true })
  onTestFinished(async () => {
    await db.close()
    await owner`DROP DATABASE ${owner(name)}`
    await owner.end()
  })
  expect(await db.sql`SELECT current_database() AS name`).toEqual([{ name }])
})
