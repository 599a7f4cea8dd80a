// Proves that an interrupted run of tests or tools leaves no PostgreSQL and no temporary folder behind.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { startOwnPostgres } from './own-postgres.ts'
import { until } from './program.ts'

const settings = { fsync: 'off', shared_buffers: '16MB' }

const CHILD = `
  const { startOwnPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'own-postgres.ts'))})
  const server = await startOwnPostgres(JSON.parse(process.argv[1]))
  console.log(server.pid())
  setInterval(() => {}, 1000)
`

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bellwether-own-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const isGone = (pid: number) => !existsSync(`/proc/${pid}/cwd`)

/** The processes that look after this folder. */
const keepersOf = (folder: string) =>
  readdirSync('/proc')
    .filter(pid => /^\d+$/.test(pid))
    .filter(pid => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return command.includes('end-left-postgres') && command.includes(folder)
      } catch {
        return false
      }
    })

test.each(['SIGINT', 'SIGKILL'] as const)(
  '%s leaves no PostgreSQL and nothing temporary',
  async signal => {
    const temporary = makeFolder()
    const own = { dataDir: join(temporary, 'data'), settings, temporary }
    const args = ['--input-type=module', '-e', CHILD, JSON.stringify(own)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const pid = Number((await lines.next()).value)
    expect(isGone(pid)).toBe(false)
    child.kill(signal)
    await until(() => isGone(pid) || undefined)
    await until(() => !existsSync(temporary) || undefined)
    await until(() => keepersOf(temporary).length === 0 || undefined)
  },
)

test('one that was stopped keeps what it holds, and nobody looks after it any more', async () => {
  const dataDir = makeFolder()
  const server = await startOwnPostgres({ dataDir, settings })
  expect(keepersOf(dataDir)).toHaveLength(1)
  await server.stop()
  await until(() => keepersOf(dataDir).length === 0 || undefined)
  expect(existsSync(join(dataDir, 'postgres/PG_VERSION'))).toBe(true)
})
