// Proves the metrics: the text Prometheus reads, and that every request, batch, delivery and queue is in it.
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { hire } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import { addUpCountsJob } from '../scores/add-up-counts.job.ts'
import { watchQueues } from '../watch-queues.ts'
import { runDueDeliveries } from '../webhooks/deliver-webhooks.job.ts'
import { runDueJobs, startWorker } from './jobs.ts'
import { createCounter, createGauge, createHistogram, writeMetrics } from './metrics.ts'
import { startMetricsServer } from './metrics-server.ts'

const service = await startService()

/** The value of one line, 0 where it is not there. */
async function read(line: string): Promise<number> {
  const found = (await writeMetrics()).split('\n').find(text => text.startsWith(`${line} `))
  return Number(found?.split(' ').at(-1) ?? 0)
}

it('counters, histograms and gauges are written as Prometheus reads them', async () => {
  const counter = createCounter('test_total', 'A count.', ['what'])
  counter.add(['a "quoted"\nname'])
  counter.add(['a "quoted"\nname'], 2)
  const histogram = createHistogram('test_seconds', 'A time.', ['kind'], [0.1, 1])
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(['x'], value)
  createCounter('test_rare_total', 'Has not happened yet.')
  createGauge('test_now', 'A state.', [], () => [[[], 4.5]])
  createGauge('test_broken', 'Cannot be read.', [], () => Promise.reject(new Error('away')))
  const text = await writeMetrics()
  expect(text).toContain(
    '# HELP test_total A count.\n# TYPE test_total counter\ntest_total{what="a \\"quoted\\"\\nname"} 3\n',
  )
  expect(text).toContain(
    [
      '# TYPE test_seconds histogram',
      'test_seconds_bucket{kind="x",le="0.1"} 2',
      'test_seconds_bucket{kind="x",le="1"} 3',
      'test_seconds_bucket{kind="x",le="+Inf"} 4',
      'test_seconds_sum{kind="x"} 7.65',
      'test_seconds_count{kind="x"} 4',
    ].join('\n'),
  )
  expect(text).toContain('test_rare_total 0\n')
  expect(text).toContain('test_now 4.5\n')
  expect(text).not.toContain('test_broken')
})

it('requests are counted by route and status, never by path', async () => {
  const tenant = await service.tenant()
  await hire(service, tenant, ['ada@example.com'])
  const route = 'method="GET",route="/v1/employees/by-email/:email"'
  const counts = () =>
    Promise.all([
      read(`bellwether_http_requests_total{${route},status="200"}`),
      read(`bellwether_http_requests_total{${route},status="404"}`),
      read(`bellwether_http_request_seconds_count{${route}}`),
    ])
  const [found, missed, timed] = await counts()
  await tenant.call('GET', '/v1/employees/by-email/ada@example.com')
  await tenant.call('GET', '/v1/employees/by-email/nobody@example.com')
  await tenant.call('GET', '/v1/no/such/path')
  expect(await counts()).toEqual([found! + 1, missed! + 1, timed! + 2])
  expect(await writeMetrics()).not.toMatch(/example\.com|no\/such/)
})

it('batches, transactions and the use of the pool are there', async () => {
  const tenant = await service.tenant()
  await hire(service, tenant, ['bo@example.com'])
  const before = await read('bellwether_ingest_batch_events_sum')
  const event = { type: 'custom.x', employee_email: 'bo@example.com' }
  await tenant.call('POST', '/v1/events/batch', { events: [event, event, event] })
  expect((await read('bellwether_ingest_batch_events_sum')) - before).toBe(3)
  const kind = 'kind="tenant",outcome="committed"'
  expect(await read(`bellwether_database_transaction_seconds_count{${kind}}`)).toBeGreaterThan(0)
  // The service writes now and then of its own accord.
  for (const state of ['running', 'waiting'])
    await expect.poll(() => read(`bellwether_database_transactions{state="${state}"}`)).toBe(0)
})

