// A restore that is refused leaves the database as it was: its schema is not brought up to date either.
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openBareDatabase } from '../../test/bare-database.ts'
import { databaseUrl } from '../../test/database-url.ts'
import { dataFolder, run, until } from '../../test/program.ts'
import { KEY_PURPOSE, KEY_TEXT } from '../backup/back-up.ts'
import { FORMAT, FORMAT_VERSION } from '../backup/backup-file.ts'
import { listMigrations } from '../platform/migrate.ts'
import { openPool } from '../platform/pool.ts'
import { createSecrets, keyFile, keyFromFolder, keyFromSetting } from '../platform/secrets.ts'

const KEY = 'the key of this installation, long enough'
const folder = mkdtempSync(join(tmpdir(), 'bellwether-restore-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { address, admin, db, url } = await openBareDatabase()
const { database } = address

/** The first line of a backup of this release; nothing behind it is read before it is judged. */
function writeHeader(name: string, key = KEY, change: object = {}): string {
  const schema = listMigrations().map(({ version, checksum }) => ({ version, checksum }))
  const key_check = createSecrets(keyFromSetting(key)).seal(KEY_TEXT, KEY_PURPOSE)
  const head = { format: FORMAT, version: FORMAT_VERSION, created_at: '2026-01-01T00:00:00.000Z' }
  const header = { ...head, schema_version: schema.length, schema, key_check, ...change }
  writeFileSync(join(folder, name), `${JSON.stringify(header)}\n`)
  return join(folder, name)
}

function writeBroken(): string {
  const file = join(folder, 'broken.gz')
  writeFileSync(file, Buffer.from('1f8b00', 'hex'))
  return file
}

const restore = (file: string) =>
  run(['restore', file], {
    DATABASE_URL: url,
    BELLWETHER_SECRET_KEY: KEY,
  })

const listTables = async () =>
  (await db`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`).map(row => row.tablename)

it.each([
  ['a file that is not there', () => join(folder, 'missing'), `is no file ${folder}/missing`],
  ['a folder', () => folder, `${folder} is a folder, not a backup`],
  ['another schema', () => writeHeader('older', KEY, { schema: [] }), 'schema version'],
  [
    'another key',
    () => writeHeader('strange', 'a key of somebody else, long enough'),
    'secret.key',
  ],
  ['what is packed and broken', () => writeBroken(), 'cannot be unpacked'],
])('%s: one line, and not a table is made', async (_what, file, words) => {
  const { code, stdout, stderr } = await restore(file())
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^bellwether: restore: .*; nothing was restored\n$/)
  expect(stderr).toContain(words)
  expect(await listTables()).toEqual([])
})

it('a database that has rows is not brought up to date first', async () => {
  await db`CREATE TABLE kept (id integer PRIMARY KEY)`
  await db`INSERT INTO kept VALUES (1)`
  const line = 'the database is not empty: kept has rows; nothing was restored'
  expect(await restore(writeHeader('good'))).toEqual({
    code: 1,
    stdout: '',
    stderr: `bellwether: restore: ${line}\n`,
  })
  expect(await listTables()).toEqual(['kept'])
})

it.each([
  ['a file that is not there', () => join(folder, 'missing')],
  ['a backup whose key was not put into the folder', () => writeHeader('sealed')],
])('for %s neither an embedded database nor a key is made', async (_what, file) => {
  const data = join(dataFolder(), 'new')
  const { code } = await run(['restore', file()], { BELLWETHER_DATA_DIR: data })
  expect({ code, made: existsSync(data) }).toEqual({ code: 1, made: false })
})

/** Whoever is not root makes nothing that another user may not read. */
it.runIf(process.getuid?.() === 0).each([
  ['the key', 0o755],
  ['the folder', 0o700],
])('a user who may not read %s is told who may', async (_what, mode) => {
  const data = dataFolder()
  keyFromFolder(data)
  chmodSync(data, mode)
  chmodSync(folder, 0o755)
  const asNobody = ['--import', 'data:text/javascript,process.setgid(65534);process.setuid(65534)']
  const file = writeHeader('read by all')
  const { code, stderr } = await run(['restore', file], { BELLWETHER_DATA_DIR: data }, asNobody)
  const line = `this user may not use ${keyFile(data)}: run as root`
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `bellwether: BELLWETHER_DATA_DIR: ${line}\n`,
  })
})

/** Ends the connection that waits for a table while the command runs. */
async function cutOff(name: string, args: string[]) {
  const env = {
    DATABASE_URL: databaseUrl({ ...address, database: name }),
    BELLWETHER_SECRET_KEY: KEY,
  }
  const other = openPool({ address: { ...address, database: name }, max: 1 })
  const { ended } = await other.begin(async tx => {
    await tx`LOCK TABLE webhooks`
    const ended = run(args, env)
    await until(async () => {
      const cut = await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = ${name} AND wait_event_type = 'Lock' AND query ~ 'webhooks'`
      return cut.length > 0 || undefined
    })
    return { ended }
  })
  await other.end()
  return ended
}

it('a database that goes away in the middle is told in one line, and leaves no half', async () => {
  const file = join(folder, 'whole')
  const backup = await cutOff(database, ['backup', file])
  const away = /^bellwether: (backup|restore): the database failed: the .+; (.+)\n$/
  expect(away.exec(backup.stderr)?.slice(1), backup.stderr).toEqual([
    'backup',
    'nothing was written',
  ])
  expect(readdirSync(folder).filter(name => name.startsWith('whole'))).toEqual([])
  const restored = await cutOff(database, ['restore', writeHeader('good')])
  expect(away.exec(restored.stderr)?.slice(1), restored.stderr).toEqual([
    'restore',
    'if it is still empty, nothing was restored',
  ])
  expect([backup.code, restored.code]).toEqual([1, 1])
})
