// The page that Prometheus asks for, on a port of its own: what it tells is for the operator, never for a caller.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createGauge, createKeptCounter, writeMetrics } from './metrics.ts'

export type MetricsServer = { readonly port: number; stop(): Promise<void> }

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
/** A browser on this machine may be led here by a page of others. */
const SAFE = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

export async function startMetricsServer(place: {
  host: string
  port: number
}): Promise<MetricsServer> {
  const stopWatching = watchProcess()
  const server = createServer(async (request, response) => {
    request.resume()
    const { method = '', url } = request
    const known = ['GET', 'HEAD'].includes(method) && url?.split('?')[0] === '/metrics'
    if (!known) return void response.writeHead(404, SAFE).end()
    // What is told "since the last look" is left to who reads it.
    const text = method === 'HEAD' ? '' : await writeMetrics()
    response.writeHead(200, { ...SAFE, 'content-type': CONTENT_TYPE }).end(text)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(place.port, place.host, resolve)
  })
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      stopWatching()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const NANOS = 1e9

/** Names as Prometheus' own clients use them, so that ready-made panels fit. */
function watchProcess(): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const gauge = (name: string, about: string, read: () => number) =>
    createGauge(name, about, [], () => [[[], read()]])
  createGauge(
    'bellwether_event_loop_lag_seconds',
    'How late the event loop was since the last look.',
    ['quantile'],
    () => {
      const [middle, late, most] = [delay.percentile(50), delay.percentile(99), delay.max]
      delay.reset()
      const seconds = (value: number) => Math.max(0, (value - 20e6) / NANOS)
      return [
        [['0.5'], seconds(middle)],
        [['0.99'], seconds(late)],
        [['1'], seconds(most)],
      ]
    },
  )
  gauge('process_resident_memory_bytes', 'Memory the process holds.', () =>
    process.memoryUsage.rss(),
  )
  gauge('nodejs_heap_size_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed)
  gauge(
    'nodejs_external_memory_bytes',
    'Memory outside the heap.',
    () => process.memoryUsage().external,
  )
  createKeptCounter('process_cpu_seconds_total', 'Processor time used.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  gauge(
    'process_start_time_seconds',
    'When the process began.',
    () => performance.timeOrigin / 1000,
  )
  return () => delay.disable()
}
