// How many lines are open in this process: of a session, of a tenant, and in all. No tenant takes the places of others.
import { ApiError } from '../platform/errors.ts'

export const MOST_LINES = { session: 6, tenant: 500, in_all: 2_000 } as const

export type LinePlaces = {
  /** Takes a place and gives the way to give it back, or refuses. */
  take(tenant_id: string, session_id: string): () => void
}

export function createLinePlaces(
  most: Readonly<Record<keyof typeof MOST_LINES, number>> = MOST_LINES,
): LinePlaces {
  const sessions = new Map<string, number>()
  const tenants = new Map<string, number>()
  let all = 0

  return {
    take(tenant_id, session_id) {
      const [own, shared] = [sessions.get(session_id) ?? 0, tenants.get(tenant_id) ?? 0]
      if (own >= most.session) throw refused('close another window first')
      if (shared >= most.tenant || all >= most.in_all) throw refused('try again later')
      sessions.set(session_id, own + 1)
      tenants.set(tenant_id, shared + 1)
      all += 1
      return () => {
        lessen(sessions, session_id)
        lessen(tenants, tenant_id)
        all -= 1
      }
    },
  }
}

function refused(advice: string): ApiError {
  return new ApiError('RATE_LIMITED', `too many open lines; ${advice}`, {
    headers: { 'retry-after': '30' },
  })
}

function lessen(counts: Map<string, number>, name: string): void {
  const left = counts.get(name)! - 1
  if (left > 0) counts.set(name, left)
  else counts.delete(name)
}
