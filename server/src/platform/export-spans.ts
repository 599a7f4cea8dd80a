// Sends spans to a collector by OTLP/HTTP in JSON: in batches, beside the work, and dropped rather than waited for.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Context } from './context.ts'
import { createCounter } from './metrics.ts'
import { type Attributes, type Span, type SpanKind, traceTo } from './trace.ts'

const MOST_WAITING = 4096
const BATCH = 512
const PAUSE_MS = 2_000
const LIMIT_MS = 5_000
/** The end of a process has other things to close. */
const PARTING_MS = 1_000
const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 }
const FAILED = 2

const exported = createCounter('bellwether_spans_total', 'Spans by what became of them.', [
  'outcome',
])
for (const outcome of ['sent', 'lost', 'dropped']) exported.add([outcome], 0)

export type Exporter = { flush(): Promise<void>; stop(): Promise<void> }

export function startExporter(otel: NonNullable<Config['otel']>, log: Context['log']): Exporter {
  let waiting: Span[] = []
  let sending: Promise<void> | null = null
  let isDown = false
  const flush = () => {
    sending ??= sendAll().finally(() => {
      sending = null
    })
    return sending
  }
  /** Invariant: what is not under way is in `waiting`, which is bounded. */
  async function sendAll(): Promise<void> {
    while (waiting.length > 0) await send(waiting.splice(0, BATCH))
  }
  async function send(batch: readonly Span[]): Promise<void> {
    const fault = await post(otel, batch)
    exported.add([fault === null ? 'sent' : 'lost'], batch.length)
    if (fault !== null && !isDown) log.warn({ reason: fault }, 'spans were not taken and are lost')
    isDown = fault !== null
  }
  traceTo(span => {
    if (waiting.length >= MOST_WAITING) return exported.add(['dropped'])
    waiting.push(span)
    if (waiting.length === BATCH) void flush()
  }, otel.ratio)
  const timer = setInterval(() => void flush(), PAUSE_MS)
  timer.unref()
  return {
    flush,
    stop: async () => {
      traceTo(null)
      clearInterval(timer)
      await Promise.race([flush(), sleep(PARTING_MS)])
      waiting = []
    },
  }
}

/** Null when it was taken, else why not. */
async function post(
  { endpoint, headers, service_name }: NonNullable<Config['otel']>,
  spans: readonly Span[],
): Promise<string | null> {
  const resource = { attributes: writeAttributes({ 'service.name': service_name }) }
  const scopeSpans = [{ scope: { name: 'bellwether' }, spans: spans.map(writeSpan) }]
  try {
    const answer = await fetch(`${endpoint}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
      signal: AbortSignal.timeout(LIMIT_MS),
      redirect: 'error',
    })
    await answer.arrayBuffer()
    return answer.ok ? null : `the collector answered ${answer.status}`
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } }
    return `the collector could not be reached (${cause?.code ?? name})`
  }
}

function writeSpan(span: Span): object {
  return {
    traceId: span.trace_id,
    spanId: span.span_id,
    ...(span.parent_id === null ? {} : { parentSpanId: span.parent_id }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: String(span.started),
    endTimeUnixNano: String(span.ended),
    attributes: writeAttributes(span.attributes),
    status: span.fault === null ? {} : { code: FAILED, message: span.fault },
  }
}

function writeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => {
    if (typeof value === 'string') return { key, value: { stringValue: value } }
    if (typeof value === 'boolean') return { key, value: { boolValue: value } }
    const whole = Number.isInteger(value)
    return { key, value: whole ? { intValue: String(value) } : { doubleValue: value } }
  })
}
