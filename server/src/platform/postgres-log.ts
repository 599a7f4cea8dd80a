// Passes on what the embedded PostgreSQL complains about, and no more than an operator can read.
import type { Readable } from 'node:stream'

export type Log = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const LEVELS = { WARNING: 'warn', ERROR: 'warn', FATAL: 'error', PANIC: 'error' } as const
const COMPLAINT = /^(WARNING|ERROR|FATAL|PANIC): +(.*)/
/** Said of each process that is still at work when the server is told to end, and of connections before it takes any. */
const EXPECTED =
  /^(?:terminating (?:connection|autovacuum process|background worker ".*") due to administrator command|the database system is (?:starting up|not yet accepting connections|in recovery mode|shutting down))$/
const LINE_LIMIT = 500
const TAIL_LINES = 20
const WINDOW_MS = 10_000
const LINES_PER_WINDOW = 20

// Returns a look at the last complaints, for the error of a start that failed.
export function forwardPostgresLog(stderr: Readable, log: Log): () => string[] {
  const tail: string[] = []
  const forward = limitRate(log)
  let rest = ''
  stderr.setEncoding('utf8')
  stderr.on('error', () => {})
  stderr.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = (lines.pop() ?? '').slice(0, LINE_LIMIT)
    for (const line of lines) {
      tail.push(line.slice(0, LINE_LIMIT))
      if (tail.length > TAIL_LINES) tail.shift()
      forward(line.slice(0, LINE_LIMIT))
    }
  })
  return () => {
    const complaints = tail.filter(line => COMPLAINT.test(line))
    return complaints.length > 0 ? complaints : tail
  }
}

function limitRate(log: Log): (line: string) => void {
  let opened = 0
  let passed = 0
  return line => {
    const [, severity, text] = COMPLAINT.exec(line) ?? []
    if (!severity || !text || EXPECTED.test(text)) return
    if (performance.now() - opened > WINDOW_MS) {
      const left_out = passed - LINES_PER_WINDOW
      if (left_out > 0) log.warn({ left_out }, 'postgres: more lines were left out')
      opened = performance.now()
      passed = 0
    }
    passed += 1
    if (passed > LINES_PER_WINDOW) return
    log[LEVELS[severity as keyof typeof LEVELS]]({ severity }, `postgres: ${text}`)
  }
}
