// The operator's way back: a backup, what has ended since, and what is said where nobody knows.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { run } from '../../test/program.ts'
import { cloneDatabase } from '../../test/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'bellwether-tombstones-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [file, graves] = [join(folder, 'all.gz'), join(folder, 'tombstones')]
const KEY = 'the key of this installation, long enough'

const openEnv = async () => ({
  DATABASE_URL: databaseUrl(await cloneDatabase()),
  BELLWETHER_SECRET_KEY: KEY,
  BELLWETHER_LOG_LEVEL: 'error',
})
const env = await openEnv()
const ask = async (...args: string[]) => JSON.parse((await run([...args, '--json'], env)).stdout)

const { tenant_id } = await ask('tenant', 'create', '--name', 'Acme', '--plan', 'starter')
const newKey = () =>
  ask('key', 'create', '--tenant', tenant_id, '--name', 'ci', '--scopes', 'events:read')
const [{ id: key_id }] = [await newKey(), await newKey()]
await ask('backup', file)
await ask('key', 'revoke', '--tenant', tenant_id, '--key', key_id)
expect(await ask('tombstones', graves)).toEqual({ file: graves, tombstones: 1 })

/** Restores into an empty database, and says what is in force in it. */
async function restore(...options: string[]) {
  const target = await openEnv()
  const { code, stdout, stderr } = await run(['restore', file, '--json', ...options], target)
  const keys = await run(['key', 'list', '--tenant', tenant_id, '--json'], target)
  const inForce = () =>
    JSON.parse(keys.stdout).data.filter((one: { revoked_at: string | null }) => !one.revoked_at)
  return { target, code, stderr, told: code === 0 ? JSON.parse(stdout) : null, inForce }
}

test('restore with tombstones ends what they name, and has nothing to say', async () => {
  const { code, stderr, told, inForce } = await restore('--tombstones', graves)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(told).toMatchObject({ proven: true, clean: true, ended_again: 1, sessions_ended: 0 })
  expect(inForce()).toHaveLength(1)
})

test('without them it says what may be back, and they can be applied later', async () => {
  const { target, code, stderr, inForce } = await restore()
  expect(code).toBe(0)
  expect(stderr).toMatch(
    /^bellwether: restore: what was revoked, removed or erased after \S+Z may be back: 2 API keys, .*--revoke-keys/,
  )
  expect(inForce()).toHaveLength(2)
  const applied = await run(['tombstones', graves, '--apply', '--json'], target)
  expect(applied).toEqual({ code: 0, stdout: '{"ended_again":1}\n', stderr: '' })
})

test('--revoke-keys leaves no key in force', async () => {
  const { told, inForce } = await restore('--revoke-keys')
  expect(told).toMatchObject({ keys_revoked: 2 })
  expect(inForce()).toEqual([])
})

test('tombstones that somebody has changed are refused before anything is restored', async () => {
  const wrong = join(folder, 'wrong')
  writeFileSync(wrong, readFileSync(graves, 'utf8').replace('revoked_key', 'deleted_tenant'))
  const { target, code, stderr } = await restore('--tombstones', wrong)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^bellwether: tombstones: nothing proves that the file .*; nothing was ended\n$/,
  )
  const { stdout } = await run(['tenant', 'list', '--json'], target)
  expect(stdout).toBe('{"data":[]}\n')
})

test('a backup of another key is restored unproven only, and that is said', async () => {
  const target = {
    ...(await openEnv()),
    BELLWETHER_SECRET_KEY: 'another key, also long enough for it',
  }
  const refused = await run(['restore', file], target)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/made with another key.*--unverified/)
  const done = await run(['restore', file, '--unverified', '--json'], target)
  expect(done.stderr).toMatch(/^bellwether: restore: nothing is proven: whoever could write/)
  expect(JSON.parse(done.stdout)).toMatchObject({ proven: false, opens_secrets: false })
})
