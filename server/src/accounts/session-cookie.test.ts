// What a sibling of our domain plants beside the cookies, byte by byte: it is never taken for ours, and locks nobody out.
import { beforeAll, expect, test } from 'vitest'
import { addPerson, PASSWORD } from '../../test/people.ts'
import { portOf, type RawAnswer, sendRaw } from '../../test/raw-socket.ts'
import { startService } from '../../test/service.ts'
import { accountKey } from './email-address.ts'
import { logIn } from './log-in.ts'

const service = await startService({ public_url: 'https://bellwether.test' })
const { context } = service
const tenant = await service.tenant()
const port = await portOf(service.app)
const [SESSION, BROWSER] = ['__Host-bw_session', '__Host-bw_browser']
const VISIT = { address: '192.0.2.1', request_id: 'req_test', device: 'test', cookies: '' }

let own: Awaited<ReturnType<typeof enter>>
let planted: Awaited<ReturnType<typeof enter>>
beforeAll(async () => {
  own = await enter()
  planted = await enter()
})

async function enter() {
  const { email } = await addPerson(service, tenant.tenant_id)
  const { token } = await logIn(context, VISIT, { email, password: PASSWORD })
  return { email, token }
}

/** Each character of the cookies is one byte. */
function send(method: string, path: string, cookies: string, body = ''): Promise<RawAnswer> {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: bellwether.test',
    'Origin: https://bellwether.test',
    `Cookie: ${cookies}`,
    'Connection: close',
    ...(body === ''
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  return sendRaw(port, Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1'))
}

const clearing = ({ text }: RawAnswer) =>
  [...text.matchAll(/^set-cookie: (\S+)=; Max-Age=0; Path=\/; HttpOnly; .*Secure\r$/gim)].map(
    match => match[1],
  )

test.each([
  ['a byte that is no space', '\xa0'],
  ['a letter with a mark', '\xc2\xa0'],
  ['a next line', '\x85'],
])(
  'with %s before it a planted cookie is not the session, and keeps nobody from their own',
  async (_, byte) => {
    const alone = await send('GET', '/session', `${byte}${SESSION}=${planted.token}`)
    expect(alone.statuses).toEqual([401])
    for (const name of [`${byte}${SESSION}`, `${SESSION}${byte}`]) {
      const beside = [`${name}=${planted.token}`, `${SESSION}=${own.token}`]
      for (const cookies of [beside.join('; '), beside.toReversed().join(';')]) {
        const answer = await send('GET', '/session', cookies)
        expect([answer.statuses, clearing(answer)]).toEqual([[200], []])
        expect(answer.text).toContain(own.email)
      }
    }
  },
)

test('spaces and tabs around a name and a value do not count', async () => {
  const answer = await send('GET', '/session', `a=1;\t ${SESSION} \t=\t${own.token} \t; b=2`)
  expect(answer.statuses).toEqual([200])
})

test.each([
  ['as it is', '; '],
  ['behind a tab', ';\t'],
  ['right behind', ';'],
])('a second session %s makes both none, and the answer clears the name', async (_, between) => {
  for (const name of [SESSION, `${SESSION} `, `\t${SESSION}\t`]) {
    const twins = `${SESSION}=${own.token}${between}${name}=${planted.token}`
    const answer = await send('GET', '/session', twins)
    expect([answer.statuses, clearing(answer)]).toEqual([[401], [SESSION]])
  }
})

test('a login beside twins ends with its own cookie', async () => {
  const body = JSON.stringify({ email: own.email, password: PASSWORD })
  const answer = await send('POST', '/session/login', `${SESSION}=a; ${SESSION}=b`, body)
  expect(answer.statuses).toEqual([200])
  const set = [...answer.text.matchAll(/^set-cookie: __Host-bw_session=([^;]*)/gim)]
  expect(set.map(match => match[1]!.length)).toEqual([0, 43])
})

test('a known browser stays known beside a planted cookie, and twins are none and cleared', async () => {
  const { email } = await addPerson(service, tenant.tenant_id)
  const known = context.secrets.seal('x'.repeat(43), `browser:${accountKey(email)}`)
  const enterWith = (cookies: string, password: string) =>
    send('POST', '/session/login', cookies, JSON.stringify({ email, password }))
  for (let i = 0; i < 5; i++) await enterWith('a=1', 'wrong wrong wrong')
  expect((await enterWith('a=1', PASSWORD)).statuses).toEqual([429])
  const twins = await enterWith(`${BROWSER}=${known};${BROWSER}\t=planted`, PASSWORD)
  expect([twins.statuses, clearing(twins)]).toEqual([[429], [BROWSER]])
  const beside = await enterWith(`\xa0${BROWSER}=planted; ${BROWSER}=${known}`, PASSWORD)
  expect([beside.statuses, clearing(beside)]).toEqual([[200], []])
})
