// Where the time of an attempt went, as parts of one bar with their names and milliseconds.
import type { DeliveryAttempt } from '../generated/api.ts'
import { partsOf } from './timing-parts.ts'

export function TimingBar({ attempt }: { attempt: DeliveryAttempt }) {
  const { total_ms } = attempt.timings
  if (total_ms === null) return null
  const parts = partsOf(attempt).filter(part => part.ms > 0)
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
        <strong>{sayMs(total_ms)} in all</strong>
      </div>
    </div>
  )
}

function sayMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
