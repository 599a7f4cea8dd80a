// Attempts at what is not allowed are logged: by route and address, never by what was sent.
import type { FastifyRequest } from 'fastify'
import { type Clock, MINUTE } from './clock.ts'

type Refusal = { readonly status: number; readonly code: string; readonly message: string }

/** Called for every error that is answered; most are no refusals. */
export type LogRefusal = (refusal: Refusal, request: FastifyRequest) => void

const MOST_A_MINUTE = 100

export function createRefusalLog(clock: Clock): LogRefusal {
  const told = new Set<string>()
  let minute = 0
  /** Nothing else bounds how often a 429 is answered, so a flood of them would fill the disk. */
  const isFirst = (what: string): boolean => {
    const now = Math.floor(clock.now() / MINUTE)
    if (now !== minute) told.clear()
    minute = now
    if (told.has(what) || told.size >= MOST_A_MINUTE) return false
    told.add(what)
    return true
  }
  return ({ status, code, message }, { log, method, routeOptions, ip }) => {
    if (status !== 401 && status !== 403 && status !== 429) return
    const route = routeOptions.url
    if (status === 429 && !isFirst(`${ip} ${method} ${route}`)) return
    log.info({ code, reason: message, method, route, address: ip }, 'access refused')
  }
}
