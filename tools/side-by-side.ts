// Runs an earlier release and this one on one database while it is migrated, under load: nothing may fail on either.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { databaseUrl } from '../server/test/database-url.ts'
import { startOwnPostgres } from '../server/test/own-postgres.ts'
import { readOptions, refuse } from './read-options.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PEOPLE = 200
const LANES = 4
const PHASE_MS = 8_000

const usage = 'npm run side-by-side -- <commit>'
const [commit] = readOptions(usage, { allowPositionals: true }).positionals
if (commit === undefined) refuse(`name the earlier release; ${usage}`)
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, stdio: 'pipe' })
requireCommit(commit)
const folder = mkdtempSync(join(tmpdir(), 'bellwether-side-'))
const old = join(folder, 'old')
git('worktree', 'add', '--detach', old, commit)
symlinkSync(join(ROOT, 'node_modules'), join(old, 'node_modules'))
const server = await startOwnPostgres({ dataDir: join(folder, 'data'), temporary: folder })
const children: ChildProcess[] = []
try {
  process.exitCode = await compare()
} finally {
  for (const child of children) {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
  }
  await server.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  git('worktree', 'prune')
}

function requireCommit(name: string): void {
  try {
    git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)
  } catch {
    refuse(`${name} is no commit of this repository`)
  }
}

async function compare(): Promise<number> {
  const before = await start(old)
  const { tenant_id, key } = openTenant(old)
  for (let i = 0; i < PEOPLE; i++) {
    const person = { email: `p${i}@example.com`, first_name: 'P', last_name: String(i) }
    await send(before, key, 'POST', '/v1/employees', person)
  }
  const load = startLoad(key, [before])
  await sleep(PHASE_MS)
  load.phase('migrating')
  const after = await start(ROOT)
  load.phase('side by side')
  load.add(after)
  await sleep(PHASE_MS)
  const counts = await load.stop()
  console.table(counts)
  const listed = await send(after, key, 'GET', '/v1/events?per_page=1')
  const accepted = Object.values(counts).reduce((sum, one) => sum + one.events, 0)
  const verified = JSON.parse(command(ROOT, 'verify', '--tenant', tenant_id, '--json'))
  console.log({ accepted, recorded: listed.body.pagination.total, clean: verified.clean })
  const failed = Object.values(counts).some(one => one.other > 0)
  return !failed && verified.clean && listed.body.pagination.total === accepted ? 0 : 1
}

function environment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: databaseUrl(server.address),
    BELLWETHER_SECRET_KEY: 'side by side, side by side, side by side',
    BELLWETHER_LOG_LEVEL: 'error',
    PORT: '0',
  }
}

/** On a busy machine the first try may give up: the dashboard is being built beside it. */
async function start(release: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(release)
    } catch (error) {
      if (attempt === 4) throw error
    }
  }
}

function startOnce(release: string): Promise<string> {
  const child = spawn(process.execPath, ['server/bellwether.js', 'serve'], {
    cwd: release,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let said = ''
  return new Promise((resolve, reject) => {
    child.once('exit', code => reject(new Error(`${release} ended early (${code})`)))
    child.stdout.on('data', chunk => {
      said += chunk
      const url = /ready: (http\S+)/.exec(said)?.[1]
      if (url) resolve(url)
    })
  })
}

function command(release: string, ...args: string[]): string {
  const options = { cwd: release, env: environment(), encoding: 'utf8' } as const
  return execFileSync(process.execPath, ['server/bellwether.js', ...args], options)
}

function openTenant(release: string): { tenant_id: string; key: string } {
  const plan = ['--name', 'Acme', '--plan', 'enterprise', '--json']
  const { tenant_id } = JSON.parse(command(release, 'tenant', 'create', ...plan))
  const limits = ['--requests', '1000000', '--burst', '1000000', '--scores', '1000000']
  command(release, 'tenant', 'limits', '--tenant', tenant_id, ...limits)
  const all = ['--name', 'all', '--scopes', 'all', '--json']
  const { key } = JSON.parse(command(release, 'key', 'create', '--tenant', tenant_id, ...all))
  return { tenant_id, key }
}

async function send(url: string, key: string, method: string, path: string, body?: object) {
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
}

type Counts = { events: number; reads: number; other: number; slowest_ms: number }

function startLoad(key: string, urls: string[]) {
  const counts: Record<string, Counts> = {}
  let current = ''
  let going = true
  const phase = (name: string) => {
    current = name
    counts[name] = { events: 0, reads: 0, other: 0, slowest_ms: 0 }
  }
  phase('alone')
  const lane = async (number: number) => {
    for (let i = 0; going; i++) {
      const url = urls[i % urls.length]!
      const email = `p${(i * LANES + number) % PEOPLE}@example.com`
      const event = { type: 'custom.seen', employee_email: email }
      const began = performance.now()
      const asked =
        i % 3 === 2
          ? send(url, key, 'GET', '/v1/scores/summary')
          : send(url, key, 'POST', '/v1/events', event)
      const status = (await asked.catch(() => null))?.status
      const now = counts[current]!
      now.slowest_ms = Math.max(now.slowest_ms, Math.round(performance.now() - began))
      if (status === 201) now.events++
      else if (status === 200) now.reads++
      else {
        now.other++
        console.error(`${url} answered ${status} (${current})`)
      }
    }
  }
  const lanes = Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))
  return {
    phase,
    add: (url: string) => urls.push(url),
    stop: async () => {
      going = false
      await lanes
      return counts
    },
  }
}
