// Too many requests of one tenant at once: the rest is turned away cheaply and rightly, others are served, all recovers.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startService } from '../../test/service.ts'

const service = await startService()
await service.app.server.listen({ port: 0, host: '127.0.0.1' })
const { port } = service.app.server.server.address() as AddressInfo

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

const head = (key: string, path = '/v1/me', length = 0) =>
  `${length > 0 ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

async function ask(key: string): Promise<string> {
  const socket = await open()
  socket.write(head(key))
  const [answer] = await once(socket, 'data')
  return String(answer)
}

test('503 at once beyond 300 under way, whole for another tenant, and served again when they have gone', async () => {
  const [crowd, other] = [await service.tenant(), await service.tenant()]
  // Requests whose bodies never come are under way until their connections are gone.
  const held = await Promise.all(Array.from({ length: 300 }, open))
  for (const socket of held) socket.write(head(crowd.key, '/v1/events', 10))
  await expect.poll(async () => (await ask(crowd.key)).slice(0, 12)).toBe('HTTP/1.1 503')
  const refused = await ask(crowd.key)
  const now = Math.ceil(service.clock.now() / 1000)
  for (const line of [
    /^retry-after: 1\r$/m,
    /^x-request-id: req_\w+\r$/m,
    /^x-ratelimit-limit: \d+\r$/m,
    /^x-ratelimit-remaining: 0\r$/m,
    new RegExp(`^x-ratelimit-reset: ${now + 1}\r$`, 'm'),
    /^x-content-type-options: nosniff\r$/m,
    /"error":\{"code":"UNAVAILABLE","message":"the service is busy; try again shortly","request_id":"req_\w+"\}/,
  ]) {
    expect(refused).toMatch(line)
  }
  expect(await ask(other.key)).toMatch(/^HTTP\/1.1 200/)
  // What is no key of the form names nobody.
  expect(await ask(`${crowd.key}x`)).toMatch(/^HTTP\/1.1 401/)
  for (const socket of held) socket.destroy()
  await expect.poll(async () => (await ask(crowd.key)).slice(0, 12)).toBe('HTTP/1.1 200')
})

test('200 after 300 requests whose clients were gone before their credential was known', async () => {
  const crowd = await service.tenant()
  const { server } = service.app.server
  const gone: Promise<unknown>[] = []
  const follow = (_: IncomingMessage, response: ServerResponse) => {
    gone.push(once(response, 'close'))
  }
  server.on('request', follow)
  const held = await Promise.all(Array.from({ length: 300 }, open))
  await service.context.db.sql.begin(async tx => {
    await tx`LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE`
    for (const socket of held) socket.write(head(crowd.key))
    await expect.poll(() => gone.length).toBe(300)
    for (const socket of held) socket.destroy()
    await Promise.all(gone)
  })
  server.off('request', follow)
  expect(await ask(crowd.key)).toMatch(/^HTTP\/1.1 200/)
})
