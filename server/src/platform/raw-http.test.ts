// The border of a message is never in doubt: what two servers could read differently is refused and the line closed.
import { expect, test } from 'vitest'
import { PATIENCE_MS } from '../../test/patience.ts'
import { portOf, sendRaw } from '../../test/raw-socket.ts'
import { startService } from '../../test/service.ts'

const service = await startService({ public_url: 'https://bellwether.test' })
const { key } = await service.tenant()
const port = await portOf(service.app)

const END = '\r\n\r\n'
const auth = `Host: x\r\nAuthorization: Bearer ${key}`
const get = (...lines: string[]) => ['GET /v1/me HTTP/1.1', auth, ...lines].join('\r\n') + END
const post = (lines: string[], body: string) =>
  ['POST /v1/events HTTP/1.1', auth, 'Content-Type: application/json', ...lines].join('\r\n') +
  END +
  body
/** What would be answered 200 if the message before it ended where the attacker says. */
const HIDDEN = get()

const REFUSED: readonly [string, string | Buffer][] = [
  ['a length that is no number', post(['Content-Length: x'], '{}')],
  ['a negative length', post(['Content-Length: -1'], '{}')],
  ['a length with a plus', post(['Content-Length: +2'], '{}')],
  ['a length in hex', post(['Content-Length: 0x2'], '{}')],
  ['a length beyond 64 bits', post(['Content-Length: 99999999999999999999'], '{}')],
  ['two lengths', post(['Content-Length: 2', 'Content-Length: 40'], `{}${HIDDEN}`)],
  ['a list of lengths', post(['Content-Length: 2, 40'], `{}${HIDDEN}`)],
  [
    'length and chunks',
    post(['Content-Length: 4', 'Transfer-Encoding: chunked'], `0${END}${HIDDEN}`),
  ],
  [
    'chunks and length',
    post(['Transfer-Encoding: chunked', 'Content-Length: 4'], `0${END}${HIDDEN}`),
  ],
  ['chunks that are not last', post(['Transfer-Encoding: chunked, identity'], `0${END}${HIDDEN}`)],
  ['a coding nobody knows', post(['Transfer-Encoding: xchunked'], `0${END}${HIDDEN}`)],
  ['a space before the colon', post(['Transfer-Encoding : chunked'], `0${END}${HIDDEN}`)],
  ['a tab inside the coding', post(['Transfer-Encoding: chun\tked'], `0${END}${HIDDEN}`)],
  ['a chunk size that is no number', post(['Transfer-Encoding: chunked'], `zz\r\n{}${END}`)],
  ['a negative chunk', post(['Transfer-Encoding: chunked'], `-1\r\n{}${END}`)],
  ['a chunk beyond 64 bits', post(['Transfer-Encoding: chunked'], `fffffffffffffffff\r\n{}${END}`)],
  [
    'a chunk longer than it says',
    post(['Transfer-Encoding: chunked'], `1\r\n{}\r\n0${END}${HIDDEN}`),
  ],
  ['a bare LF behind a chunk size', post(['Transfer-Encoding: chunked'], `2\n{}\r\n0${END}`)],
  ['a folded header', get('X-A: b\r\n c: d')],
  ['a header without a colon', get('NoColon')],
  ['a header without a name', get(': x')],
  ['a space in a header name', get('X A: b')],
  ['NUL in a header', get('X-A: a\u0000b')],
  ['NUL in the path', `GET /v1/me\u0000 HTTP/1.1\r\n${auth}${END}`],
  ['a bare CR in a header', get('X-A: a\rX-B: b')],
  ['a space in the path', `GET /v1/me x HTTP/1.1\r\n${auth}${END}`],
  ['no Host', `GET /v1/me HTTP/1.1\r\nAuthorization: Bearer ${key}${END}`],
  ['two Hosts', get('Host: evil.test')],
  ['the same Host twice, by HTTP/1.0', `GET /v1/me HTTP/1.0\r\n${auth}\r\nhost: x${END}`],
  ['a method nobody knows', `BREW /v1/me HTTP/1.1\r\n${auth}${END}`],
  ['a method in small letters', `get /v1/me HTTP/1.1\r\n${auth}${END}`],
  ['HTTP/3.7', `GET /v1/me HTTP/3.7\r\n${auth}${END}`],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
  ['headers of 20 kB', get(`X-Long: ${'x'.repeat(20_000)}`)],
  ['a path of 20 kB', `GET /v1/me?x=${'x'.repeat(20_000)} HTTP/1.1\r\n${auth}${END}`],
  ['3,000 headers', get(...Array.from({ length: 3000 }, (_, i) => `X-${i}: y`))],
]

