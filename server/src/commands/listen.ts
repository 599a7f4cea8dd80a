// Where the service listens, with a clear word when it cannot.
import { createServer } from 'node:net'
import type { Config } from '../config.ts'
import type { Server } from '../platform/http.ts'
import { CommandError } from './arguments.ts'

/** Tried before the database is touched, so that a port in use is said at once. */
export async function checkPort(config: Config): Promise<void> {
  if (config.port === 0) return
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe
      .once('error', reject)
      .listen(config.port, hostOf(config), () => probe.close(() => resolve()))
  }).catch(error => {
    throw explain(error, config)
  })
}

/** Connections that wait to be taken; the system may allow fewer. Those beyond try again only after seconds. */
const BACKLOG = 4096

export async function listen(server: Server, config: Config): Promise<void> {
  // Fastify's own line about the address would be the only one in the log of a quiet start.
  const { level } = server.log
  server.log.level = 'warn'
  await server
    .listen({ port: config.port, host: hostOf(config), backlog: BACKLOG })
    .catch(error => {
      throw explain(error, config)
    })
  server.log.level = level
}

/** One socket, whose connections can be drained; Fastify would open two for `localhost`. */
function hostOf({ host }: Config): string {
  return host === 'localhost' ? '127.0.0.1' : host
}

function explain(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  if (error.code === 'EADDRINUSE') {
    const message = `PORT ${port} is in use on ${host}: stop what listens there, or set PORT to another`
    return new CommandError(message)
  }
  if (error.code === 'EACCES')
    return new CommandError(`PORT ${port}: this user may not listen there`)
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(error.code ?? '')) {
    return new CommandError(`HOST ${host} is not an address of this machine`)
  }
  return error
}
