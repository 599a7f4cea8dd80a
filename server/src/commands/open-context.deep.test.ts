// Proves what is said of a database whose tables the user may not use, and that the SQL printed for it suffices.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { run } from '../../test/program.ts'
import { cloneDatabase } from '../../test/service.ts'
import { openPool } from '../platform/pool.ts'

const BELLWETHER_SECRET_KEY = 'x'.repeat(40)
let owner: ReturnType<typeof openPool>
let env: Record<string, string>

beforeAll(async () => {
  const address = await cloneDatabase()
  owner = openPool({ address, max: 1 })
  await owner.unsafe(`CREATE ROLE guest LOGIN PASSWORD '${address.password}'`)
  const DATABASE_URL = databaseUrl({ ...address, user: 'guest' })
  env = { DATABASE_URL, BELLWETHER_SECRET_KEY, BELLWETHER_LOG_LEVEL: 'error', PORT: '0' }
})
afterAll(() => owner.end())

it('a user without rights: one clear line and exit code 1, from every kind of process', async () => {
  const commands = [['tenant', 'list'], ['serve'], ['worker']]
  for (const { code, stderr } of await Promise.all(commands.map(args => run(args, env)))) {
    expect(stderr).toMatch(
      /^bellwether: the user of DATABASE_URL may not use .*`bellwether migrate`.*\n$/,
    )
    expect(code).toBe(1)
  }
})

it('a user who may not create the tables: one clear line that says who may', async () => {
  await owner`CREATE DATABASE guests TEMPLATE template0`
  onTestFinished(() => owner`DROP DATABASE guests`.then(() => {}))
  const DATABASE_URL = env.DATABASE_URL!.replace(/[^/]+$/, 'guests')
  const { code, stderr } = await run(['migrate'], { ...env, DATABASE_URL })
  expect(stderr).toMatch(/^bellwether: cannot bring .* permission denied .*; sign in as .*\n$/)
  expect(code).toBe(1)
})

it('migrate prints the SQL, and once it has run the user can work', async () => {
  const { sql } = JSON.parse((await run(['migrate', '--json'], env)).stdout)
  for (const one of sql) await owner.unsafe(one)
  expect((await run(['migrate'], env)).stdout).toBe(
    'The database is up to date.\nRow-level security is on.\n',
  )
  expect(await run(['tenant', 'list', '--json'], env)).toEqual({
    code: 0,
    stdout: '{"data":[]}\n',
    stderr: '',
  })
})

it('a database that is read-only: a command says so, in one line', async () => {
  const address = await cloneDatabase()
  const sql = openPool({ address, max: 1 })
  onTestFinished(() => sql.end())
  await sql.unsafe(`ALTER DATABASE ${address.database} SET default_transaction_read_only = on`)
  const DATABASE_URL = databaseUrl(address)
  const create = ['tenant', 'create', '--name', 'Acme', '--plan', 'starter']
  expect(await run(create, { ...env, DATABASE_URL })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^bellwether: .* cannot be used now: the server is read-only.*\n$/,
    ),
  })
})
