// Interim answers (1xx) that nobody asked for: they are passed over, as HTTP bids, and the final one counts.
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { KEPT_OK, LOOPBACK, sendTwo, startRawReceiver } from './receiver.fixture.ts'

const service = await startService(LOOPBACK)

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'
const UPGRADE = 'HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

/** Sends two messages one after the other and returns their log, and how many connections they took. */
async function sendBoth(answer: (socket: Socket) => void) {
  let connections = 0
  const { url } = await startRawReceiver(socket => {
    connections += 1
    socket.setNoDelay().on('data', () => answer(socket))
  })
  const { data } = await sendTwo(service, url)
  return { data, connections }
}

const delivered = { status: 'delivered', attempts: 1, last_response_status: 200 }

test.each([
  ['100', (socket: Socket) => void socket.write(CONTINUE, () => socket.write(KEPT_OK))],
  ['100 and the final one together', (socket: Socket) => void socket.write(CONTINUE + KEPT_OK)],
  [
    '100 twice',
    (socket: Socket) => void socket.write(CONTINUE, () => socket.write(CONTINUE + KEPT_OK)),
  ],
  ['103', (socket: Socket) => void socket.write(HINTS, () => socket.write(KEPT_OK))],
])('%s', async (_, answer) => {
  const { data, connections } = await sendBoth(answer)
  expect(data).toMatchObject([delivered, delivered])
  expect(connections, 'the connection is kept').toBe(1)
})

test('an answer whose body holds the same words is left as it is', async () => {
  const head = `HTTP/1.1 200 OK\r\nKeep-Alive: timeout=600\r\nContent-Length: ${CONTINUE.length}\r\n\r\n`
  const { data, connections } = await sendBoth(
    socket => void socket.write(head, () => socket.write(CONTINUE)),
  )
  expect(data).toMatchObject([delivered, delivered])
  expect(connections).toBe(1)
})

test.each([
  [
    '100 with headers without measure',
    100,
    CONTINUE.replace('\r\n', `\r\nX: ${'y'.repeat(2000)}\r\n`),
  ],
  ['101', 101, UPGRADE],
])('%s is not passed over, and is told as what it is', async (_, code, answer) => {
  const { data } = await sendBoth(socket => void socket.write(answer))
  const last_error = `headers: answered ${code}, which nobody asked for`
  const failed = { status: 'retrying', attempts: 1, last_error }
  expect(data).toMatchObject([failed, failed])
})
