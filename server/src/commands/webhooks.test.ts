// The operator's webhook commands against a running program, down to the message that arrives.
import { expect, test } from 'vitest'
import { dataFolder, run, serve, until } from '../../test/program.ts'
import { EVENT_KINDS } from '../webhooks/event-kinds.ts'
import { startReceiver } from '../webhooks/receiver.fixture.ts'

const folder = dataFolder()
const env = {
  BELLWETHER_DATA_DIR: folder,
  BELLWETHER_WEBHOOK_ALLOW: '127.0.0.0/8',
  BELLWETHER_LOG_LEVEL: 'error',
}

async function command(line: string, ...values: string[]) {
  const { code, stdout, stderr } = await run([...line.split(' '), ...values], env)
  return code === 0 ? JSON.parse(stdout) : { code, stderr }
}

test('a subscription is made, tested, looked into and rotated', async () => {
  const receiver = await startReceiver()
  const program = await serve(env)
  const { tenant_id } = await command('tenant create --name Acme --plan starter --json')
  const of = ['--tenant', tenant_id, '--json']
  const made = await command('webhook create --events all --url', receiver.url, ...of)
  expect(Object.keys(made)).toEqual(['id', 'url', 'events', 'secret'])
  expect(made).toMatchObject({ url: receiver.url, events: [...EVENT_KINDS] })
  const one = ['--webhook', made.id, ...of]

  const queued = await command('webhook test', ...one)
  await receiver.until(1)
  expect(receiver.got[0]).toMatchObject({ event: 'webhook.test', delivery: queued.id })
  const delivered = await until(async () => {
    const { data } = await command('webhook deliveries --status delivered', ...one)
    return data.length > 0 ? data : undefined
  })
  expect(delivered).toMatchObject([{ id: queued.id, attempts: 1, last_response_status: 200 }])

  // One process each costs a second; what they do is proven over HTTP.
  const [rotated, refused] = await Promise.all([
    command('webhook rotate-secret', ...one),
    command('webhook recover --since yesterday', ...one),
  ])
  expect(rotated.secret).toMatch(/^whsec_/)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--since must be') })

  program.child.kill('SIGTERM')
  expect((await program.finished).code).toBe(0)
})
