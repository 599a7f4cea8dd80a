// Reads what callers send as events: what is allowed in, and in the one form the ingestion takes.
import { DASHBOARD_SOURCE, ENGINE_SOURCE } from '../../../scoring/streak.ts'
import { type Instant, MINUTE } from '../platform/clock.ts'
import { parseMoment, sayNoMoment } from '../platform/dates.ts'
import type { Fault } from '../platform/errors.ts'
import { patternSaid } from '../platform/say-fault.ts'
import { isStoredLarger } from '../platform/stored-size.ts'

/** An event ready to be scored, whichever way it came in. */
export type EventInput = {
  type: string
  source: string
  employee_email: string
  /** Null means: when it is received. */
  timestamp: Instant | null
  details: Record<string, unknown>
  external_id: string | null
  /** Whether an unknown address is kept for later or only refused. */
  keep_unmatched: boolean
}

export const MAX_FUTURE_MS = 5 * MINUTE
export const EVENT_TYPE = patternSaid(
  '^([A-Za-z0-9_-]+\\.)+[A-Za-z0-9_-]+$',
  'must be a dotted kind such as custom.vpn_anomaly',
)
const TYPE = new RegExp(EVENT_TYPE)
const MAX_DETAILS_BYTES = 32 * 1024
const MAX_DETAILS_DEPTH = 8
const MAX_TYPE_LENGTH = 100
const MAX_SOURCE_LENGTH = 100
const RESERVED_SOURCES = [ENGINE_SOURCE, DASHBOARD_SOURCE]

export type CustomEvent = {
  type: string
  employee_email: string
  timestamp?: string | undefined
  details?: Record<string, unknown> | undefined
  external_id?: string | undefined
}

export type InboundEvent = {
  source: string
  event_type: string
  timestamp?: string | undefined
  employee: { email: string }
  details?: Record<string, unknown> | undefined
  external_id?: string | undefined
}

export type Read = { input: EventInput } | { faults: Fault[] }

/** POST /v1/events: the type begins with `custom.`, the source is details.source_system or `api`. */
export function readCustomEvent(body: CustomEvent, now: Instant): Read {
  const details = body.details ?? {}
  const named = details.source_system
  const source = typeof named === 'string' && named !== '' ? named : 'api'
  const faults = [
    ...typeFaults('type', body.type),
    ...(body.type.startsWith('custom.')
      ? []
      : [fault('type', 'must begin with custom.; other types come in by /v1/events/webhook')]),
    ...sourceFaults('details.source_system', source),
  ]
  return finish(faults, now, body.timestamp, {
    type: body.type,
    source,
    employee_email: body.employee_email,
    details,
    external_id: body.external_id ?? null,
    keep_unmatched: false,
  })
}

/** The inbound webhook: any dotted type that is not our own. */
export function readInboundEvent(body: InboundEvent, now: Instant): Read {
  const details = body.details ?? {}
  const claimed = details.source_system
  const faults = [
    ...typeFaults('event_type', body.event_type),
    ...sourceFaults('source', body.source),
    ...(typeof claimed === 'string' ? reservedFaults('details.source_system', claimed) : []),
  ]
  return finish(faults, now, body.timestamp, {
    type: body.event_type,
    source: body.source,
    employee_email: body.employee.email,
    details,
    external_id: body.external_id ?? null,
    keep_unmatched: true,
  })
}

function fault(path: string, message: string): Fault {
  return { path, message }
}

function finish(
  faults: Fault[],
  now: Instant,
  timestamp: string | undefined,
  rest: Omit<EventInput, 'timestamp'>,
): Read {
  const at = timestamp === undefined ? null : parseMoment(timestamp)
  if (timestamp !== undefined && at === null) {
    faults.push(fault('timestamp', sayNoMoment(timestamp)))
  }
  if (at !== null && at > now + MAX_FUTURE_MS) {
    faults.push(fault('timestamp', 'must not be more than 5 minutes in the future'))
  }
  faults.push(...detailsFaults(rest.details))
  return faults.length > 0 ? { faults } : { input: { ...rest, timestamp: at } }
}

export function typeFaults(path: string, type: string): Fault[] {
  if (!TYPE.test(type) || type.length > MAX_TYPE_LENGTH) {
    const shape = `must be a dotted kind such as sim.link_clicked, of at most ${MAX_TYPE_LENGTH} characters`
    return [fault(path, shape)]
  }
  const reserved = type.startsWith('recovery.') || type.startsWith('manual.')
  return reserved
    ? [fault(path, 'types in recovery.* and manual.* are made by the service itself')]
    : []
}

function sourceFaults(path: string, source: string): Fault[] {
  if (source.length === 0 || [...source].length > MAX_SOURCE_LENGTH || /\p{Cc}/u.test(source)) {
    return [fault(path, `must be 1 to ${MAX_SOURCE_LENGTH} characters without control characters`)]
  }
  return reservedFaults(path, source)
}

function reservedFaults(path: string, source: string): Fault[] {
  const reserved = RESERVED_SOURCES.includes(source.toLowerCase())
  return reserved ? [fault(path, `the sources ${RESERVED_SOURCES.join(' and ')} are reserved`)] : []
}

/** Invariant: measured first, so that what is walked is small. */
function detailsFaults(details: Record<string, unknown>): Fault[] {
  if (isStoredLarger(details, MAX_DETAILS_BYTES)) {
    return [fault('details', 'must not be larger than 32 KiB')]
  }
  const isDeep = depthOf(details) > MAX_DETAILS_DEPTH
  return isDeep
    ? [fault('details', `must not be nested deeper than ${MAX_DETAILS_DEPTH} levels`)]
    : []
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let deepest = 0
  for (const inner of Object.values(value)) deepest = Math.max(deepest, depthOf(inner))
  return deepest + 1
}

/** The oldest timestamp a tenant takes: its retention in calendar months before now. */
export function oldestTimestamp(now: Instant, retention_months: number): Instant {
  const date = new Date(now)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() - retention_months)
  const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  date.setUTCDate(day)
  return Math.min(date.getTime(), next)
}
