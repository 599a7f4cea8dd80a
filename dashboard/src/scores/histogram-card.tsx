// How the scores spread from 0 to 100; each bar leads to its people.
import { Skeleton, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEdges } from '../app/settings.ts'
import type { ScoreDistribution } from '../generated/api.ts'
import { BAND_LOOK, type BandEdges, fillBetween, rangesBetween } from '../ui/bands.ts'
import { countTicks } from '../ui/count-ticks.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Lost } from '../ui/lost.tsx'
import { count, plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { ScoreTick } from '../ui/score-tick.tsx'
import './scores.css'

type Props = {
  buckets: ScoreDistribution['buckets'] | undefined
  lost: boolean
  department: string | undefined
}

export function HistogramCard({ buckets, lost, department }: Props) {
  const edges = useEdges()
  const ticks = countTicks(Math.max(1, ...(buckets ?? []).map(bucket => bucket.count)))
  const top = ticks.at(-1)!
  return (
    <Card title="Distribution" about="People by score, in steps of five">
      {!buckets && lost ? (
        <Lost />
      ) : !buckets ? (
        <Skeleton h={200} />
      ) : buckets.every(bucket => bucket.count === 0) ? (
        <EmptyState bare icon="employees" title="Nobody yet">
          Each person with a score counts here.
        </EmptyState>
      ) : (
        <div className="histogram" data-axis={top >= 1000 ? 'wide' : undefined}>
          <CountAxis ticks={ticks} top={top} />
          {buckets.map(({ range, count: people }) => {
            const [low = 0, high = 100] = range.split('-').map(Number)
            const words = `${plural(people, 'person', 'people')} with a score of ${range.replace('-', ' to ')}`
            return (
              <Tooltip key={range} label={`${words} (${sayBands(low, high, edges)})`}>
                <Link
                  to="/employees"
                  search={{
                    min_score: String(low),
                    max_score: String(high),
                    department,
                    sort: 'score',
                    order: 'asc',
                  }}
                  aria-label={words}
                  className="histogram-column"
                >
                  <span className="histogram-room">
                    <span
                      className="histogram-bar"
                      data-some={people > 0 || undefined}
                      style={{
                        height: `${(people / top) * 100}%`,
                        background: fillBetween(low, high, edges),
                      }}
                    />
                  </span>
                  <ScoreTick low={low} high={high} />
                </Link>
              </Tooltip>
            )
          })}
        </div>
      )}
    </Card>
  )
}

function CountAxis({ ticks, top }: { ticks: readonly number[]; top: number }) {
  return (
    <div className="histogram-axis" aria-hidden="true">
      {ticks.map(tick => (
        <span
          key={tick}
          className="histogram-line number"
          style={{ bottom: `${(tick / top) * 100}%` }}
        >
          {count(tick)}
        </span>
      ))}
    </div>
  )
}

/** An edge may lie within a step. */
const sayBands = (low: number, high: number, edges: BandEdges): string =>
  rangesBetween(low, high, edges)
    .map(({ band }) => BAND_LOOK[band].label)
    .join(' or ')
