// Proves how the program starts, drains, survives kills and says what is wrong.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { dataFolder, launch, type Running, run, serve, until } from '../../test/program.ts'
import { cloneDatabase } from '../../test/service.ts'
import { openPool } from '../platform/pool.ts'

const [first, second, third] = [dataFolder(), dataFolder(), dataFolder()]
const running = new Set<Running>()
afterAll(() => {
  for (const { child } of running) child.kill('SIGKILL')
})

type Json = any
const execute = promisify(execFile)
const nothing = () => undefined

function postmasterOf(folder: string): number {
  return Number.parseInt(readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8'), 10)
}

/** As the owner of everything in the embedded database. */
function openSql(folder: string) {
  const place = { host: join(folder, 'run'), user: 'bellwether', database: 'bellwether' }
  const password = readFileSync(join(folder, 'postgres.password'), 'utf8').trim()
  return openPool({ address: { ...place, port: 5432, password }, max: 2 })
}

async function start(env: Record<string, string>, ...args: string[]): Promise<Running> {
  const program = await serve({ BELLWETHER_LOG_LEVEL: 'error', ...env }, args)
  running.add(program)
  program.finished.then(() => running.delete(program))
  return program
}

async function stop(program: Running) {
  program.child.kill('SIGTERM')
  const { code, stderr } = await program.finished
  return { code, stderr }
}

const ask = (url: string, key?: string) =>
  fetch(url, key ? { headers: { authorization: `Bearer ${key}` } } : {})

async function openTenant(folder: string) {
  const env = { BELLWETHER_DATA_DIR: folder }
  const made = await run(['tenant', 'create', '--name', 'Acme', '--plan', 'starter', '--json'], env)
  const { tenant_id } = JSON.parse(made.stdout)
  const options = ['--tenant', tenant_id, '--name', 'ci', '--scopes', 'all', '--json']
  const { key } = JSON.parse((await run(['key', 'create', ...options], env)).stdout)
  return { tenant_id, key } as { tenant_id: string; key: string }
}

describe('a server on its own data folder', () => {
  let key = ''

  it('starts empty, says what to do, and takes operator commands while it runs', async () => {
    const program = await start({ BELLWETHER_DATA_DIR: first }, '--demo', '--no-demo')
    expect((await ask(`${program.url}/readyz`)).status).toBe(200)
    expect(program.output().stdout).toContain('tenant create --name')
    key = (await openTenant(first)).key
    expect((await ask(`${program.url}/v1/me`, key)).status).toBe(200)
    expect(program.output().stderr).toBe('')
    program.child.kill('SIGKILL')
    await program.finished
  })

  it('starts again after kill -9 of the server alone, then of the server and PostgreSQL', async () => {
    const again = await start({ BELLWETHER_DATA_DIR: first })
    expect((await ask(`${again.url}/v1/me`, key)).status).toBe(200)
    again.child.kill('SIGKILL')
    process.kill(postmasterOf(first), 'SIGKILL')
    await again.finished
    const third = await start({ BELLWETHER_DATA_DIR: first })
    expect((await ask(`${third.url}/v1/me`, key)).status).toBe(200)
    process.kill(postmasterOf(first), 'SIGKILL')
    const answers = new Set<number>()
    await until(async () => {
      const { status } = await ask(`${third.url}/v1/me`, key)
      answers.add(status)
      return answers.has(503) && status === 200 ? true : undefined
    })
    expect([...answers].sort()).toEqual([200, 503])
    expect((await stop(third)).code).toBe(0)
  })

  it('ends in good order when nobody reads its output any more', async () => {
    const program = launch(['tenant', 'list'], { BELLWETHER_DATA_DIR: first })
    program.child.stdout?.destroy()
    const { code, stderr } = await program.finished
    const line = 'bellwether: the output could not be written (EPIPE)\n'
    expect({ code, stderr }).toEqual({ code: 1, stderr: line })
    expect(existsSync(join(first, 'postgres/postmaster.pid'))).toBe(false)
  })

  it('takes operator commands while it is stopped', async () => {
    const env = { BELLWETHER_DATA_DIR: first }
    const made = await run(
      ['tenant', 'create', '--name', 'Beta', '--plan', 'enterprise', '--json'],
      env,
    )
    expect(JSON.parse(made.stdout)).toEqual({
      tenant_id: expect.stringMatching(/^ten_[0-9a-z]+$/),
      name: 'Beta',
      plan: 'enterprise',
    })
    const listed = JSON.parse((await run(['tenant', 'list', '--json'], env)).stdout)
    expect(listed.data.map((one: { name: string }) => one.name)).toEqual(['Acme', 'Beta'])
  })

  it('answers a request that is under way when SIGTERM arrives, and lets no idle connection hold it', async () => {
    const program = await start({ BELLWETHER_DATA_DIR: first })
    expect((await ask(`${program.url}/v1/me`, key)).status).toBe(200)
    const sql = openSql(first)
    let asked: Promise<Response> | undefined
    await sql.begin(async tx => {
      await tx`SELECT 1 FROM rate_buckets FOR UPDATE`
      asked = ask(`${program.url}/v1/me`, key)
      await until(async () => {
        const [row] = await sql`SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted`
        return row?.n > 0 ? true : undefined
      })
      program.child.kill('SIGTERM')
      await until(() => ask(`${program.url}/healthz`).then(nothing, () => true))
    })
    const answer = await asked!
    const began = Date.now()
    await sql.end()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('connection')).toBe('close')
    const { code, stderr } = await program.finished
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(Date.now() - began).toBeLessThan(60_000)
  })

  it('ends PostgreSQL too where what is kept in memory can no longer be written', async () => {
    const program = await start({ BELLWETHER_DATA_DIR: first })
    expect((await ask(`${program.url}/v1/me`, key)).status).toBe(200)
    const sql = openSql(first)
    // The next start gives it back.
    await sql`REVOKE UPDATE ON api_keys FROM bellwether_tenant`
    await sql.end()
    expect((await stop(program)).code).toBe(1)
    expect(existsSync(join(first, 'postgres/postmaster.pid'))).toBe(false)
  })
})

