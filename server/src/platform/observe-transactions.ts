// Every transaction is counted and timed, and is a span where those are wanted; how many run and wait is the pool's use.
import { createGauge, createHistogram, LATENCIES } from './metrics.ts'
import { endSpan, startSpan } from './trace.ts'

export type TransactionKind = 'tenant' | 'picture' | 'scan'

const latencies = createHistogram(
  'bellwether_database_transaction_seconds',
  'Time of a transaction, with its wait for a connection and its repeats.',
  ['kind', 'outcome'],
  LATENCIES,
)
const use = { begun: 0, running: 0 }
createGauge(
  'bellwether_database_transactions',
  'Transactions on a connection, and those that wait for one.',
  ['state'],
  () => [
    [['running'], use.running],
    [['waiting'], Math.max(0, use.begun - use.running)],
  ],
)

export async function observeTransaction<T>(
  kind: TransactionKind,
  run: () => Promise<T>,
): Promise<T> {
  const began = performance.now()
  const span = startSpan(`transaction ${kind}`, 'client', { 'db.system.name': 'postgresql' })
  use.begun++
  let outcome = 'failed'
  try {
    const done = await run()
    outcome = 'committed'
    return done
  } finally {
    use.begun--
    latencies.observe([kind, outcome], (performance.now() - began) / 1000)
    if (span) endSpan(span, {}, outcome === 'failed' ? 'rolled back' : undefined)
  }
}

/** A transaction that has its connection. */
export async function observeRunning<T>(work: Promise<T>): Promise<T> {
  use.running++
  try {
    return await work
  } finally {
    use.running--
  }
}
