// Proves that one flipped byte in a file of the database is an error, never a wrong score: its pages carry checksums.
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, expect, it } from 'vitest'
import { testClock, testConfig } from '../test/service.ts'
import { asOperator } from './accounts/identity.ts'
import { buildApp } from './app.ts'
import { createKey, readScopes } from './keys/manage-keys.ts'
import { openTenant } from './open-tenant.ts'
import { operatorOrigin } from './platform/actor.ts'
import type { Context } from './platform/context.ts'
import { openDatabase } from './platform/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './platform/embedded-postgres.ts'
import { migrate } from './platform/migrate.ts'
import { createSecrets, keyFromSetting } from './platform/secrets.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-flip-'))
const silent = { info() {}, warn() {}, error() {} }
let running: EmbeddedPostgres | null = null
afterAll(async () => {
  await running?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

/** A server on the folder, and what asks it; nothing is in its memory yet. */
async function start() {
  running = await startEmbeddedPostgres({ dataDir, log: silent, settings: { fsync: 'off' } })
  const db = openDatabase({ address: running.address, pool: 3, prepare: true })
  await migrate(db, Date.now())
  const context: Context = {
    db,
    clock: testClock(),
    config: testConfig(),
    secrets: createSecrets(keyFromSetting('a key for tests only, long enough')),
    log: pino({ level: 'silent' }),
  }
  const app = buildApp(context)
  const ask = async (method: 'GET' | 'POST', url: string, key: string, payload?: object) => {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await app.server.inject({
      method,
      url,
      headers,
      ...(payload ? { payload } : {}),
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  const stop = async () => {
    await app.close().catch(() => {})
    await db.close()
    await running?.stop()
    running = null
  }
  return { context, db, ask, stop }
}

function flip(path: string, at: number): void {
  const file = openSync(path, 'r+')
  const byte = Buffer.alloc(1)
  readSync(file, byte, 0, 1, at)
  byte[0]! ^= 0b100
  writeSync(file, byte, 0, 1, at)
  closeSync(file)
}

it('in the head, in a row or in its score: reading and writing fail, and nothing false is told', async () => {
  const first = await start()
  const { tenant_id } = await openTenant(first.context, operatorOrigin(), {
    name: 'Acme',
    plan: 'enterprise',
  })
  const input = { name: 'all', scopes: readScopes('all'), expires_at: null }
  const { key } = await asOperator(first.context, tenant_id, createKey, input)
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Moss' }
  const { body } = await first.ask('POST', '/v1/employees', key, person)
  const path = `/v1/employees/${body.id}`
  expect((await first.ask('GET', path, key)).body.score).toBe(75)
  const [file] = await first.db.sql`SELECT pg_relation_filepath('employee_states') AS path,
    current_setting('data_checksums') AS checksums`
  expect(file!.checksums).toBe('on')
  await first.db.sql`CHECKPOINT`
  await first.stop()
  const heap = join(dataDir, 'postgres', file!.path)
  // Rows stand at the end of a page of 8 KiB; the score is somewhere in the last hundred bytes.
  for (const at of [30, 8192 - 40, 8192 - 90, 8192 - 150]) {
    flip(heap, at)
    const broken = await start()
    const read = await broken.ask('GET', path, key)
    expect(read.status, `byte ${at}`).toBe(500)
    expect(JSON.stringify(read.body)).not.toContain('"score"')
    const event = { type: 'custom.x', employee_email: 'ada@example.com' }
    expect((await broken.ask('POST', '/v1/events', key, event)).status).toBe(500)
    await broken.stop()
    flip(heap, at)
  }
  const healed = await start()
  expect((await healed.ask('GET', path, key)).body.score).toBe(75)
  await healed.stop()
})
