// What the document says of the form of a text is what the service asks for: a client can judge before it sends.
import { expect, it } from 'vitest'
import { buildOfflineDocument } from '../../../tools/offline-app.ts'
import { startService } from '../../test/service.ts'

const service = await startService()
const tenant = await service.tenant()
const document = buildOfflineDocument() as any

const fieldsOf = (path: string, method = 'post') =>
  document.paths[path][method].requestBody.content['application/json'].schema.properties

/** Of each text: does the document allow it, and does the service? */
async function judge(
  schema: any,
  texts: string[],
  send: (text: string) => Promise<{ status: number }>,
) {
  const form = new RegExp(schema.pattern, 'u')
  const said = texts.map(text => [text, form.test(text)])
  const done: [string, boolean][] = []
  for (const text of texts) done.push([text, (await send(text)).status < 300])
  expect(done).toEqual(said)
}

it('an email address is taken exactly where the document says so', async () => {
  const { email, manager_email } = fieldsOf('/v1/employees')
  const hire = (more: object) =>
    tenant.call('POST', '/v1/employees', { first_name: 'A', last_name: 'B', ...more })
  const odd = [
    '',
    ' ',
    'a',
    '@',
    'a@',
    '@b',
    'a@@b',
    'a b@c',
    'a@b c',
    'a@b,c',
    '<a@b>',
    'a@b;',
    'a@"b"',
    'a\u0085@b',
  ]
  const good = ['a@b', 'Ü+1@ü.example', '"a"@b.co', "o'x@b.co"]
  await judge(email, [...odd, ...good], text => hire({ email: text }))
  let nth = 0
  const below = (text: string) => hire({ email: `n${nth++}@b.co`, manager_email: text })
  await judge(manager_email, [...odd, ...good], below)
})

it('a cooldown and the type of a rule are taken exactly where the document says so', async () => {
  const { cooldown, event_type } = fieldsOf('/v1/rules')
  const rule = { name: 'R', event_type: 'sim.x', category: 'email', impact: -1 }
  const add = (more: object) => tenant.call('POST', '/v1/rules', { ...rule, ...more })
  const spans = [
    '',
    'h',
    '1',
    '1.5h',
    '-1h',
    '1H',
    ' 1h',
    '1h ',
    '1 h',
    '0h',
    '1s',
    '90m',
    '365d',
    '52w',
    '00000001h',
  ]
  await judge(cooldown, spans, text => add({ cooldown: text }))
  const types = [
    '',
    'sim',
    '.x',
    'sim.',
    'sim..x',
    '*',
    'sim.*',
    'sim.*.x',
    'sim.x y',
    'Sim.X_1-2',
    'a.b.c.d',
  ]
  await judge(event_type, types, text => add({ event_type: text }))
})

it('a date is taken exactly where the document says so', async () => {
  const query = document.paths['/v1/events'].get.parameters
  const { schema } = query.find((one: any) => one.name === 'from')
  const texts = [
    '',
    'soon',
    '2026-03',
    '20260301',
    '2026-03-01',
    '2026-03-01T09:00',
    '2026-03-01T09:00:00',
  ]
  const zoned = [
    '2026-03-01T09:00Z',
    '2026-03-01t09:00:00.5z',
    '2026-03-01T09:00:00+0200',
    '2026-03-01 09:00:00Z',
  ]
  await judge(schema, [...texts, ...zoned], text =>
    tenant.call('GET', `/v1/events?from=${encodeURIComponent(text)}`),
  )
})