test.each(REFUSED)('%s is refused, and nothing behind it is answered', async (_name, bytes) => {
  service.clock.advance(2000)
  const { statuses, closed, text } = await sendRaw(port, bytes, PATIENCE_MS)
  expect(statuses.length, text).toBeLessThanOrEqual(1)
  for (const status of statuses) expect([400, 408, 413, 431]).toContain(status)
  expect(text).not.toContain('"tenant"')
  expect(closed).toBe(true)
})

test.each([
  ['that could not be parsed', get('NoColon')],
  ['without a Host', `GET /healthz HTTP/1.1${END}`],
])('a request %s gets the safe headers and the one error shape', async (_name, bytes) => {
  const { text } = await sendRaw(port, bytes, PATIENCE_MS)
  const [head = '', body = ''] = text.split(END)
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  for (const name of ['x-request-id: req_', 'strict-transport-security: max-age=31536000', 'csp']) {
    expect(head).toContain(name === 'csp' ? 'content-security-policy: default-src' : name)
  }
  expect(JSON.parse(body).error).toMatchObject({ code: 'VALIDATION_ERROR' })
})

const TAKEN: readonly [string, string, number[]][] = [
  ['two Authorization headers', get(`Authorization: Bearer ${key}x`), [200]],
  ['two Content-Types', post(['Content-Type: text/plain', 'Content-Length: 2'], '{}'), [400]],
  ['a chunk extension', post(['Transfer-Encoding: chunked'], `2;a=b\r\n{}\r\n0${END}`), [400]],
  ['an upgrade to HTTP/2', get('Upgrade: h2c', 'HTTP2-Settings: x'), [200, 400]],
  ['an upgrade to a web socket', get('Upgrade: websocket', 'Connection: Upgrade'), [200, 400]],
  ['the whole URL of another host', `GET http://evil.test/v1/me HTTP/1.1\r\n${auth}${END}`, [200]],
  ['OPTIONS of everything', `OPTIONS * HTTP/1.1\r\n${auth}${END}`, [404, 405]],
  ['TRACE', `TRACE /v1/me HTTP/1.1\r\n${auth}${END}`, [404, 405]],
  ['a method in a header', get('X-HTTP-Method-Override: DELETE'), [200]],
  ['HTTP/1.0', `GET /v1/me HTTP/1.0\r\n${auth}${END}`, [200]],
  ['a header that is not ASCII', get('X-A: \u00e9'), [200]],
]

test.each(TAKEN)('%s: one answer, as of any request', async (_name, bytes, allowed) => {
  service.clock.advance(2000)
  const { statuses, text } = await sendRaw(port, bytes)
  expect(statuses, text).toHaveLength(1)
  expect(allowed).toContain(statuses[0])
  expect(text).not.toContain('evil.test')
})

test('CONNECT opens no tunnel', async () => {
  const { statuses, text } = await sendRaw(port, `CONNECT evil.test:443 HTTP/1.1\r\n${auth}${END}`)
  expect(
    statuses.filter(status => status < 400),
    text,
  ).toEqual([])
})

const LARGE = ' '.repeat(1024 * 1024)

test.each([
  ['of a length told beforehand', post([`Content-Length: ${LARGE.length}`], LARGE)],
  ['in chunks', post(['Transfer-Encoding: chunked'], `100000\r\n${LARGE}\r\n0${END}`)],
])('413 for a body %s: it is heard out, so that the answer arrives', async (_name, bytes) => {
  const { statuses } = await sendRaw(port, bytes + get('Connection: close'), PATIENCE_MS)
  expect(statuses).toEqual([413, 200])
})
