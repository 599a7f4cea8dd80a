// Proves the worst day: the data folder is lost under load, and the backup brings back all it had seen.
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dataFolder, run, serve, until } from '../../test/program.ts'

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
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(restored.stdout)).toMatchObject({
    clean: true,
    tenants: 1,
    opens_secrets: true,
  })
  const second = await serve(again, ['--no-demo'])
  const found = await readEvents(second.url, key)
  expect(before.filter(id => !found.has(id))).toEqual([])
  expect([...found].filter(id => !accepted.includes(id)).length).toBeLessThanOrEqual(4)
  expect(tenant_id).toMatch(/^ten_/)
  second.child.kill('SIGTERM')
  expect((await second.finished).code).toBe(0)
})

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
