// Proves that the schema is brought up to date once, and never by a release that does not know it.
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { cloneDatabase, START } from '../../test/service.ts'
import { openDatabase } from './database.ts'
import { isCurrent, listMigrations, migrate } from './migrate.ts'
import { startPooler } from './pooler.fixture.ts'

const address = await cloneDatabase()
const db = openDatabase({ address, pool: 4, prepare: true })
afterAll(() => db.close())

it.each(['directly', 'behind a pooler'])(
  'two runners at once run each migration once: %s',
  async way => {
    const place = way === 'directly' ? address : await startPooler(address)
    const runners = [1, 2].map(() =>
      openDatabase({ address: place, pool: 1, prepare: way === 'directly' }),
    )
    onTestFinished(() => Promise.all(runners.map(one => one.close())).then(() => {}))
    await db.sql`DROP SCHEMA public CASCADE`
    await db.sql`CREATE SCHEMA public`
    const ran = await Promise.all(runners.map(one => migrate(one, START)))
    expect(ran.flatMap(one => one.ran).sort()).toEqual(listMigrations().map(one => one.name))
    expect(await isCurrent(db)).toBe(true)
    const [left] = await db.sql`SELECT count(*) AS locks FROM pg_locks
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = ${address.database})`
    expect(left).toEqual({ locks: 0 })
  },
)

it('a migration that was changed after it ran is refused', async () => {
  const [one] = listMigrations()
  await db.sql`UPDATE schema_migrations SET checksum = 'other' WHERE version = ${one!.version}`
  await expect(migrate(db, START)).rejects.toThrow('was changed')
  await db.sql`UPDATE schema_migrations SET checksum = ${one!.checksum} WHERE version = ${one!.version}`
})

it('a database of a newer release is refused', async () => {
  await db.sql`INSERT INTO schema_migrations VALUES (9999, 'later', 'x', ${new Date(START)})`
  await expect(migrate(db, START)).rejects.toThrow('newer release')
})
