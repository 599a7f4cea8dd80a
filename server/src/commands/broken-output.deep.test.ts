// Proves that a log or a pipe that takes no more costs lines, never answers or work.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { launch, run, until } from '../../test/program.ts'
import { cloneDatabase } from '../../test/service.ts'

const ENTRY = fileURLToPath(new URL('../../bellwether.js', import.meta.url))
const env = {
  DATABASE_URL: databaseUrl(await cloneDatabase()),
  BELLWETHER_SECRET_KEY: 'k'.repeat(32),
}
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** The program with its log on a disk that is full; what it prints is read. */
async function serveOnFullDisk() {
  const line = `exec "$0" "$@" 2>/dev/full`
  const child = spawn('sh', ['-c', line, process.execPath, ENTRY, 'serve'], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.add(child)
  const finished = new Promise<number | null>(resolve => child.once('close', resolve))
  let printed = ''
  child.stdout!.setEncoding('utf8').on('data', text => {
    printed += text
  })
  const url = await until(() => /ready: (http\S+)/.exec(printed)?.[1])
  return { child, finished, url }
}

describe.runIf(existsSync('/dev/full'))('a log that cannot be written', () => {
  it('changes no answer, and the service ends in good order', async () => {
    const { child, finished, url } = await serveOnFullDisk()
    for (let i = 0; i < 3; i++) {
      const answer = await fetch(`${url}/v1/me`)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('x-ratelimit-limit')).toBe('60')
      expect(await answer.json()).toMatchObject({ error: { code: 'UNAUTHORIZED' } })
    }
    child.kill('SIGTERM')
    expect(await finished).toBe(0)
  })
})

it('a command whose remarks nobody reads comes to its end', async () => {
  const create = ['tenant', 'create', '--name', 'Acme', '--plan', 'starter', '--json']
  const { tenant_id } = JSON.parse((await run(create, env)).stdout)
  const program = launch(['tenant', 'delete', '--tenant', tenant_id, '--confirm', 'Acme'], env)
  program.child.stderr!.destroy()
  const { code, stdout } = await program.finished
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('deleted_rows') })
  expect(JSON.parse((await run(['tenant', 'list', '--json'], env)).stdout)).toEqual({ data: [] })
})
