// What is kept of a browser's report that our policy was broken, and where such reports go.

export const REPORTS_PATH = '/csp-reports'

export type Violation = { directive: string; blocked: string }

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

/** Anybody may send a report: of what is no text nothing is asked, as its own toString may be no function. */
function nameIn(value: unknown): string {
  return typeof value === 'string' && /^[a-z-]{1,30}$/.test(value) ? value : 'unknown'
}

function originOf(value: unknown): string {
  const text = typeof value === 'string' ? value.slice(0, 2000) : ''
  if (!URL.canParse(text)) return nameIn(text)
  const { origin, protocol } = new URL(text)
  return origin === 'null' ? protocol : origin
}
