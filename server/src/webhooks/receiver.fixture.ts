// Receivers for the tests: real servers on loopback that answer as they are told, and keep what they got.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Service } from '../../test/service.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { announce, type Message } from './announce.ts'
import { createDeliveryEngine } from './deliver-webhooks.job.ts'
import type { EventKind } from './event-kinds.ts'

export type Received = {
  at: number
  path: string
  headers: Record<string, string>
  body: string
  event: string
  delivery: string
}

export type Receiver = {
  url: string
  got: Received[]
  /** Resolves when so many have arrived in all. */
  until(count: number): Promise<void>
}

type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => void

export const ok: Answer = response => void response.end('ok')
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  response =>
    void response.writeHead(code, headers).end('no')

/** A receiver that ends with the test. */
export async function startReceiver(answer: Answer = ok): Promise<Receiver> {
  const got: Received[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const headers = request.headers as Record<string, string>
      const body = Buffer.concat(chunks).toString('utf8')
      const event = headers['x-service-event'] ?? ''
      const delivery = headers['x-service-delivery'] ?? ''
      const received = { at: Date.now(), path: request.url ?? '', headers, body, event, delivery }
      got.push(received)
      for (const look of waiting) look()
      answer(response, received, request)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const until = (count: number) =>
    new Promise<void>(resolve => {
      const look = () => {
        if (got.length >= count) resolve()
      }
      waiting.add(look)
      look()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got, until }
}

/** A receiver below HTTP: what it does with the bytes is up to the test. */
export async function startRawReceiver(serve: (socket: Socket) => void): Promise<{ url: string }> {
  const sockets = new Set<Socket>()
  const server = createTcpServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    serve(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

export function message(
  employee_id: string,
  at: number,
  n = 0,
  kind: EventKind = 'score.updated',
): Message {
  return { kind, at, employee_id, data: () => ({ employee_id, n }) }
}

/** Announces messages as a change would, in a transaction of its own. */
export async function tell(
  { db, clock }: Context,
  tenant_id: string,
  messages: readonly Message[],
) {
  await db.inTenant(tenant_id, tx => announce(tx, tenant_id, clock.now(), messages))
}

/** Sends two messages to the address, one after the other; what is logged of them, and whose they are. */
export async function sendTwo({ context, clock, tenant }: Service, url: string) {
  const acme = await tenant()
  const hook = await acme.call('POST', '/v1/webhooks', { url, events: ['score.updated'] })
  const engine = createDeliveryEngine(context, { random: () => 0 })
  for (const n of [1, 2]) {
    await tell(context, acme.tenant_id, [message('emp_1', clock.now(), n)])
    await engine.runDue()
  }
  await engine.stop()
  const { body } = await acme.call('GET', `/v1/webhooks/${hook.body.id}/deliveries`)
  return { acme, data: body.data as { id: string }[] }
}

/** Kept for longer than any stall of the machine. */
export const KEPT_OK = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=600\r\nContent-Length: 2\r\n\r\nok'

export const LOOPBACK = { webhook_allow: ['127.0.0.0/8'] }

/** Holds the oldest delivery of a subscription, as another process would that is about to claim it. */
export async function lockOldest(tx: Tx, tenant_id: string, webhook_id: string): Promise<void> {
  const rows = await tx`SELECT 1 FROM webhook_deliveries
    WHERE tenant_id = ${tenant_id} AND webhook_id = ${webhook_id} ORDER BY position LIMIT 1 FOR UPDATE`
  if (rows.length === 0) throw new Error('no delivery to hold')
}
