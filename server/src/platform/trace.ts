// Spans of requests, transactions and deliveries, where an operator asked for them; else one comparison each.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

export type SpanKind = 'server' | 'client' | 'internal'
export type Attributes = Record<string, string | number | boolean>

export type Span = {
  readonly trace_id: string
  readonly span_id: string
  readonly parent_id: string | null
  readonly name: string
  readonly kind: SpanKind
  /** Nanoseconds since the epoch. */
  readonly started: bigint
  ended: bigint
  attributes: Attributes
  /** Why it failed, or null. */
  fault: string | null
}

type Take = (span: Span) => void

let take: Take | null = null
let share = 1
const current = new AsyncLocalStorage<Span>()

/** Spans are handed to `to` as they end; `ratio` of the traces are taken, by their id. Null switches it off. */
export function traceTo(to: Take | null, ratio = 1): void {
  take = to
  share = ratio
}

/** Null when nobody asked, or when this trace is not taken. A caller's own trace is gone on with. */
export function startSpan(
  name: string,
  kind: SpanKind,
  attributes: Attributes = {},
  traceparent?: unknown,
): Span | null {
  if (take === null) return null
  const around = traceparent === undefined ? current.getStore() : undefined
  const caller = around ?? readTraceparent(traceparent)
  const trace_id = caller?.trace_id ?? randomBytes(16).toString('hex')
  if (!isTaken(trace_id)) return null
  const span_id = randomBytes(8).toString('hex')
  const parent_id = caller?.span_id ?? null
  const times = { started: now(), ended: 0n }
  return { trace_id, span_id, parent_id, name, kind, ...times, attributes, fault: null }
}

export function endSpan(span: Span | null, attributes: Attributes = {}, fault?: string): void {
  if (span === null || take === null) return
  span.ended = now()
  Object.assign(span.attributes, attributes)
  span.fault = fault ?? null
  take(span)
}

/** What is begun inside is a part of the span. */
export function within<T>(span: Span | null, work: () => T): T {
  return span === null ? work() : current.run(span, work)
}

/** The header by which the next service goes on with the trace. */
export function writeTraceparent({ trace_id, span_id }: Span): string {
  return `00-${trace_id}-${span_id}-01`
}

function readTraceparent(header: unknown): { trace_id: string; span_id: string } | null {
  if (typeof header !== 'string') return null
  const [, trace_id, span_id] =
    /^00-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-[0-9a-f]{2}$/.exec(header) ?? []
  return trace_id && span_id ? { trace_id, span_id } : null
}

/** By the id alone: services with the same ratio take the same traces, and no stranger's flag decides. */
function isTaken(trace_id: string): boolean {
  return share >= 1 || Number.parseInt(trace_id.slice(-8), 16) < share * 0x1_0000_0000
}

function now(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n
}
