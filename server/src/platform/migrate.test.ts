// Proves that the schema is brought up to date once, and never by a release that does not know it.
import { afterAll, expect, it } from 'vitest'
import { cloneDatabase, START } from '../../test/service.ts'
import { openDatabase } from './database.ts'
import { isCurrent, listMigrations, migrate } from './migrate.ts'

const db = openDatabase({ address: await cloneDatabase(), pool: 4, prepare: true })
afterAll(() => db.close())

it('two runners at once run each migration once', async () => {
  await db.sql`DROP SCHEMA public CASCADE`
  await db.sql`CREATE SCHEMA public`
  const ran = await Promise.all([migrate(db, START), migrate(db, START)])
  expect(ran.flatMap(one => one.ran)).toEqual(listMigrations().map(one => one.name))
  expect(await isCurrent(db)).toBe(true)
})

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
