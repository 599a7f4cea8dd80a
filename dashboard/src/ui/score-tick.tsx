// What stands below a bar of a distribution: every 20 points where they begin, and 100 at the very end.
import './score-tick.css'

export function ScoreTick({ low, high }: { low: number; high: number }) {
  const last = high === 100
  return (
    <span className="score-tick number" data-last={last || undefined} aria-hidden="true">
      {low % 20 === 0 ? low : last ? high : ''}
    </span>
  )
}
