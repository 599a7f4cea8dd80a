// Proves the worst day: the data folder is lost under load, and the backup brings back all it had seen. And what the
// operator is told where no backup can be written.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { afterFile } from '../../test/after-file.ts'
import { databaseUrl } from '../../test/database-url.ts'
import { dataFolder, run, serve, until } from '../../test/program.ts'
import { cloneDatabase } from '../../test/service.ts'

type Json = any

const [lost, fresh] = [dataFolder(), dataFolder()]

it('the data folder is lost under load; what was accepted before the backup is there again, proven', async () => {
  const file = join(fresh, 'kept.backup.gz')
  const env = { BELLWETHER_DATA_DIR: lost, BELLWETHER_LOG_LEVEL: 'error' }
  const program = await serve(env, ['--no-demo'])
  const { tenant_id, key } = await openTenant(env)
  const send = (path: string, body: object) =>
    fetch(`${program.url}/v1/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
  await send('employees', { email: 'ada@example.com', first_name: 'A', last_name: 'B' })
  const accepted: string[] = []
  let going = true
  const load = async (lane: number) => {
    for (let i = 0; going; i++) {
      const external_id = `${lane}-${i}`
      const details = { description: external_id }
      const event = { type: 'custom.seen', employee_email: 'ada@example.com', external_id, details }
      const answer = await send('events', event).catch(() => null)
      if (answer?.status === 201) accepted.push(external_id)
    }
  }
  const lanes = Promise.all([load(1), load(2), load(3), load(4)])
  await until(() => (accepted.length > 100 ? true : undefined))
  const before = [...accepted]
  const backup = await run(['backup', file, '--json'], env)
  expect(backup).toMatchObject({ code: 0, stderr: '' })
  await until(() => (accepted.length > before.length + 20 ? true : undefined))
  const postmaster = readFileSync(join(lost, 'postgres/postmaster.pid'), 'utf8')
  copyFileSync(join(lost, 'secret.key'), join(fresh, 'secret.key'))
  program.child.kill('SIGKILL')
  process.kill(Number.parseInt(postmaster, 10), 'SIGKILL')
  going = false
  await Promise.all([lanes, program.finished])
  // What PostgreSQL has left behind may still write for a moment.
  rmSync(lost, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  mkdirSync(lost)

  const again = { ...env, BELLWETHER_DATA_DIR: fresh }
  const restored = await run(['restore', file, '--json'], again)
  expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('may be back') })
  expect(JSON.parse(restored.stdout)).toMatchObject({
    clean: true,
    tenants: 1,
    opens_secrets: true,
    proven: true,
  })
  const second = await serve(again, ['--no-demo'])
  const found = await readEvents(second.url, key)
  expect(before.filter(id => !found.has(id))).toEqual([])
  expect([...found].filter(id => !accepted.includes(id)).length).toBeLessThanOrEqual(4)
  expect(tenant_id).toMatch(/^ten_/)
  second.child.kill('SIGTERM')
  expect((await second.finished).code).toBe(0)
})

const given = {
  DATABASE_URL: databaseUrl(await cloneDatabase()),
  BELLWETHER_SECRET_KEY: 'the key of this installation, long enough',
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bellwether-backup-'))
  afterFile(async () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it.each([
  ['a folder that does not exist', 'no/such', 'there is no folder HERE/no/such: make it first'],
  ['a file in the place of a folder', 'plain', 'HERE/plain is not a folder'],
  ['links in a circle', 'circle', 'the links on the way to HERE/circle/x.gz lead in a circle'],
])(
  'into %s: one line that says what to do, without a name of ours',
  async (_what, place, words) => {
    const here = makeFolder()
    writeFileSync(join(here, 'plain'), '')
    symlinkSync('circle', join(here, 'circle'))
    const line = `${words.replaceAll('HERE', here)}; nothing was written`
    const told = await run(['backup', join(here, place, 'x.gz')], given)
    expect(told).toEqual({ code: 1, stdout: '', stderr: `bellwether: backup: ${line}\n` })
  },
)

it.each(['backup kept.gz', 'verify'])(
  '%s in a folder without a database: it says so, and makes none to find nothing in',
  async command => {
    const here = makeFolder()
    const env = { BELLWETHER_DATA_DIR: join(here, 'data') }
    const { code, stdout, stderr } = await run(command.replace(' ', ` ${here}/`).split(' '), env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^bellwether: there is no database in \S+\/data: [^\n]+\n$/)
    expect(readdirSync(here)).toEqual([])
  },
)

async function openTenant(env: Record<string, string>) {
  const create = ['tenant', 'create', '--name', 'Acme', '--plan', 'enterprise', '--json']
  const { tenant_id } = JSON.parse((await run(create, env)).stdout)
  const limits = ['--requests', '100000', '--burst', '100000']
  await run(['tenant', 'limits', '--tenant', tenant_id, ...limits], env)
  const options = ['--tenant', tenant_id, '--name', 'ci', '--scopes', 'all', '--json']
  const { key } = JSON.parse((await run(['key', 'create', ...options], env)).stdout)
  return { tenant_id, key } as { tenant_id: string; key: string }
}

async function readEvents(url: string, key: string): Promise<Set<string>> {
  const found = new Set<string>()
  const headers = { authorization: `Bearer ${key}` }
  for (let page = 1; ; page++) {
    const asked = await fetch(`${url}/v1/events?per_page=100&page=${page}`, { headers })
    const { data } = (await asked.json()) as Json
    for (const event of data) found.add(event.details.description)
    if (data.length < 100) return found
  }
}
