// Attempts at what is not allowed are logged, and why nobody can be served: by route and address, never by what was
// sent.
import type { FastifyRequest } from 'fastify'
import { clientAddress } from './client-address.ts'
import type { Clock } from './clock.ts'
import { sayCause } from './database-errors.ts'
import { ApiError } from './errors.ts'
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

/** What is answered where the sender is gone before the whole body came: to nobody. */
export const CUT_OFF = new ApiError('VALIDATION_ERROR', 'the connection ended within the body')

export function isCutOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}

/** Nothing else bounds how often these are: a 429, a 503 and what is cut off. */
export function createRefusalLog(clock: Clock): LogRefusal {
  const isFirst = createOnceAMinute(clock)
  const isFirstReason = createOnceAMinute(clock)
  return (refusal, { log, method, routeOptions, ip }) => {
    const { status, code, message } = refusal
    const route = routeOptions.url
    if (status === 503) {
      const reason = sayCause(refusal) ?? message
      if (isFirstReason(reason)) log.warn({ reason, method, route }, 'requests are answered 503')
      return
    }
    const isUnbounded = status === 429 || refusal === CUT_OFF
    if (status !== 401 && status !== 403 && !isUnbounded) return
    const address = clientAddress(ip)
    if (isUnbounded && !isFirst(`${code} ${address} ${method} ${route}`)) return
    log.info({ code, reason: message, method, route, address }, 'access refused')
  }
}
