// Stands between the driver and the database: sees what goes to and fro, and holds back what it is told to.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import { SELF_SIGNED } from '../../test/self-signed.ts'
import { cloneDatabase } from '../../test/service.ts'

export type Between = {
  /** False: it does not reach the database. */
  sent?(bytes: Buffer, client: Socket): boolean
  answered?(): void
  tls?: boolean
  /** What it shows where it speaks TLS. */
  shown?: { key: string; cert: string }
}

/** Returns the address to connect to. */
export async function standBetween(between: Between): Promise<string> {
  const { sent, answered, tls = false, shown = SELF_SIGNED } = between
  const { host, port, user, password, database: name } = await cloneDatabase()
  const proxy = createServer(async socket => {
    socket.on('error', () => {})
    const client = tls ? await secure(socket, shown) : socket
    const database = connect(`${host}/.s.PGSQL.${port}`)
    client.on('error', () => database.destroy()).on('close', () => database.destroy())
    database.on('error', () => client.destroy()).on('close', () => client.destroy())
    database.on('data', bytes => {
      answered?.()
      client.write(bytes)
    })
    client.on('data', bytes => {
      if (sent?.(bytes, client) !== false) database.write(bytes)
    })
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void proxy.close())
  const { port: near } = proxy.address() as AddressInfo
  const query = tls ? '?sslmode=require' : ''
  return `postgres://${user}:${password}@127.0.0.1:${near}/${name}${query}`
}

/** The client's first message asks for TLS. */
async function secure(socket: Socket, shown: object): Promise<Socket> {
  await once(socket, 'data')
  socket.write('S')
  return new TLSSocket(socket, { isServer: true, ...shown })
}
