// Connections that are kept: a receiver may close one at any time, which costs neither an attempt nor a wait.
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { KEPT_OK, LOOPBACK, sendTwo, startRawReceiver } from './receiver.fixture.ts'

const service = await startService(LOOPBACK)

/** For each request to the receiver: the number of its connection, and which request of that connection it is. */
type Serve = (socket: Socket, connection: number, request: number) => void

/** Sends two messages, one after the other, and returns the requests that came and the log of both. */
async function sendBoth(serve: Serve) {
  const got: { connection: number; delivery: string }[] = []
  let connections = 0
  const { url } = await startRawReceiver(socket => {
    connections += 1
    const connection = connections
    let request = 0
    socket.on('data', bytes => {
      const [, delivery = ''] = /x-service-delivery: (\S+)/i.exec(bytes.toString()) ?? []
      got.push({ connection, delivery })
      request += 1
      serve(socket, connection, request)
    })
  })
  const { acme, data } = await sendTwo(service, url)
  const details = data.map(({ id }) => acme.call('GET', `/v1/webhooks/deliveries/${id}`))
  const byId = new Map((await Promise.all(details)).map(one => [one.body.id, one.body]))
  const second = byId.get(got[1]!.delivery)
  return { got, first: byId.get(got[0]!.delivery), second }
}

test.each([
  ['closed', (socket: Socket) => void socket.end()],
  ['reset', (socket: Socket) => void socket.resetAndDestroy()],
])('one that is %s as we send is followed by a new one at once', async (_, close) => {
  const { got, first, second } = await sendBoth((socket, _connection, request) => {
    if (request === 1) socket.write(KEPT_OK)
    else close(socket)
  })
  expect(first).toMatchObject({ status: 'delivered', attempts: 1 })
  expect(second).toMatchObject({ status: 'delivered', attempts: 1 })
  expect(second.attempt_log).toHaveLength(1)
  const { timings, response } = second.attempt_log[0]
  expect(response).toMatchObject({ status: 200, body: 'ok' })
  expect(timings.connect_ms, 'a connection was opened').not.toBeNull()
  expect(got.map(one => one.connection)).toEqual([1, 1, 2])
  expect(got[2]!.delivery, 'the same delivery, by its id').toBe(second.id)
})

test('where the new one is closed too, the attempt has failed', async () => {
  const { got, second } = await sendBoth((socket, connection, request) => {
    if (connection === 1 && request === 1) socket.write(KEPT_OK)
    else socket.end()
  })
  expect(second).toMatchObject({
    status: 'retrying',
    attempts: 1,
    last_error: 'headers: connection closed by the receiver',
  })
  expect(got.map(one => one.connection)).toEqual([1, 1, 2])
})

test('what was answered in part is not sent again at once', async () => {
  const { got, second } = await sendBoth((socket, _connection, request) => {
    if (request === 1) socket.write(KEPT_OK)
    else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')
  })
  expect(second).toMatchObject({ status: 'retrying', attempts: 1, last_response_status: 200 })
  expect(got.map(one => one.connection)).toEqual([1, 1])
})
