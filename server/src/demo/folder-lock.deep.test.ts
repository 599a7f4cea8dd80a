// Proves that a folder is one process's at a time, and that the dead hold nothing.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { lockFolder } from './folder-lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'bellwether-lock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('ten at once have it one after another, and nothing is left behind', async () => {
  const path = join(folder, 'turns')
  let inside = 0
  const most = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const unlock = await lockFolder(path)
      const seen = ++inside
      await new Promise(resolve => setImmediate(resolve))
      inside--
      await unlock()
      return seen
    }),
  )
  expect(most).toEqual(Array(10).fill(1))
  expect(readdirSync(folder)).toEqual([])
})

it('the lock of a process that is dead is void', async () => {
  const path = join(folder, 'dead')
  const pid = Number(execFileSync(process.execPath, ['-p', 'process.pid']))
  writeFileSync(path, JSON.stringify({ pid, started: '1' }))
  await (await lockFolder(path))()
  expect(readdirSync(folder)).toEqual([])
})
