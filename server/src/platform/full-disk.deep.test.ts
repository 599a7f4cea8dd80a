// A full disk in its two stages: writes fail while reads go on; then PostgreSQL ends itself and is started again.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isAway } from './database-errors.ts'
import {
  cleanUpAfterEach,
  cleanups,
  eventually,
  log,
  makeFolder,
  query,
} from './embedded-postgres.fixture.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'

cleanUpAfterEach()

const MEGABYTE = Buffer.alloc(1024 * 1024)
const settings = {
  fsync: 'off',
  shared_buffers: '16MB',
  max_wal_size: '32MB',
  min_wal_size: '32MB',
}

function mount(place: string): boolean {
  const args = ['-t', 'tmpfs', '-o', 'size=160m,mode=0755', 'tmpfs', place]
  return spawnSync('mount', args).status === 0
}

/** Only root may mount, and not in every container. */
async function canMount(): Promise<boolean> {
  const place = await makeFolder()
  const fits = mount(place)
  if (fits) spawnSync('umount', [place])
  return fits
}

async function openSmallDisk(): Promise<string> {
  const place = join(await makeFolder(), 'disk')
  await mkdir(place)
  expect(mount(place)).toBe(true)
  cleanups.push(() => spawnSync('umount', ['-l', place]))
  return place
}

function fill(file: string): void {
  for (const size of [MEGABYTE.length, 4096, 1]) {
    try {
      for (;;) writeFileSync(file, MEGABYTE.subarray(0, size), { flag: 'a' })
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
    }
  }
}

describe.runIf(await canMount())('a full disk', () => {
  test('refuses writes, then ends the server, which comes back once there is room', async () => {
    const disk = await openSmallDisk()
    const failures: string[] = []
    const server = await startEmbeddedPostgres({
      dataDir: join(disk, 'data'),
      log: { ...log, error: (_fields, text) => void failures.push(text) },
      settings,
    })
    cleanups.push(() => server.stop())
    const { address } = server
    await query(address, 'create table t as select 7 as n', 'checkpoint')
    const pid = server.pid()
    fill(join(disk, 'ballast'))

    const grow = `insert into t select n from generate_series(1, 200000) n`
    const refused = await query(address, grow).catch(error => error)
    expect(refused).toMatchObject({ code: '53100' })
    expect(isAway(refused)).toBe(true)
    expect(await query(address, 'select n from t')).toEqual([{ n: 7 }])
    expect(server.pid()).toBe(pid)

    // Enough for every segment of the log that is there already.
    const log_only = `select pg_logical_emit_message(false, 'x', repeat('x', 1000000))
      from generate_series(1, 100)`
    const cut = await query(address, log_only).catch(error => error)
    expect(isAway(cut)).toBe(true)
    const tries = () => failures.filter(text => text === 'PostgreSQL does not start').length
    await eventually('tried again and again', () => tries() >= 2)
    expect(server.pid()).toBe(null)

    rmSync(join(disk, 'ballast'))
    await eventually('back', () => server.pid() !== null)
    expect(await query(address, 'select n from t')).toEqual([{ n: 7 }])
    await query(address, grow)
  })
})
