// Proves the traces against a collector on loopback: requests, their transactions and deliveries, and none of it unasked.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, expect, it } from 'vitest'
import { hire } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import { type Exporter, startExporter } from './export-spans.ts'
import { writeMetrics } from './metrics.ts'
import { endSpan, startSpan, traceTo } from './trace.ts'

type Json = any
const received: { path: string; headers: Json; body: Json }[] = []
let status = 200
let isSilent = false
const collector = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  if (isSilent) return
  received.push({ path: request.url!, headers: request.headers, body: JSON.parse(text) })
  response.writeHead(status).end('{}')
}).listen(0, '127.0.0.1')
await once(collector, 'listening')
const service = await startService()
const tenant = await service.tenant()
await hire(service, tenant, ['ada@example.com'])
const { port } = collector.address() as AddressInfo
const otel = {
  endpoint: `http://127.0.0.1:${port}`,
  headers: { 'x-team': 'security' },
  service_name: 'scores',
  ratio: 1,
}
const warnings: object[] = []
const log = { ...service.context.log, warn: (fields: object) => warnings.push(fields) } as never
let exporter: Exporter
afterEach(async () => {
  await exporter?.stop()
  received.length = 0
  warnings.length = 0
  status = 200
  isSilent = false
})
afterAll(() => {
  collector.closeAllConnections()
  collector.close()
})

const spans = (): Json[] =>
  received.flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans)
const attribute = (span: Json, key: string) => {
  const { value } = span.attributes.find((one: Json) => one.key === key) ?? { value: {} }
  return value.stringValue ?? Number(value.intValue)
}
const countDropped = async () =>
  Number(/^bellwether_spans_total\{outcome="dropped"\} (\d+)$/m.exec(await writeMetrics())![1])

it('a request is a span of the caller’s trace, its transactions are parts of it, and no path or body is in it', async () => {
  exporter = startExporter(otel, log)
  const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-00`
  const body = { type: 'custom.secretive', employee_email: 'ada@example.com' }
  const answer = await tenant.call('POST', '/v1/events', body, { traceparent })
  await exporter.flush()
  const [request] = spans().filter(span => span.kind === 2)
  expect(request).toMatchObject({
    name: 'POST /v1/events',
    traceId: 'ab'.repeat(16),
    parentSpanId: 'cd'.repeat(8),
    status: {},
  })
  expect(attribute(request, 'http.route')).toBe('/v1/events')
  expect(attribute(request, 'http.response.status_code')).toBe(201)
  expect(attribute(request, 'bellwether.request_id')).toBe(answer.headers['x-request-id'])
  expect(BigInt(request.endTimeUnixNano)).toBeGreaterThan(BigInt(request.startTimeUnixNano))
  const parts = spans().filter(span => span.parentSpanId === request.spanId)
  expect(parts.length).toBeGreaterThanOrEqual(1)
  expect(parts.every(span => span.name.startsWith('transaction '))).toBe(true)
  expect(parts.some(span => span.startTimeUnixNano >= request.startTimeUnixNano)).toBe(true)
  expect(received[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-team': 'security' } })
  expect(received[0]!.body.resourceSpans[0].resource.attributes).toEqual([
    { key: 'service.name', value: { stringValue: 'scores' } },
  ])
  expect(JSON.stringify(received)).not.toMatch(/example\.com|secretive|bw_live/)
})

it('a header that is not W3C’s begins a trace of its own', async () => {
  exporter = startExporter(otel, log)
  for (const traceparent of ['00-zz', `00-${'0'.repeat(32)}-${'cd'.repeat(8)}-01`]) {
    await tenant.call('GET', '/v1/me', undefined, { traceparent })
  }
  await exporter.flush()
  const requests = spans().filter(span => span.kind === 2)
  expect(requests).toHaveLength(2)
  expect(requests.every(span => span.parentSpanId === undefined)).toBe(true)
  expect(new Set(requests.map(span => span.traceId)).size).toBe(2)
})

it('a collector that refuses loses spans, is complained of once, and delays nobody', async () => {
  exporter = startExporter(otel, log)
  status = 503
  for (let i = 0; i < 3; i++) {
    expect((await tenant.call('GET', '/v1/me')).status).toBe(200)
    await exporter.flush()
  }
  expect(warnings).toEqual([{ reason: 'the collector answered 503' }])
})

it('a collector that takes and never answers holds a bounded number of spans, and no end of the process', async () => {
  // What the service writes of its own accord would be a span as well.
  await service.app.flush()
  const before = await countDropped()
  exporter = startExporter(otel, log)
  isSilent = true
  for (let i = 0; i < 8; i++) {
    for (let n = 0; n < 1000; n++) endSpan(startSpan('x', 'internal'))
    void exporter.flush()
  }
  // 8,000 less the 4,096 that may wait and the 512 under way.
  expect((await countDropped()) - before).toBe(3392)
  const began = Date.now()
  await exporter.stop()
  // Nine batches, each given up by itself, would take longer.
  expect(Date.now() - began).toBeLessThan(30_000)
})

it('a collector that is not there is named by what went wrong', async () => {
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const { port } = gone.address() as AddressInfo
  await new Promise(resolve => gone.close(resolve))
  exporter = startExporter({ ...otel, endpoint: `http://127.0.0.1:${port}` }, log)
  endSpan(startSpan('x', 'internal'))
  await exporter.flush()
  expect(warnings).toEqual([{ reason: 'the collector could not be reached (ECONNREFUSED)' }])
})

it('a ratio takes that part of the traces, whatever the caller’s flag says', () => {
  let taken = 0
  traceTo(() => taken++, 0.25)
  const made = Array.from({ length: 4000 }, () => startSpan('x', 'internal')).filter(Boolean).length
  expect(made).toBeGreaterThan(800)
  expect(made).toBeLessThan(1200)
  const low = `00-${'f'.repeat(32)}-${'cd'.repeat(8)}-01`
  expect(startSpan('x', 'server', {}, low)).toBe(null)
  traceTo(null)
  expect(taken).toBe(0)
})

it('unasked there is no span', async () => {
  expect(startSpan('x', 'internal')).toBe(null)
  await tenant.call('GET', '/v1/me')
  expect(received).toEqual([])
})
