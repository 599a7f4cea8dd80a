// The program as its users have it, in short: it starts, takes commands beside it, and a kill loses nothing it has told.
// Everything else it does as a process is of the deep run.
import { afterAll, expect, test } from 'vitest'
import { dataFolder, type Running, run, serve } from '../../test/program.ts'

const BELLWETHER_DATA_DIR = dataFolder()
const running = new Set<Running>()
afterAll(() => {
  for (const { child } of running) child.kill('SIGKILL')
})

async function start(...args: string[]): Promise<Running> {
  const program = await serve({ BELLWETHER_DATA_DIR, BELLWETHER_LOG_LEVEL: 'error' }, args)
  running.add(program)
  program.finished.then(() => running.delete(program))
  return program
}

async function ask(program: Running, key: string, path: string, body?: unknown) {
  const response = await fetch(program.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: (await response.json()) as any }
}

async function openTenant(): Promise<string> {
  const command = async (...args: string[]) =>
    JSON.parse((await run([...args, '--json'], { BELLWETHER_DATA_DIR })).stdout)
  const { tenant_id } = await command('tenant', 'create', '--name', 'Acme', '--plan', 'enterprise')
  const scopes = ['--name', 'ci', '--scopes', 'all']
  return (await command('key', 'create', '--tenant', tenant_id, ...scopes)).key
}

test('two processes on one data folder: what either has acknowledged is there after kill -9 of one', async () => {
  const first = await start('--no-demo')
  const key = await openTenant()
  const second = await start('--no-demo')
  const ada = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Moss' }
  expect((await ask(first, key, '/v1/employees', ada)).status).toBe(201)
  const event = { type: 'custom.smoke', employee_email: ada.email }
  const acknowledged: string[] = []
  for (const program of [first, second, first, second]) {
    const { status, body } = await ask(program, key, '/v1/events', event)
    expect(status).toBe(201)
    acknowledged.push(body.id)
  }
  first.child.kill('SIGKILL')
  await first.finished
  const { body } = await ask(second, key, '/v1/events')
  expect(body.data.map((one: { id: string }) => one.id).sort()).toEqual(acknowledged.sort())
  second.child.kill('SIGTERM')
  expect((await second.finished).code).toBe(0)
})
