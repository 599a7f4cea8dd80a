// The map of the API: every slice in order, on one server.
import { installGuard } from './access/guard.ts'
import { meRoutes } from './access/me.routes.ts'
import { healthRoutes } from './health.routes.ts'
import type { Context } from './platform/context.ts'
import { createServer, type Server } from './platform/http.ts'
import { installNotFound } from './platform/not-found.ts'

export type App = { server: Server; context: Context; close(): Promise<void> }

export function buildApp(context: Context): App {
  const server = createServer(context)
  installNotFound(server)
  const access = installGuard(server, context)
  healthRoutes(server, context)
  meRoutes(server)
  return {
    server,
    context,
    close: async () => {
      await server.close()
      await access.identifier.flush()
    },
  }
}
