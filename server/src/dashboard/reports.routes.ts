// What a browser refused to load because of our policy: a sign of a fault of ours or of somebody's attempt.
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { REPORTS_PATH, readViolations, type Violation } from './policy-reports.ts'

const TYPES = ['application/csp-report', 'application/reports+json']
const BODY_LIMIT = 16 * 1024

export function reportsRoutes(root: Server, context: Context): void {
  root.register(async server => {
    server.removeAllContentTypeParsers()
    server.addContentTypeParser(TYPES, { parseAs: 'string' }, (_request, body, done) => {
      done(null, readViolations(body as unknown as string))
    })
    const config = { address_per_minute: 20 }
    const route = { bodyLimit: BODY_LIMIT, config, schema: { hidden: true } }
    server.post(REPORTS_PATH, route, async (request, reply) => {
      for (const violation of (request.body ?? []) as Violation[]) {
        context.log.warn(violation, 'a browser refused something by our policy')
      }
      return reply.code(204).send()
    })
  })
}
