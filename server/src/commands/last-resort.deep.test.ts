// What nothing caught ends the process: told once, without secrets, after what was under way, with code 1.
import { afterAll, describe, expect, it } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { launch, type Program, run, serve, until } from '../../test/program.ts'
import { cloneDatabase } from '../../test/service.ts'
import { openPool } from '../platform/pool.ts'

const SECRETS = ['ada.moss@example.com', 'bw_live_acme_0123456789']
const address = await cloneDatabase()
const sql = openPool({ address, max: 2 })
const env = {
  DATABASE_URL: databaseUrl(address),
  BELLWETHER_SECRET_KEY: 'k'.repeat(32),
  BELLWETHER_LOG_LEVEL: 'error',
  LOST: `lost ${SECRETS.join(' ')}`,
}
const running = new Set<Program>()
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  await sql.end()
})

/** Loaded before the program: it fails in this way when the signal arrives. */
function failingBy(work: string): string[] {
  const text = `process.on('SIGUSR2', () => { const fault = new Error(process.env.LOST); ${work} })`
  return ['--import', `data:text/javascript,${encodeURIComponent(text)}`]
}

const REJECTS = 'Promise.reject(fault)'
const THROWS = 'setTimeout(() => { throw fault }, 1)'
const AGAIN = 'setInterval(() => { Promise.reject(new Error("another")); throw fault }, 50)'

async function start(work: string): Promise<Program & { url: string }> {
  const program = await serve(env, ['--no-worker'], failingBy(work))
  running.add(program)
  return program
}

const key = await openTenant()

async function openTenant(): Promise<string> {
  const made = await run(['tenant', 'create', '--name', 'Acme', '--plan', 'starter', '--json'], env)
  const { tenant_id } = JSON.parse(made.stdout)
  const options = ['--tenant', tenant_id, '--name', 'ci', '--scopes', 'all', '--json']
  return JSON.parse((await run(['key', 'create', ...options], env)).stdout).key
}

const ask = (url: string) => fetch(url, { headers: { authorization: `Bearer ${key}` } })

/** Fails while a request waits for a row that another holds; `meanwhile` says when the row is let go. */
async function failDuringRequest(
  { child, url }: Program & { url: string },
  meanwhile: () => Promise<unknown>,
): Promise<Response | null> {
  expect((await ask(`${url}/v1/me`)).status).toBe(200)
  let asked: Promise<Response | null> = Promise.resolve(null)
  await sql.begin(async tx => {
    await tx`SELECT 1 FROM rate_buckets FOR UPDATE`
    asked = ask(`${url}/v1/me`).catch(() => null)
    await until(async () => {
      const [row] = await sql`SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`
      return row?.n > 0 ? true : undefined
    })
    child.kill('SIGUSR2')
    await meanwhile()
  })
  return asked
}

/** One line of the log, and nothing else. */
function judgeOutput(stderr: string): void {
  const lines = stderr.trim().split('\n')
  expect(lines).toHaveLength(1)
  const { level, msg, err } = JSON.parse(lines[0]!)
  expect({ level, msg }).toEqual({ level: 60, msg: expect.stringContaining('nothing caught') })
  expect(err.message).toBe('lost [email] [secret]')
  expect(err.stack).toContain('at ')
  for (const secret of SECRETS) expect(stderr).not.toContain(secret)
}

describe('an error that nothing caught', () => {
  it.each([
    ['a rejection nobody handles', REJECTS],
    ['an error thrown in a timer', THROWS],
    ['one error after the other', AGAIN],
  ])('%s: no new request, the one under way is answered, one line, code 1', async (_name, work) => {
    const program = await start(work)
    const refused = () =>
      until(() =>
        fetch(`${program.url}/healthz`).then(
          () => undefined,
          () => true,
        ),
      )
    const answer = await failDuringRequest(program, refused)
    expect(answer?.status).toBe(200)
    const { code, stderr } = await program.finished
    expect(code).toBe(1)
    judgeOutput(stderr)
  })

  it('ends with code 1 too when the stop hangs', async () => {
    const program = await start(AGAIN)
    const began = Date.now()
    const answer = await failDuringRequest(program, () => program.finished)
    expect(answer).toBeNull()
    const { code, stderr } = await program.finished
    expect(code).toBe(1)
    judgeOutput(stderr)
    expect(Date.now() - began).toBeLessThan(60_000)
  })

  it('ends the worker in the same way', async () => {
    const worker = launch(['worker'], env, failingBy(REJECTS))
    running.add(worker)
    await until(() => (worker.output().stdout.includes('worker runs') ? true : undefined))
    worker.child.kill('SIGUSR2')
    const { code, stderr } = await worker.finished
    expect(code).toBe(1)
    judgeOutput(stderr)
  })
})
