// A delivery is a span of its own, and the receiver can go on with its trace; unasked it is told of none.
import { expect, onTestFinished, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { type Span, traceTo } from '../platform/trace.ts'
import { runDueDeliveries } from './deliver-webhooks.job.ts'
import { LOOPBACK, message, startReceiver, status, tell } from './receiver.fixture.ts'

const { context, clock, tenant } = await startService(LOOPBACK)
const run = () => runDueDeliveries(context, { random: () => 0 })

async function tellReceiver(answer?: Parameters<typeof startReceiver>[0]) {
  const acme = await tenant()
  const receiver = await startReceiver(answer)
  const { body } = await acme.call('POST', '/v1/webhooks', {
    url: receiver.url,
    events: ['score.updated'],
  })
  await tell(context, acme.tenant_id, [message('emp_1', clock.now(), 7)])
  return { receiver, secret: body.secret as string }
}

function watchSpans(): Span[] {
  const spans: Span[] = []
  traceTo(span => spans.push(span))
  onTestFinished(() => traceTo(null))
  return spans
}

const sent = (spans: readonly Span[]) => spans.filter(span => span.name === 'deliver webhook')

test('a delivery is a span with its id and the answer, and the receiver gets the trace', async () => {
  const { receiver, secret } = await tellReceiver()
  const spans = watchSpans()
  await run()
  const [span] = sent(spans)
  const [got] = receiver.got
  expect(span).toMatchObject({
    kind: 'client',
    attributes: {
      'bellwether.delivery_id': got!.headers['webhook-id'],
      'http.response.status_code': 200,
    },
    fault: null,
  })
  expect(got!.headers.traceparent).toBe(`00-${span!.trace_id}-${span!.span_id}-01`)
  const told = JSON.stringify(spans, (_, value) => (typeof value === 'bigint' ? '' : value))
  expect(told).not.toContain(receiver.url)
  expect(told).not.toContain(secret)
})

test('a refused delivery names where it failed', async () => {
  await tellReceiver(status(500))
  const spans = watchSpans()
  await run()
  expect(sent(spans)).toMatchObject([
    { attributes: { 'http.response.status_code': 500 }, fault: 'status' },
  ])
})

test('unasked there is no span and no header', async () => {
  const { receiver } = await tellReceiver()
  await run()
  expect(receiver.got[0]!.headers.traceparent).toBe(undefined)
})
