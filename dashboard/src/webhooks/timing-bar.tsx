// Where the time of an attempt went, as parts of one bar with their names and milliseconds.
import type { DeliveryAttempt } from '../generated/api.ts'

type Timings = DeliveryAttempt['timings']

/** Marks count from the beginning; a connection used again has neither look-up nor connecting. */
function partsOf({ dns_ms, connect_ms, first_byte_ms, total_ms }: Timings) {
  const total = total_ms ?? 0
  const dns = dns_ms ?? 0
  const connected = connect_ms ?? dns
  const answered = first_byte_ms ?? total
  return [
    { name: 'Look up', ms: dns },
    { name: 'Connect', ms: Math.max(0, connected - dns) },
    { name: 'Wait', ms: Math.max(0, answered - connected) },
    { name: 'Read', ms: Math.max(0, total - answered) },
  ].map((part, i) => ({ ...part, tint: i }))
}

export function TimingBar({ timings }: { timings: Timings }) {
  if (timings.total_ms === null) return null
  const parts = partsOf(timings).filter(part => part.ms > 0)
  return (
    <div>
      <div className="timing-bar" aria-hidden="true">
        {parts.map(({ name, ms, tint }) => (
          <span key={name} data-tint={tint} style={{ flexGrow: ms }} />
        ))}
      </div>
      <div className="timing-legend number">
        {parts.map(({ name, ms, tint }) => (
          <span key={name}>
            <span aria-hidden="true" className="timing-dot" data-tint={tint} />
            {name} {sayMs(ms)}
          </span>
        ))}
        <strong>{sayMs(timings.total_ms)} in all</strong>
      </div>
    </div>
  )
}

function sayMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
