// A signing secret that was sealed with a key that is gone: the log names the subscription, and does not fill a disk.
import pino from 'pino'
import { expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { MINUTE } from '../platform/clock.ts'
import { createSecrets, keyFromSetting } from '../platform/secrets.ts'
import { createDeliveryEngine } from './deliver-webhooks.job.ts'
import { LOOPBACK, message, tell } from './receiver.fixture.ts'
import { sealSecret } from './secrets-at-rest.ts'

const service = await startService(LOOPBACK)
const lines: string[] = []
const log = pino({ level: 'warn' }, { write: line => void lines.push(line) })
const context = { ...service.context, log }

test('is named once a minute, however many messages could not be signed', async () => {
  const { tenant_id, call } = await service.tenant()
  const events = ['score.updated']
  const { body } = await call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', events })
  const lost = createSecrets(keyFromSetting('a key that was lost with its folder'))
  const secret = sealSecret(lost, tenant_id, body.id, 'whsec_b2xk')
  await context.db.sql`UPDATE webhooks SET secret = ${secret} WHERE webhook_id = ${body.id}`
  const engine = createDeliveryEngine(context)
  const send = async () => {
    await tell(context, tenant_id, [message('emp_1', service.clock.now())])
    await engine.runDue()
  }
  for (let n = 0; n < 3; n += 1) await send()
  const line = {
    level: 40,
    tenant_id,
    webhook_id: body.id,
    msg: 'a signing secret was sealed with another key',
  }
  expect(lines.map(text => JSON.parse(text))).toMatchObject([line])
  service.clock.advance(MINUTE)
  await send()
  expect(lines.map(text => JSON.parse(text))).toMatchObject([line, line])
  await engine.stop()
})
