// The answers that the API document shows are those that come: the requests it shows are made and compared.
import { expect, test } from 'vitest'
import { signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { DAY } from '../platform/clock.ts'
import { buildDocument } from '../platform/openapi.ts'
import type { Schema } from '../platform/openapi-schemas.ts'
import { describeService } from './about.ts'

type Media = { content: { 'application/json': { example: Record<string, unknown> } } }

const service = await startService()
const acme = await service.tenant()
const desk = await signIn(service, acme.tenant_id, 'owner')
const document = buildDocument(service.app.routes, describeService(null))

function shownBy(name: string) {
  const [method = '', path = ''] = name.split(' ')
  const operation = document.paths[path]![method.toLowerCase()]!
  const [status, answer] = Object.entries(operation.responses as Schema).find(([code]) =>
    code.startsWith('2'),
  )!
  const body = operation.requestBody as Media | undefined
  return {
    method,
    path,
    status: Number(status),
    body: body?.content['application/json'].example,
    answer: (answer as Media).content['application/json'].example,
  }
}

/** Ids by their prefix, instants and secrets as such: these differ from one answer to the next. */
function blur(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, part) => {
    if (typeof part !== 'string') return part
    if (part.startsWith('whsec_')) return 'secret'
    if (/^\d{4}-\d{2}-\d{2}T.*Z$/.test(part)) return 'instant'
    return part.replace(/^((?:key:|user:)?[a-z]{3,4}_)[0-9a-z]+$/, '$1')
  })
}

const left = (value: object, without: readonly string[]) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !without.includes(key)))

/** Makes the request that is shown; `ids` stand for those of its path and body, `without` is not compared. */
async function check(
  name: string,
  ids: Record<string, string> = {},
  { call = acme.call, without = [] as string[] } = {},
) {
  const shown = shownBy(name)
  const path = shown.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => ids[key]!)
  const own = Object.entries(ids).filter(([key]) => key in (shown.body ?? {}))
  const body = shown.body && { ...shown.body, ...Object.fromEntries(own) }
  const { status, body: answer } = await call(shown.method as 'POST', path, body)
  expect([name, status]).toEqual([name, shown.status])
  expect(blur(left(answer, without)), name).toEqual(blur(left(shown.answer, without)))
  return answer as { id: string }
}

test('requests about employees and rules are answered as the document shows', async () => {
  const { id } = await check('POST /v1/employees')
  await check('PATCH /v1/employees/{id}', { id }, { without: ['last_event_at', 'integrations'] })
  const rule = await check('POST /v1/rules')
  await check('PATCH /v1/rules/{id}', { id: rule.id })
})

test('requests about webhooks are answered as the document shows', async () => {
  const { id } = await check('POST /v1/webhooks')
  await check('POST /v1/webhooks/{id}/rotate-secret', { id })
  await check('POST /v1/webhooks/{id}/activate-secret', { id })
  await check('POST /v1/webhooks/{id}/test', { id })
  await check('POST /v1/webhooks/{id}/recover', { id })
})

test('requests about events of the inbound webhook are answered as the document shows', async () => {
  const person = { email: 'mfa@example.com', first_name: 'Ada', last_name: 'Moss' }
  await acme.call('POST', '/v1/employees', person)
  const shown = shownBy('POST /v1/events/webhook')
  const sent = { ...shown.body, employee: { email: person.email } }
  const { body } = await acme.call('POST', '/v1/events/webhook', sent)
  expect(blur(body)).toEqual(blur(shown.answer))
  expect(shownBy('POST /v1/events/unmatched/{id}/replay').answer).toEqual(shown.answer)
})

test('requests about actions are answered as the document shows', async () => {
  const person = { email: 'ada@example.org', first_name: 'Ada', last_name: 'Moss' }
  const { body: ada } = await acme.call('POST', '/v1/employees', person)
  const ids = { employee_id: ada.id }
  const without = ['employee_email']
  const ask = () => check('POST /v1/actions', ids, { without })
  const origin = ['policy_id', 'reason', 'trigger_event', 'event_id', 'requested_by', 'note']
  const scores = ['previous_score', 'new_score', 'previous_band', 'new_band']
  const reported = { without: [...without, ...origin, ...scores] }
  await check('POST /v1/actions/{id}/complete', { id: (await ask()).id }, reported)
  await check('POST /v1/actions/{id}/fail', { id: (await ask()).id }, reported)
  for (const verb of ['approve', 'reject']) {
    const wanted = { ...ids, type: 'restrict_access', note: 'the third time this month' }
    const { body: action } = await acme.call('POST', '/v1/actions', wanted)
    const by = { call: desk.call as typeof acme.call, without }
    await check(`POST /v1/actions/{id}/${verb}`, { id: action.id }, by)
  }
})

test('events as they are shown are taken however old the page is', async () => {
  service.clock.advance(2 * 365 * DAY)
  const later = await service.tenant()
  const ada = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Moss' }
  await later.call('POST', '/v1/employees', ada)
  const send = (path: string) => later.call('POST', path, shownBy(`POST ${path}`).body)
  expect((await send('/v1/events')).status).toBe(201)
  expect((await send('/v1/events/webhook')).status).toBe(201)
  expect((await send('/v1/events/batch')).body.data[0].status).toBe(201)
})