it('what is due and since when is there, and deliveries by what followed', async () => {
  const tenant = await service.tenant()
  watchQueues(service.context)
  const url = 'http://127.0.0.1:9/hook'
  await tenant.call('POST', '/v1/webhooks', {
    url: 'https://example.com/h',
    events: ['employee.created'],
  })
  await service.context.db.sql`UPDATE webhooks SET url = ${url}`
  const hireOne = (email: string) =>
    tenant.call('POST', '/v1/employees', { email, first_name: 'C', last_name: 'Y' })
  await hireOne('cy@example.com')
  service.clock.advance(30_000)
  expect(await read('bellwether_queue_depth{queue="deliveries"}')).toBe(1)
  expect(await read('bellwether_queue_lag_seconds{queue="deliveries"}')).toBe(30)
  expect(await read('bellwether_queue_depth{queue="counts"}')).toBeGreaterThan(0)
  const retrying = () => read('bellwether_delivery_attempts_total{outcome="retrying"}')
  const before = await retrying()
  await runDueDeliveries(service.context)
  expect((await retrying()) - before).toBe(1)
  service.clock.advance(5_000)
  await runDueJobs(service.context, [addUpCountsJob()])
  expect(await read('bellwether_queue_depth{queue="deliveries"}')).toBe(0)
  expect(await read('bellwether_queue_depth{queue="counts"}')).toBe(0)
  // A clock that is set back keeps no old answer.
  service.clock.advance(-60_000)
  await hireOne('di@example.com')
  expect(await read('bellwether_queue_depth{queue="deliveries"}')).toBe(1)
  service.clock.advance(60 * 86_400_000)
  expect(await read('bellwether_queue_depth{queue="score_changes"}')).toBeGreaterThan(0)
  expect(await read('bellwether_queue_lag_seconds{queue="score_changes"}')).toBeGreaterThan(86_400)
})

/** A process of its own, in which nothing has happened: what other tests have counted is not in it. */
const UNTOUCHED = `
  await import('./export-spans.ts')
  await import('../webhooks/record-outcomes.ts')
  process.stdout.write(await (await import('./metrics.ts')).writeMetrics())
`

it('what has not happened yet is there as 0: its first time is seen as an increase', async () => {
  const job = { name: 'test-idle', every_ms: 2 ** 30, run: async () => false }
  await startWorker(service.context, [job]).stop()
  expect(await writeMetrics()).toContain('bellwether_job_failures_total{job="test-idle"} 0\n')
  const { stdout: text, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '--eval', UNTOUCHED],
    { cwd: import.meta.dirname, encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  for (const outcome of ['sent', 'lost', 'dropped'])
    expect(text).toContain(`bellwether_spans_total{outcome="${outcome}"} 0\n`)
  for (const outcome of ['delivered', 'retrying', 'failed'])
    expect(text).toContain(`bellwether_delivery_attempts_total{outcome="${outcome}"} 0\n`)
})

it('the page is served on its own port, and nothing else is', async () => {
  const server = await startMetricsServer({ host: '127.0.0.1', port: 0 })
  const ask = (path: string, method = 'GET') =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { method })
  const page = await ask('/metrics')
  expect(page.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await page.text()
  expect(text).toMatch(/process_resident_memory_bytes \d{7}/)
  expect(text).toContain('bellwether_event_loop_lag_seconds{quantile="0.99"}')
  // Every line is a comment or a sample.
  const sample =
    /^(?:# (?:HELP|TYPE) .+|[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)+\})? [\d.e+-]+)$/
  expect(
    text
      .trim()
      .split('\n')
      .filter(line => !sample.test(line)),
  ).toEqual([])
  const totals = text.split('\n').filter(line => /^# TYPE \w+_total /.test(line))
  expect(totals.filter(line => !line.endsWith(' counter'))).toEqual([])
  const head = await ask('/metrics', 'HEAD')
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect(head.headers.get('content-type')).toBe(page.headers.get('content-type'))
  const others = [await ask('/'), await ask('/metrics', 'POST'), await ask('/', 'HEAD')]
  expect(others.map(({ status }) => status)).toEqual([404, 404, 404])
  for (const { headers } of [page, head, ...others]) {
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('cache-control')).toBe('no-store')
  }
  await server.stop()
  expect((await service.app.server.inject('/metrics')).statusCode).toBe(404)
})
