// Answers that nobody reads: beyond a bound their tenant gets no more large ones, everybody else does.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import pino from 'pino'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { portOf } from '../../test/raw-socket.ts'
import { testClock, testConfig } from '../../test/service.ts'
import type { Identity } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import { createServer } from '../platform/http.ts'
import { boundUnread } from './bound-unread.ts'

const context = { config: testConfig(), clock: testClock(), log: pino({ level: 'silent' }) }
const server = createServer(context as unknown as Context)
/** More than the system takes in for a connection whose other end does not read. */
const LARGE = 'x'.repeat(15 * 1024 * 1024)
server.decorateRequest('identity', null)
server.addHook('onRequest', async request => {
  request.identity = { tenant_id: String(request.headers['x-tenant']) } as Identity
})
boundUnread(server)
server.get('/large', async () => LARGE)
server.post('/large', async () => LARGE)
server.get('/small', async () => 'ok')
afterAll(() => server.close())
const port = await portOf({ server })

/** Asks, and reads no further than the first bytes. */
async function ask(tenant: string, path = '/large', method = 'GET') {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Tenant: ${tenant}\r\n\r\n`)
  const [head] = await once(socket, 'data')
  socket.pause()
  return { socket, status: Number(String(head).slice(9, 12)), head: String(head) }
}

const leave = async (socket: Socket) => {
  socket.destroy()
  await once(socket, 'close')
}

test('503 for what would be more than 32 MiB unread of one tenant, 200 again when it was read or left', async () => {
  const [first, second] = [await ask('a'), await ask('a')]
  expect([first.status, second.status]).toEqual([200, 200])
  const refused = await ask('a')
  expect(refused.status).toBe(503)
  expect(refused.head).toMatch(/^retry-after: 1\r$/m)
  expect(refused.head).toContain('"code":"UNAVAILABLE"')
  expect((await ask('a', '/small')).status).toBe(200)
  expect((await ask('b')).status).toBe(200)
  first.socket.resume()
  await expect.poll(async () => (await ask('a')).status, { timeout: 20_000 }).toBe(200)
  expect((await ask('a')).status).toBe(503)
  await leave(second.socket)
  await expect.poll(async () => (await ask('a')).status, { timeout: 20_000 }).toBe(200)
})

test('200 for what was done, however much is unread', async () => {
  const answers = [await ask('c'), await ask('c'), await ask('c', '/large', 'POST')]
  expect(answers.map(answer => answer.status)).toEqual([200, 200, 200])
  expect((await ask('c')).status).toBe(503)
})
