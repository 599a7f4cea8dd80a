// Where the time of an attempt to deliver went, part by part. Pure.
import type { DeliveryAttempt } from '../generated/api.ts'

type Attempt = Pick<DeliveryAttempt, 'timings' | 'stage'>

/** An attempt that failed there was never connected. */
const BEFORE = ['destination', 'dns', 'connect', 'tls']

/** Marks count from the beginning; a connection used again has neither look-up nor connecting. */
export function partsOf({ timings, stage }: Attempt) {
  const { dns_ms, connect_ms, first_byte_ms } = timings
  const total = timings.total_ms ?? 0
  const dns = dns_ms ?? (stage === 'dns' ? total : 0)
  const connected = connect_ms ?? (BEFORE.includes(stage ?? '') ? total : dns)
  const answered = first_byte_ms ?? total
  return [
    { name: 'Look up', ms: dns },
    { name: 'Connect', ms: Math.max(0, connected - dns) },
    { name: 'Wait', ms: Math.max(0, answered - connected) },
    { name: 'Read', ms: Math.max(0, total - answered) },
  ].map((part, i) => ({ ...part, tint: i }))
}