describe('the demo company', () => {
  it('is made on an empty embedded database, beside another server, and its line works as printed', async () => {
    const env = { BELLWETHER_DATA_DIR: second }
    const [other, program] = await Promise.all([
      start({ BELLWETHER_DATA_DIR: first }),
      start(env, '--demo'),
    ])
    expect((await ask(`${other.url}/readyz`)).status).toBe(200)
    const [, key, url] = /'Authorization: Bearer (\S+)' '(\S+)'/.exec(program.output().stdout)!
    const answer = await ask(url!, key!)
    expect(answer.status).toBe(200)
    const { data, pagination } = (await answer.json()) as Json
    expect(pagination.total).toBe(250)
    expect(data[0].band).toBe('critical')
    expect(await takeTour(program.url, key!)).toEqual([75, 65, 75, 75, 71])
    expect(await stop(program)).toMatchObject({ code: 0, stderr: '' })
    await stop(other)
    const again = await start(env, '--demo')
    expect(again.output().stdout).toContain(key)
    const password = await changePassword(again)
    await stop(again)
    const later = await start(env, '--demo')
    expect(later.output().stdout).toContain(key)
    expect(later.output().stdout, 'a password that opens nothing').not.toContain(password)
    await stop(later)
    const twice = await run(['seed-demo'], env)
    expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('there already') })
  })

  it('two first starts at once on one folder make one company, and both speak of it', async () => {
    const env = { BELLWETHER_DATA_DIR: third }
    const programs = await Promise.all([start(env, '--demo'), start(env, '--demo')])
    const keys = programs.map(({ output }) => /API key: +(\S+)/.exec(output().stdout)?.[1])
    expect(keys[0]).toBeTruthy()
    expect(keys[1]).toBe(keys[0])
    const listed = JSON.parse((await run(['tenant', 'list', '--json'], env)).stdout)
    expect(listed.data).toHaveLength(1)
    await Promise.all(programs.map(stop))
  })

  it('is refused with DATABASE_URL and on an address others can reach', async () => {
    const url = { DATABASE_URL: 'postgres://app@db.example/x' }
    expect((await run(['seed-demo'], url)).stderr).toContain('DATABASE_URL')
    expect((await run(['seed-demo'], { HOST: '0.0.0.0' })).stderr).toContain('HOST')
  })
})

