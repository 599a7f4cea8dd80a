// Whose a saved answer is: the credential's that made it, and nobody else's of the tenant.
import { expect, test } from 'vitest'
import { addApp } from '../../test/oauth.ts'
import { openBrowser, signIn } from '../../test/people.ts'
import { type Call, caller, startService } from '../../test/service.ts'

const service = await startService()
const url = 'https://hooks.example.com/x'
const once = { 'idempotency-key': 'once' }

const create = (call: Call, body: object = { url, events: ['score.updated'] }) =>
  call('POST', '/v1/webhooks', body, once)

test('an Idempotency-Key repeated by another key of the tenant makes something of its own', async () => {
  const acme = await service.tenant()
  const other = await acme.as('webhooks:write')
  const first = await create(acme.call)
  const second = await create(other)
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.body.id).not.toBe(first.body.id)
  expect(second.body.secret).not.toBe(first.body.secret)
  expect((await create(acme.call)).body).toEqual(first.body)
  expect((await create(other)).body).toEqual(second.body)
  const third = await create(await acme.as('webhooks:write'), { url, events: ['event.ingested'] })
  expect(third.status, 'another body').toBe(201)
})

test('a repeat by the next token of a grant gets the first answer, one by another grant does not', async () => {
  const acme = await service.tenant()
  const app = await addApp(service, acme.tenant_id, ['webhooks:write'])
  const person = await signIn(service, acme.tenant_id)
  const [one, two] = [await app.connect(person), await app.connect(person)]
  const first = await create(caller(service.app, one.tokens.access_token))
  const renewed = await app.refresh(one.tokens.refresh_token)
  expect((await create(caller(service.app, renewed.body.access_token))).body).toEqual(first.body)
  const second = await create(caller(service.app, two.tokens.access_token))
  expect([second.status, second.body.id === first.body.id]).toEqual([201, false])
})

test('a repeat from another session of the same person gets the first answer, one by somebody else does not', async () => {
  const { tenant_id } = await service.tenant()
  const ann = await signIn(service, tenant_id)
  const again = openBrowser(service)
  await again.logIn(ann.email)
  const ben = await signIn(service, tenant_id)
  const key = { name: 'mine', scopes: ['events:read'] }
  const make = ({ call }: Pick<typeof ann, 'call'>) => call('POST', '/admin/keys', key, once)
  const [first, repeat, other] = [await make(ann), await make(again), await make(ben)]
  expect(first.status).toBe(201)
  expect(repeat.body).toEqual(first.body)
  expect([other.status, other.body.key === first.body.key]).toEqual([201, false])
})

test('an event repeated by another key of the tenant is another event', async () => {
  const acme = await service.tenant()
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Moss' }
  await acme.call('POST', '/v1/employees', person)
  const event = { type: 'custom.seen', employee_email: person.email, details: {} }
  const send = async (call: Call) => (await call('POST', '/v1/events', event, once)).body.id
  const other = await acme.as('events:write')
  const [first, repeat, second] = [await send(acme.call), await send(acme.call), await send(other)]
  expect(repeat).toBe(first)
  expect(second).not.toBe(first)
})
