// What a process tells its operator about itself, as far as the settings ask for it: metrics and traces.
import type { Context } from '../platform/context.ts'
import { hostOf } from '../platform/public-url.ts'
import { watchQueues } from '../watch-queues.ts'
import { explainPort } from './listen.ts'
import type { Life } from './stay.ts'

/** Loaded only where asked for, so that it costs nothing else. */
export async function startObserving(life: Life, context: Context): Promise<void> {
  const { metrics, otel } = context.config
  if (metrics !== null) {
    const { startMetricsServer } = await import('../platform/metrics-server.ts')
    watchQueues(context)
    const server = await startMetricsServer(metrics).catch(error => {
      throw explainPort(error, metrics, 'BELLWETHER_METRICS_')
    })
    context.log.info(`metrics are at http://${hostOf(metrics.host)}:${server.port}/metrics`)
    life.atEnd(server.stop)
  }
  if (otel !== null) {
    const { startExporter } = await import('../platform/export-spans.ts')
    life.atEnd(startExporter(otel, context.log).stop)
  }
}
