// A backup is what comes before an upgrade: it changes nothing, also where it is made with the release to come.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openBareDatabase } from '../../test/bare-database.ts'
import { run } from '../../test/program.ts'
import { START } from '../../test/service.ts'
import { listMigrations } from '../platform/migrate.ts'

const folder = mkdtempSync(join(tmpdir(), 'bellwether-schema-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { db, url } = await openBareDatabase()

const file = join(folder, 'before')
const backUp = () =>
  run(['backup', file], {
    DATABASE_URL: url,
    BELLWETHER_SECRET_KEY: 'the key of this installation, long enough',
  })

async function expectRefused(found: string) {
  const { version } = listMigrations().at(-1)!
  const line =
    `backup: the database has schema version ${found}, this release ${version}: ` +
    'back it up with the release whose schema it has; nothing was written'
  expect(await backUp()).toEqual({ code: 1, stdout: '', stderr: `bellwether: ${line}\n` })
  expect(existsSync(file)).toBe(false)
}

test('an empty database stays empty', async () => {
  await expectRefused('none')
  expect(await db`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`).toHaveLength(0)
})

test('the schema of an earlier release stays as it is, so that this one still starts on it', async () => {
  await db`CREATE TABLE schema_migrations (version integer NOT NULL, name text NOT NULL, checksum text NOT NULL,
    applied_at timestamptz NOT NULL, CONSTRAINT schema_migrations_pk PRIMARY KEY (version))`
  const earlier = listMigrations().slice(0, -1)
  for (const { version, name, checksum, sql } of earlier) {
    await db.unsafe(sql)
    await db`INSERT INTO schema_migrations VALUES (${version}, ${name}, ${checksum}, ${new Date(START)})`
  }
  await expectRefused(`${earlier.at(-1)!.version}`)
  const [row] = await db`SELECT max(version) AS last FROM schema_migrations`
  expect(row!.last).toBe(earlier.at(-1)!.version)
})
