// A migration may begin while a backup is under way: no table may be missing in the file for it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { afterFile } from '../../test/after-file.ts'
import { seeBlocked } from '../../test/locks.ts'
import { until } from '../../test/program.ts'
import { hire, ingest } from '../../test/scenario.ts'
import { cloneDatabase, startService } from '../../test/service.ts'
import { openDatabase } from '../platform/database.ts'
import type { PostgresAddress } from '../platform/embedded-postgres.ts'
import { backUp } from './back-up.ts'
import { restore } from './restore.ts'

const service = await startService()
const { context } = service
const folder = mkdtempSync(join(tmpdir(), 'bellwether-held-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const acme = await service.tenant()
await hire(service, acme, ['ada@example.com', 'bo@example.com'])
await ingest(service, acme, [
  { email: 'ada@example.com', type: 'sim.link_clicked' },
  { email: 'bo@example.com', type: 'sim.reported' },
])

function open(address: PostgresAddress) {
  const db = openDatabase({ address, pool: 1, prepare: true })
  afterFile(() => db.close())
  return db
}
const [owner, other] = [open(service.address), open(service.address)]

/** As a migration does that gives every row another form. */
const rewrite = () =>
  other.sql`ALTER TABLE events ALTER COLUMN details TYPE jsonb USING details || '{}'::jsonb`

const rowsOf = async (db: typeof owner) =>
  (await db.sql`SELECT to_jsonb(e)::text AS row FROM events e ORDER BY 1`).map(({ row }) => row)

/** Makes a backup that comes to this table and has to wait there while something happens. */
async function backUpAcross<T>(table: string, act: () => Promise<T>) {
  const file = join(folder, table)
  const { written, acted } = await context.db.sql.begin(async tx => {
    await tx`LOCK TABLE ${tx(table)}`
    const written = backUp(context, owner, file)
    written.catch(() => {})
    await seeBlocked(tx)
    return { written, acted: await act() }
  })
  await written
  return { file, acted }
}

async function restored(file: string) {
  const target = open(await cloneDatabase())
  await restore(context, target, file, { unverified: false })
  return rowsOf(target)
}

test('a table that was written anew while it waited for another is whole in it', async () => {
  const { file } = await backUpAcross('actions', async () => void (await rewrite()))
  const rows = await rowsOf(owner)
  expect(rows).toHaveLength(2)
  expect(await restored(file)).toEqual(rows)
})

test('a table is not written anew from the moment on that the backup shows', async () => {
  let done = false
  const { file, acted } = await backUpAcross('schema_migrations', async () => {
    const over = rewrite().then(() => {
      done = true
    })
    const waits = await until(async () => done || (await isHeld('events')) || undefined)
    return { over, waits, before: done }
  })
  expect(acted).toMatchObject({ waits: true, before: false })
  await acted.over
  expect(await restored(file)).toEqual(await rowsOf(owner))
})

async function isHeld(table: string): Promise<boolean> {
  const rows = await context.db.sql`SELECT 1 FROM pg_locks
    WHERE relation = ${table}::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`
  return rows.length > 0
}

test('a schema that another release has changed is refused, and nothing is written', async () => {
  const at = new Date(context.clock.now())
  await owner.sql`INSERT INTO schema_migrations VALUES (9999, 'later', 'x', ${at})`
  const attempt = backUp(context, owner, join(folder, 'later'))
  await expect(attempt).rejects.toThrow('the database has schema version 9999, this release')
  await owner.sql`DELETE FROM schema_migrations WHERE version = 9999`
})
