// Many sockets on one port: every connection is served, whichever took it, closing waits for what is under way, and
// they are all of one service.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { buildApp } from '../app.ts'
import { CommandError } from './arguments.ts'
import { listen, reservePort } from './listen.ts'
import { startObserving } from './observe.ts'

const service = await startService()

async function open(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

test('two hundred connections at once are answered, and none is cut off when the server closes', async () => {
  const { context } = service
  const { key } = await service.tenant()
  const app = buildApp(context)
  await listen(app.server, { ...context.config, host: '127.0.0.1', port: 0 })
  const { port } = app.server.server.address() as AddressInfo
  const sockets = await Promise.all(Array.from({ length: 200 }, () => open(port)))
  let begun = 0
  app.server.server.on('request', () => begun++)
  const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`
  for (const socket of sockets) {
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n`)
  }
  await expect.poll(() => begun).toBe(200)
  const closing = app.server.close()
  const answers = sockets.map(async socket => {
    socket.write('{}')
    const [answer] = await once(socket, 'data')
    return String(answer).slice(0, 12)
  })
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 400']))
  for (const socket of sockets) socket.destroy()
  await closing
  await expect(open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('of two services that come to one port at the same instant, one is refused by a line that names it', async () => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  await new Promise(resolve => free.close(resolve))
  const config = { ...service.context.config, host: '127.0.0.1', port }
  const ends = await Promise.allSettled([reservePort(config), reservePort(config)])
  const [giveBack] = ends.flatMap(end => (end.status === 'fulfilled' ? [end.value] : []))
  const refusal = new CommandError(
    `PORT ${port} is in use on 127.0.0.1: stop what listens there, or set PORT to another`,
  )
  expect(ends).toContainEqual({ status: 'rejected', reason: refusal })
  giveBack!()
  const again = await reservePort(config)
  again()
})

test('a port for metrics that is taken is named, with what to do', async () => {
  const { context } = service
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const metrics = { host: '127.0.0.1', port }
  const life = { ending: new AbortController().signal, end() {}, atEnd() {}, need() {} }
  const starting = startObserving(life, { ...context, config: { ...context.config, metrics } })
  await expect(starting).rejects.toThrow(
    `BELLWETHER_METRICS_PORT ${port} is in use on 127.0.0.1: stop what listens there, or set BELLWETHER_METRICS_PORT to another`,
  )
})
