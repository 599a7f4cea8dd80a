// Where the service listens, with a clear word when it cannot.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import type { Config } from '../config.ts'
import type { Server } from '../platform/http.ts'
import { CommandError } from './arguments.ts'

/**
 * Called before the database is touched, so that a port in use is said at once; returns what gives the port back.
 * Invariant: only sockets of one process share a port. Another process that starts at the same instant is refused.
 */
export async function reservePort(config: Config): Promise<() => void> {
  if (config.port === 0) return () => {}
  try {
    const name = MAY_SHARE ? await holdName(config) : null
    const probe = createServer().listen(config.port, hostOf(config))
    await once(probe, 'listening')
    await new Promise(resolve => probe.close(resolve))
    return () => void name?.close()
  } catch (error) {
    throw explainPort(error as NodeJS.ErrnoException, config)
  }
}

/** An abstract socket name, which one process alone can hold and which is free again when it ends. */
async function holdName(config: Config): Promise<NetServer> {
  const name = createServer().listen(`\0bellwether ${config.port} ${hostOf(config).slice(0, 64)}`)
  await once(name, 'listening')
  return name
}

/** Connections that wait to be taken; the system may allow fewer. Those beyond try again only after seconds. */
const BACKLOG = 4096

/** Where several sockets may listen on one port. */
const MAY_SHARE = process.platform === 'linux'
const DOORS = 64

export async function listen(server: Server, config: Config): Promise<void> {
  const doors = openedDoors(server)
  // Handed on to Node as it is.
  const shared = { reusePort: MAY_SHARE }
  const place = { port: config.port, host: hostOf(config), backlog: BACKLOG, ...shared }
  // Fastify's own line about the address would be the only one in the log of a quiet start.
  const { level } = server.log
  server.log.level = 'warn'
  await server.listen(place).catch(error => {
    throw explainPort(error, config)
  })
  server.log.level = level
  if (MAY_SHARE) await doors.open()
}

/**
 * Node takes one connection from a listening socket in each turn of its loop, so while it is busy a crowd that comes at
 * once would wait outside for seconds. With more such sockets on the port it takes as many in a turn.
 */
function openedDoors(server: Server) {
  const doors: NetServer[] = []
  let closed: Promise<unknown> = Promise.resolve()
  server.addHook('preClose', async () => {
    closed = Promise.all(doors.map(door => new Promise(resolve => door.close(resolve))))
  })
  server.addHook('onClose', async () => {
    await closed
  })
  const open = async () => {
    const { address: host, port } = server.server.address() as AddressInfo
    while (doors.length < DOORS - 1) {
      const door = createServer({ allowHalfOpen: true, noDelay: true }, socket =>
        server.server.emit('connection', socket),
      )
      doors.push(door)
      door.listen({ host, port, backlog: BACKLOG, reusePort: true })
      await once(door, 'listening')
    }
  }
  return { open }
}

/** One socket, whose connections can be drained; Fastify would open two for `localhost`. */
function hostOf({ host }: Config): string {
  return host === 'localhost' ? '127.0.0.1' : host
}

/** `owner` is what the names of the two settings begin with. */
export function explainPort(
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
  owner = '',
): Error {
  const [setting, { code = '' }] = [`${owner}PORT`, error]
  if (code === 'EADDRINUSE') {
    return new CommandError(
      `${setting} ${port} is in use on ${host}: stop what listens there, or set ${setting} to another`,
    )
  }
  if (code === 'EACCES')
    return new CommandError(`${setting} ${port}: this user may not listen there`)
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) {
    return new CommandError(`${owner}HOST ${host} is not an address of this machine`)
  }
  return error
}
