// Attempts at what is not allowed are logged, and why nobody can be served: by route and address, never by what was
// sent.
import type { FastifyRequest } from 'fastify'
import { clientAddress } from './client-address.ts'
import type { Clock } from './clock.ts'
import { sayCause } from './database-errors.ts'
import { createOnceAMinute } from './once-a-minute.ts'

type Refusal = {
  readonly status: number
  readonly code: string
  readonly message: string
  /** Of a 503: what the database, or whoever asked it, has said. */
  readonly cause?: unknown
}

/** Called for every error that is answered; most are no refusals. */
export type LogRefusal = (refusal: Refusal, request: FastifyRequest) => void

/** Nothing else bounds how often a 429 or a 503 is answered. */
export function createRefusalLog(clock: Clock): LogRefusal {
  const isFirstLimit = createOnceAMinute(clock)
  const isFirstReason = createOnceAMinute(clock)
  return (refusal, { log, method, routeOptions, ip }) => {
    const { status, code, message } = refusal
    const route = routeOptions.url
    if (status === 503) {
      const reason = sayCause(refusal) ?? message
      if (isFirstReason(reason)) log.warn({ reason, method, route }, 'requests are answered 503')
      return
    }
    if (status !== 401 && status !== 403 && status !== 429) return
    const address = clientAddress(ip)
    if (status === 429 && !isFirstLimit(`${address} ${method} ${route}`)) return
    log.info({ code, reason: message, method, route, address }, 'access refused')
  }
}
