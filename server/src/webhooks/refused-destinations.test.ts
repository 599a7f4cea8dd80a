// Who tells us to call an address inside is written down, whether by a literal or by a name that leads there.
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { caller, startService } from '../../test/service.ts'
import { buildApp } from '../app.ts'
import { logOptions } from '../platform/log-options.ts'
import { runDueDeliveries } from './deliver-webhooks.job.ts'
import { message, tell } from './receiver.fixture.ts'

const lines: string[] = []
const log = pino(logOptions('info'), { write: line => void lines.push(line) })
const take = () => lines.splice(0).map(line => JSON.parse(line))

const service = await startService()
const context = { ...service.context, log }
const app = buildApp(context)
await app.server.ready()
afterAll(() => app.close())
const { key, key_id, tenant_id } = await service.tenant()
const call = caller(app, key)
const events = ['score.updated']

test('a literal address is written down when a subscription is made or changed, without what else the URL says', async () => {
  const made = await call('POST', '/v1/webhooks', { url: 'https://hooks.example.com/', events })
  expect([made.status, take()]).toEqual([201, []])
  const url = 'http://169.254.169.254/latest?token=violet-otter'
  const refused = [
    await call('POST', '/v1/webhooks', { url, events }),
    await call('PATCH', `/v1/webhooks/${made.body.id}`, { url: 'http://[::1]/' }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([400, 400])
  const line = { msg: 'webhook destination refused', level: 30, tenant_id, actor: `key:${key_id}` }
  const written = take()
  expect(written).toMatchObject([
    { ...line, host: '169.254.169.254', request_id: refused[0]!.body.error.request_id },
    { ...line, host: '[::1]', request_id: refused[1]!.body.error.request_id },
  ])
  expect(JSON.stringify(written)).not.toContain('violet')
  expect((await call('POST', '/v1/webhooks', { url: 'ftp://10.0.0.1/', events })).status).toBe(400)
  expect(take()).toEqual([])
  await call('DELETE', `/v1/webhooks/${made.body.id}`)
})

test('a name that leads inside is written down when it is called, once a minute for each subscription', async () => {
  const url = 'https://inside.example.com/hook?token=violet-otter'
  const made = await call('POST', '/v1/webhooks', { url, events })
  const resolve = async () => [{ address: '10.0.0.7', family: 4 }]
  const send = async () => {
    await tell(context, tenant_id, [
      message('emp_1', service.clock.now()),
      message('emp_2', service.clock.now()),
    ])
    await runDueDeliveries(context, { resolve, random: () => 0 })
    return take().filter(({ msg }) => msg === 'webhook destination refused')
  }
  const line = { level: 30, tenant_id, webhook_id: made.body.id, host: 'inside.example.com' }
  const written = await send()
  expect(written).toMatchObject([line])
  expect(JSON.stringify(written)).not.toContain('violet')
  service.clock.advance(60_000)
  expect(await send()).toMatchObject([line])
})