/** Logs in as the program has printed it and chooses another password; returns the one that was printed. */
async function changePassword({ url, output }: Running): Promise<string> {
  const [, email, password] = /Log in: .* as (\S+), (\S+)/.exec(output().stdout)!
  const send = (method: string, path: string, body: object, headers = {}) =>
    fetch(url + path, {
      method,
      headers: { origin: url, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const entered = await send('POST', '/session/login', { email, password })
  const { csrf_token } = (await entered.json()) as Json
  const cookie = entered.headers.getSetCookie()[0]!.split(';')[0]!
  const headers = { cookie, 'x-csrf-token': csrf_token }
  const chosen = { password: 'a tall ship and a star' }
  expect((await send('PUT', '/session/password', chosen, headers)).status).toBe(204)
  return password!
}

/** Runs the README's tour as it is written there; returns the scores it speaks of. */
async function takeTour(BASE: string, KEY: string): Promise<number[]> {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  const [tour = ''] = readme.split('## A five-minute tour')[1]!.split('\n## ')
  const lines = [...tour.matchAll(/```sh\n(.*?)```/gs)].map(match => match[1]).join('')
  const script = lines.replace(/^(BASE|KEY)=.*\n/gm, '')
  const { stdout } = await execute('bash', ['-e', '-c', script], {
    env: { ...process.env, BASE, KEY },
  })
  const answers = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(answers.filter(answer => answer.error)).toEqual([])
  return answers.flatMap(
    answer => answer.score_after ?? (answer.score_history ? [answer.score] : []),
  )
}

describe('a database of your own', () => {
  it('is used as DATABASE_URL names it, and nothing embedded is started', async () => {
    const DATABASE_URL = databaseUrl(await cloneDatabase())
    const BELLWETHER_DATA_DIR = join(second, 'unused')
    const env = { DATABASE_URL, BELLWETHER_DATA_DIR, BELLWETHER_SECRET_KEY: 'k'.repeat(32) }
    const program = await start(env, '--demo', '--no-worker')
    expect((await ask(`${program.url}/readyz`)).status).toBe(200)
    expect(program.output().stdout).not.toContain('bw_live_')
    expect(program.output().stdout).toContain('No demo company was made: not with DATABASE_URL')
    const worker = launch(['worker'], env)
    await until(() => (worker.output().stdout.includes('worker runs') ? true : undefined))
    worker.child.kill('SIGINT')
    expect((await worker.finished).code).toBe(0)
    expect((await stop(program)).code).toBe(0)
    expect(existsSync(BELLWETHER_DATA_DIR)).toBe(false)
  })
})

describe('a fault is one clear line that names the setting, and exit code 1', () => {
  const refusals: [string, string[], Record<string, string>, RegExp][] = [
    [
      'settings',
      ['serve'],
      { PORT: 'abc', BELLWETHER_LOG_LEVEL: 'loud' },
      /PORT.*BELLWETHER_LOG_LEVEL/,
    ],
    ['an address of another machine', ['serve'], { HOST: '192.0.2.1' }, /HOST 192\.0\.2\.1/],
    ['no secret key', ['serve'], { DATABASE_URL: 'postgres://db/x' }, /BELLWETHER_SECRET_KEY/],
    [
      'a DATABASE_URL that the driver refuses',
      ['tenant', 'list'],
      { DATABASE_URL: 'postgres://db/x?target_session_attrs=any' },
      /DATABASE_URL.*target_session_attrs/,
    ],
    ['an unknown command', ['frob'], {}, /"frob"/],
    ['an unknown option', ['tenant', 'create', '--colour', 'red'], {}, /--colour/],
    ['a missing option', ['tenant', 'create', '--plan', 'starter'], {}, /--name/],
    ['an unknown plan', ['tenant', 'create', '--name', 'A', '--plan', 'gold'], {}, /--plan.*gold/],
    [
      'a name that would read as another',
      ['tenant', 'create', '--name', 'A\u202eB', '--plan', 'starter'],
      {},
      /--name contains a character that is not seen, U\+202E/,
    ],
    ['a bad limit', ['tenant', 'limits', '--tenant', 'ten_1', '--burst=-1'], {}, /--burst/],
    [
      'an option in the place of a value',
      ['tenant', 'limits', '--burst', '--json'],
      {},
      /--burst must be followed by its value; one that begins with a dash is written --burst=-/,
    ],
    ['a name that is empty', ['backup', ''], {}, /backup: one FILE must be given/],
  ]
  it.each(refusals)('%s', async (_what, args, env, line) => {
    const { code, stdout, stderr } = await run(args, env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(line)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const { code, stderr } = await run(['serve'], { PORT: String(port) })
    taken.close()
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`PORT ${port}`) })
  })

  it('a database that cannot be reached, without its password', async () => {
    const DATABASE_URL = 'postgres://app:hunter2@127.0.0.1:1/scores'
    const { code, stderr } = await run(['tenant', 'list'], { DATABASE_URL })
    expect(code).toBe(1)
    expect(stderr).toContain('DATABASE_URL (postgres://app@127.0.0.1:1/scores)')
    expect(stderr).not.toContain('hunter2')
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('a Node that is too old', async () => {
    const old =
      "Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})"
    const { code, stderr } = await run(['serve'], {}, ['--import', `data:text/javascript,${old}`])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Node 24') })
  })
})

describe('help', () => {
  it('is there for the program and for every command', async () => {
    const { code, stdout } = await run(['--help'])
    expect(code).toBe(0)
    const names = [...stdout.matchAll(/^ {2}(\S+(?: \S+)?) {2,}/gm)].map(match => match[1]!)
    expect(names).toEqual(
      expect.arrayContaining(['serve', 'seed-demo', 'tenant limits', 'key revoke']),
    )
    const groups = [...new Set(names.map(name => name.split(' ')[0]!))]
    const texts = await Promise.all(groups.map(group => run([group, '--help'])))
    const all = texts.map(text => text.stdout).join('\n')
    for (const name of names) expect(all).toContain(`bellwether ${name}`)
  })
})
