// What a browser refused to load because of our policy: a sign of a fault of ours or of somebody's attempt.
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'

export const REPORTS_PATH = '/csp-reports'

const TYPES = ['application/csp-report', 'application/reports+json']
const BODY_LIMIT = 16 * 1024

type Violation = { directive: string; blocked: string }

export function reportsRoutes(root: Server, context: Context): void {
  root.register(async server => {
    server.removeAllContentTypeParsers()
    const options = { parseAs: 'string', bodyLimit: BODY_LIMIT } as const
    server.addContentTypeParser(TYPES, options, (_request, body, done) => {
      done(null, readViolations(body as unknown as string))
    })
    const route = { config: { address_per_minute: 20 }, schema: { hidden: true } }
    server.post(REPORTS_PATH, route, async (request, reply) => {
      for (const violation of (request.body ?? []) as Violation[]) {
        context.log.warn(violation, 'a browser refused something by our policy')
      }
      return reply.code(204).send()
    })
  })
}

const MOST = 5

/** Only the directive and the origin: paths, samples and the page itself may hold what is somebody's. */
export function readViolations(text: string): Violation[] {
  const found = [parse(text)].flat().slice(0, MOST)
  return found.flatMap(one => {
    const report = (one as Report | null)?.['csp-report'] ?? (one as Report | null)?.body
    if (typeof report !== 'object' || report === null) return []
    const directive = report.effectiveDirective ?? report['effective-directive']
    const blocked = report.blockedURL ?? report['blocked-uri']
    return [{ directive: nameIn(directive), blocked: originOf(blocked) }]
  })
}

type Report = Record<'csp-report' | 'body', Record<string, unknown> | undefined>

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function nameIn(value: unknown): string {
  return /^[a-z-]{1,30}$/.exec(String(value))?.[0] ?? 'unknown'
}

function originOf(value: unknown): string {
  const text = String(value).slice(0, 2000)
  if (!URL.canParse(text)) return nameIn(text)
  const { origin, protocol } = new URL(text)
  return origin === 'null' ? protocol : origin
}
