// What is really sent is what the API document says: every kind of message is made to happen and compared.
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { buildDocument } from '../platform/openapi.ts'
import { EVENT_KINDS } from '../webhooks/event-kinds.ts'
import { describeService } from './about.ts'

const { app, context, tenant } = await startService()
const ajv = new Ajv.default({ strict: false })
addFormats.default(ajv)
ajv.addSchema(buildDocument(app.routes, describeService(null)), 'api')

function checkMessage(kind: string, message: unknown) {
  const at = `api#/webhooks/${kind}/post/requestBody/content/application~1json/schema`
  const validate = ajv.compile({ $ref: at })
  validate(message)
  return validate.errors ?? []
}

test('each kind carries what the catalogue shows', async () => {
  const acme = await tenant()
  const url = 'https://hooks.example.com/'
  await acme.call('POST', '/v1/webhooks', { url, events: [...EVENT_KINDS] })
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Moss' }
  const { body: ada } = await acme.call('POST', '/v1/employees', person)
  const rule = { name: 'Leak', event_type: 'custom.leak', category: 'custom', impact: -70 }
  await acme.call('POST', '/v1/rules', rule)
  const leak = { type: 'custom.leak', employee_email: person.email }
  expect((await acme.call('POST', '/v1/events', leak)).status).toBe(201)
  await acme.call('PATCH', `/v1/employees/${ada.id}`, { status: 'inactive' })
  const rows = await context.db.inTenant(
    acme.tenant_id,
    tx =>
      tx<{ body: string }[]>`SELECT body FROM webhook_messages WHERE tenant_id = ${acme.tenant_id}`,
  )
  const messages = rows.map(row => JSON.parse(row.body) as { event: string })
  const kinds = new Set(messages.map(one => one.event))
  expect(kinds).toContain('score.updated')
  expect(kinds).toContain('score.band_changed')
  expect(kinds).toContain('event.ingested')
  expect(kinds).toContain('employee.created')
  expect(kinds).toContain('employee.deactivated')
  for (const one of messages) expect(checkMessage(one.event, one)).toEqual([])
  const [sample] = messages
  expect(
    checkMessage('score.updated', { ...sample, event: 'score.updated', data: {} }),
  ).not.toEqual([])
})
