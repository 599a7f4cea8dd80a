// Attempts at what is not allowed are logged: by route and address, never by what was sent.
import type { FastifyRequest } from 'fastify'
import type { Clock } from './clock.ts'
import { createOnceAMinute } from './once-a-minute.ts'

type Refusal = { readonly status: number; readonly code: string; readonly message: string }

/** Called for every error that is answered; most are no refusals. */
export type LogRefusal = (refusal: Refusal, request: FastifyRequest) => void

export function createRefusalLog(clock: Clock): LogRefusal {
  // Nothing else bounds how often a 429 is answered.
  const isFirst = createOnceAMinute(clock)
  return ({ status, code, message }, { log, method, routeOptions, ip }) => {
    if (status !== 401 && status !== 403 && status !== 429) return
    const route = routeOptions.url
    if (status === 429 && !isFirst(`${ip} ${method} ${route}`)) return
    log.info({ code, reason: message, method, route, address: ip }, 'access refused')
  }
}
