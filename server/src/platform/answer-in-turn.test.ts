// Many requests on one connection at once: answered in order, one at a time, and nobody else waits for all of them.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { PATIENCE_MS } from '../../test/patience.ts'
import { sendRaw } from '../../test/raw-socket.ts'
import { answerInTurn } from './answer-in-turn.ts'

async function serve(listener: RequestListener): Promise<{ port: number; server: Server }> {
  const server = createServer(answerInTurn(listener)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, server }
}

const get = (path: string, ...lines: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: x', ...lines].join('\r\n')}\r\n\r\n`
const LAST = get('/last', 'Connection: close')

/** As a page that takes so long to make. */
function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('each begins when the one before it is answered, in the order in which they came', async () => {
  const seen: string[] = []
  const { port } = await serve(async ({ url }, response) => {
    seen.push(`begin ${url}`)
    await nextTurn()
    seen.push(`end ${url}`)
    response.end(`at ${url}.`)
  })
  const { text, statuses } = await sendRaw(port, get('/1') + get('/2') + LAST, PATIENCE_MS)
  expect(statuses).toEqual([200, 200, 200])
  expect(text.match(/at [^.]+/g)).toEqual(['at /1', 'at /2', 'at /last'])
  const order = ['/1', '/2', '/last'].flatMap(url => [`begin ${url}`, `end ${url}`])
  expect(seen).toEqual(order)
})

test('another connection is answered between two of three hundred', async () => {
  let served = 0
  const { port } = await serve(({ url }, response) => {
    if (url === '/work') {
      served += 1
      work(1)
    }
    response.end()
  })
  const crowd = sendRaw(port, get('/work').repeat(300) + LAST, PATIENCE_MS)
  await expect.poll(() => served).toBeGreaterThan(0)
  const { statuses } = await sendRaw(port, LAST, PATIENCE_MS)
  expect(statuses).toEqual([200])
  expect(served).toBeLessThan(150)
  expect((await crowd).statuses).toHaveLength(301)
})

test('bodies of requests that wait arrive whole, though no more is read meanwhile', async () => {
  const lengths: number[] = []
  const { port } = await serve(async (request, response) => {
    let length = 0
    for await (const chunk of request) length += (chunk as Buffer).length
    lengths.push(length)
    response.end()
  })
  const body = 'x'.repeat(300_000)
  const post = `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const { statuses } = await sendRaw(port, post.repeat(4) + LAST, PATIENCE_MS)
  expect(statuses).toEqual([200, 200, 200, 200, 200])
  expect(lengths).toEqual([300_000, 300_000, 300_000, 300_000, 0])
})

test('what stands behind an answer that closes the connection, or behind a client that left, is not served', async () => {
  const seen: string[] = []
  const gone = Promise.withResolvers<void>()
  const { port, server } = await serve(async ({ url }, response) => {
    seen.push(url!)
    if (url === '/slow') await gone.promise
    response.end()
  })
  expect((await sendRaw(port, LAST + get('/behind'), PATIENCE_MS)).statuses).toEqual([200])
  const socket = connect(port, '127.0.0.1')
  socket.write(get('/slow') + get('/behind'))
  await expect.poll(() => seen).toContain('/slow')
  socket.resetAndDestroy()
  await once(socket, 'close')
  gone.resolve()
  const open = () => new Promise<number>(resolve => server.getConnections((_, n) => resolve(n)))
  await expect.poll(open).toBe(0)
  expect(seen).toEqual(['/last', '/slow'])
})

test('while requests wait no more is read from their connection', async () => {
  let served = 0
  const gate = Promise.withResolvers<void>()
  const { port, server } = await serve(async (_, response) => {
    served += 1
    await gate.promise
    response.end()
  })
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const [connection] = (await once(server, 'connection')) as [Socket]
  socket.resume().write(get('/'))
  await expect.poll(() => served).toBe(1)
  expect(connection.isPaused()).toBe(false)
  socket.write(get('/').repeat(10_000))
  await expect.poll(() => connection.isPaused()).toBe(true)
  const read = connection.bytesRead
  gate.resolve()
  await expect.poll(() => served).toBe(10_001)
  expect(read).toBeLessThan(200_000)
  expect(connection.isPaused()).toBe(false)
})
