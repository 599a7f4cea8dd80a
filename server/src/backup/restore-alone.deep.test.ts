// A service may run on the empty database that is restored, and somebody may restore twice: neither makes a good file bad.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { afterFile } from '../../test/after-file.ts'
import { seeBlocked } from '../../test/locks.ts'
import { until } from '../../test/program.ts'
import { hire } from '../../test/scenario.ts'
import { cloneDatabase, START, startService } from '../../test/service.ts'
import { openDatabase } from '../platform/database.ts'
import type { PostgresAddress } from '../platform/embedded-postgres.ts'
import { backUp } from './back-up.ts'
import { restore } from './restore.ts'

const service = await startService()
const { context } = service
const folder = mkdtempSync(join(tmpdir(), 'bellwether-alone-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
await hire(service, await service.tenant(), ['ada@example.com'])

function open(address: PostgresAddress) {
  const db = openDatabase({ address, pool: 1, prepare: true })
  afterFile(() => db.close())
  return db
}
const file = join(folder, 'all.backup')
const made = await backUp(context, open(service.address), file)

/** An empty database in which rows of employees are taken only once this lock is free. */
async function openSlow() {
  const address = await cloneDatabase()
  const admin = open(address)
  await admin.sql.unsafe(`CREATE FUNCTION is_let_in() RETURNS boolean LANGUAGE sql
      AS 'SELECT pg_advisory_xact_lock_shared(7) IS NOT NULL';
    ALTER TABLE employees ADD CONSTRAINT waits CHECK (is_let_in())`)
  return { address, admin }
}

const putBack = (address: PostgresAddress) =>
  restore(context, open(address), file, { unverified: false })

test('what a service writes meanwhile waits until everything is back', async () => {
  const { address, admin } = await openSlow()
  const [other, onlooker] = [open(address), open(address)]
  let wrote = false
  const write = async () => {
    await other.sql`INSERT INTO rate_buckets (tenant_id, bucket, tokens, updated_at)
      VALUES ('_', 'address 192.0.2.1', 1, ${new Date(START)})`
    wrote = true
  }
  const waits = async () => {
    const rows = await onlooker.sql`SELECT 1 FROM pg_locks
      WHERE relation = 'rate_buckets'::regclass AND mode = 'RowExclusiveLock' AND NOT granted`
    return rows.length > 0 || undefined
  }
  const under = await admin.sql.begin(async tx => {
    await tx`SELECT pg_advisory_xact_lock(7)`
    const restored = putBack(address)
    restored.catch(() => {})
    await seeBlocked(tx)
    const written = write()
    await until(async () => wrote || (await waits()))
    expect(wrote).toBe(false)
    return { restored, written }
  })
  expect(await under.restored).toMatchObject({ rows: made.rows })
  await under.written
})

test('the second of two at once is told that the database is not empty', async () => {
  const { address, admin } = await openSlow()
  const under = await admin.sql.begin(async tx => {
    await tx`SELECT pg_advisory_xact_lock(7)`
    const first = putBack(address)
    await seeBlocked(tx)
    const onlooker = open(address)
    const second = putBack(address).catch((error: Error) => error.message)
    await until(async () => {
      const rows = await onlooker.sql`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`
      return rows.length === 2 || undefined
    })
    return { first, second }
  })
  expect(await under.first).toMatchObject({ rows: made.rows })
  expect(await under.second).toMatch(/^the database is not empty/)
})
