// Who holds a connection by sending next to nothing is cut off, and told so.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { PATIENCE_MS } from '../../test/patience.ts'
import { portOf, sendRaw } from '../../test/raw-socket.ts'
import { testClock, testConfig } from '../../test/service.ts'
import type { Context } from './context.ts'
import { createServer, PATIENCE } from './http.ts'

const context = { config: testConfig(), clock: testClock(), log: pino({ level: 'silent' }) }
const quick = { ...PATIENCE, headers_ms: 100, request_ms: 200, idle_ms: 300, look_ms: 25 }
const server = createServer(context as unknown as Context, quick)
server.post('/v1/x', {}, async () => ({}))
server.get('/v1/slow', {}, async request => {
  await once(request.raw.socket, 'timeout')
  return {}
})
/** More than the system takes in for a connection whose other end does not read. */
const LARGE = 'x'.repeat(15 * 1024 * 1024)
server.get('/v1/large', {}, async () => LARGE)
afterAll(() => server.close())

test.each([
  ['headers that never end', 'POST /v1/x HTTP/1.1\r\nHost: x\r\nX-A: '],
  [
    'a body that never comes',
    'POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  ],
])('408 %s', async (_name, bytes) => {
  const port = await portOf({ server })
  const { statuses, text, closed } = await sendRaw(port, bytes, PATIENCE_MS)
  expect(statuses).toEqual([408])
  expect(text).toContain('the request took too long to arrive')
  expect(closed).toBe(true)
})

test('the service itself waits ten seconds for headers, thirty for a request or a reader, and looks often', () => {
  const real = createServer(context as unknown as Context)
  expect(PATIENCE).toEqual({
    headers_ms: 10_000,
    request_ms: 30_000,
    idle_ms: 30_000,
    between_ms: 72_000,
    look_ms: 2000,
  })
  expect(real.server.headersTimeout).toBe(PATIENCE.headers_ms)
  expect(real.server.requestTimeout).toBe(PATIENCE.request_ms)
  expect(real.server.timeout).toBe(PATIENCE.idle_ms)
})

test('200 an answer that takes longer to make than a silent connection is kept', async () => {
  const port = await portOf({ server })
  const slow = 'GET /v1/slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  expect(await sendRaw(port, slow, PATIENCE_MS)).toMatchObject({ statuses: [200], closed: true })
})

test('a client that does not read its answer is cut off', async () => {
  const port = await portOf({ server })
  const idle = connect(port, '127.0.0.1')
  idle.pause().write('GET /v1/large HTTP/1.1\r\nHost: x\r\n\r\n')
  const [request] = (await once(server.server, 'request')) as [IncomingMessage]
  await once(request.socket, 'close')
  idle.destroy()
})

test('connections that break off leave nothing behind', async () => {
  const port = await portOf({ server })
  const begun =
    'POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'
  const sockets = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'))
  await Promise.all(
    sockets.map(async socket => {
      await once(socket, 'connect')
      socket.write(begun)
      socket.resetAndDestroy()
      await once(socket, 'close')
    }),
  )
  const open = () =>
    new Promise<number>(resolve => server.server.getConnections((_, n) => resolve(n)))
  await expect.poll(open).toBe(0)
})
