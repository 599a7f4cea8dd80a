// What the log never holds: our logs name people by id only, and errors of others quote what they were given.
import type { LoggerOptions } from 'pino'

/** Of an error of the database or the mail server: the row, the values, the address, the answer. */
const QUOTED = [
  ...['detail', 'where', 'hint', 'query', 'parameters', 'args', 'internal_query'],
  ...['response', 'rejected', 'rejectedErrors', 'envelope', 'command'],
]

export function logOptions(level: string): LoggerOptions {
  return { level, redact: { paths: QUOTED.map(name => `err.${name}`), remove: true } }
}
