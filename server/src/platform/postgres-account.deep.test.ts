// Who reaches the embedded database: the service alone, whatever else runs on the machine.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorCode } from './database-errors.ts'
import {
  cleanUpAfterEach,
  isRoot,
  makeFolder,
  NOBODY,
  query,
  start,
} from './embedded-postgres.fixture.ts'
import type { PostgresAddress } from './embedded-postgres.ts'

cleanUpAfterEach()

// initdb and removal are the slow part, so the tests share one cluster.
let dataDir = ''
beforeAll(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'bw-test-')), 'data')
  await chmod(dirname(dataDir), 0o755)
})
afterAll(() => rm(dirname(dataDir), { recursive: true, force: true }))

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

const CONNECT = `
  const socket = require('node:net').connect(process.argv[1])
  socket.on('connect', () => (console.log('connected'), socket.destroy()))
  socket.on('error', error => console.log(error.code))`

/** What a process of this account gets that knocks at the socket. */
async function knock({ host, port }: PostgresAddress, uid: number): Promise<string> {
  const place = `${host}/.s.PGSQL.${port}`
  const how = { uid, gid: uid, cwd: '/', env: { PATH: '/usr/bin:/bin' } }
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', CONNECT, place], how)
  return stdout.trim()
}

describe('the password', () => {
  test('is of 32 random bytes, in a file that only the service can read, as are socket and data', async () => {
    const { address } = await start(dataDir)
    const file = join(dataDir, 'postgres.password')
    const text = (await readFile(file, 'utf8')).trim()
    expect(Buffer.from(text, 'base64url')).toHaveLength(32)
    expect(address.password).toBe(text)
    expect(await modeOf(file)).toBe(0o600)
    expect((await stat(file)).uid).toBe(process.getuid?.())
    expect(await modeOf(join(dataDir, 'run'))).toBe(0o700)
    expect(await modeOf(join(dataDir, 'postgres'))).toBe(0o700)
  })

  test('is asked of everybody by scram-sha-256: trust is nowhere', async () => {
    const { address } = await start(dataDir)
    const hba = await readFile(join(dataDir, 'postgres/pg_hba.conf'), 'utf8')
    const methods = hba.split('\n').filter(line => /^[^#]/.test(line))
    expect(methods).toEqual(['local all all scram-sha-256'])
    expect(hba).not.toMatch(/trust/)
    const wrong = randomBytes(32).toString('base64url')
    for (const user of ['bellwether', 'somebody']) {
      const attempt = query({ ...address, user, password: wrong }, 'select 1')
      expect(await attempt.catch(errorCode), user).toBe('28P01')
    }
    const [row] = await query(
      address,
      `select rolpassword ~ '^SCRAM-SHA-256' as scram from pg_authid where rolname = 'bellwether'`,
    )
    expect(row).toEqual({ scram: true })
  })

  test('is the same for every start, and one that is gone is told in one line', async () => {
    const first = await start(dataDir)
    await first.stop()
    const second = await start(dataDir)
    expect(second.address.password).toBe(first.address.password)
    expect(await query(second.address, 'select 1 as n')).toEqual([{ n: 1 }])
    await second.stop()
    const file = join(dataDir, 'postgres.password')
    await rm(file)
    await expect(start(dataDir)).rejects.toThrow(
      /postgres has no postgres\.password beside it: .* restore a backup into a new data folder/,
    )
    await writeFile(file, 'short\n')
    await expect(start(dataDir)).rejects.toThrow(/postgres\.password is empty or cut off/)
    await writeFile(file, `${first.address.password}\n`, { mode: 0o600 })
  })
})

describe.runIf(isRoot)('as root', () => {
  test('PostgreSQL runs under a uid that is nobody else’s, the same at every start', async () => {
    const uids: number[] = []
    for (const _ of [1, 2]) {
      const server = await start(dataDir)
      uids.push((await stat(`/proc/${server.pid()}`)).uid)
      await server.stop()
    }
    const [uid] = uids
    expect(uids).toEqual([uid, uid])
    const users = await readFile('/etc/passwd', 'utf8')
    expect(users.split('\n').map(line => line.split(':')[2])).not.toContain(String(uid))
    for (const place of ['postgres', 'postgres/PG_VERSION', 'postgres/base', 'run'])
      expect(await stat(join(dataDir, place)), place).toMatchObject({ uid, gid: uid })
  })

  test('two servers on two folders have a uid each', async () => {
    const servers = [await start(dataDir), await start(join(await makeFolder(), 'data'))]
    const uids = await Promise.all(servers.map(one => stat(`/proc/${one.pid()}`)))
    expect(new Set(uids.map(one => one.uid)).size).toBe(2)
  })

  test.each([
    ['nobody', NOBODY],
    ['any other account', 54_321],
  ])('a process of %s is refused at the socket', async (_who, uid) => {
    const { address } = await start(dataDir)
    expect(await knock(address, uid)).toBe('EACCES')
    expect(await knock(address, 0)).toBe('connected')
  })

  test.each([
    ['nobody', NOBODY],
    ['root', 0],
  ])('a cluster that belongs to %s is refused, with the line that helps', async (name, uid) => {
    await (await start(dataDir)).stop()
    await chown(join(dataDir, 'postgres'), uid, uid)
    const said = await start(dataDir).catch((error: Error) => error.message)
    expect(said).toContain(`/postgres belongs to ${name}`)
    const [, owner, path] = /chown -R (\d+:\d+) (\S+data\/postgres)/.exec(said as string) ?? []
    await promisify(execFile)('chown', ['-R', owner!, path!])
    expect(await query((await start(dataDir)).address, 'select 1 as n')).toEqual([{ n: 1 }])
  })
})
