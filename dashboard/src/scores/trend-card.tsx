// The average over the chosen span, drawn against the bands.
import { Center, Skeleton } from '@mantine/core'
import { useEdges } from '../app/settings.ts'
import type { ScoreTrends } from '../generated/api.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { bandAt, sayScore } from '../ui/bands.ts'
import { beginOf, sayDay } from '../ui/dates.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Lost } from '../ui/lost.tsx'
import { plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { StripedTrend } from '../ui/striped-trend.tsx'

const HEIGHT = 300

type Props = {
  points: ScoreTrends['data'] | undefined
  lost: boolean
  words: string
  step: string
}

export function TrendCard({ points, lost, words, step }: Props) {
  const edges = useEdges()
  const placeOf = (score: number) => ({ score, band: bandAt(Math.floor(score + 0.5), edges) })
  const drawn = points?.filter(point => point.employee_count > 0)
  return (
    <Card title="Average score" about={`Measured at the end of each ${step}`}>
      {!drawn && lost ? (
        <Lost />
      ) : !drawn ? (
        <Skeleton h={HEIGHT} />
      ) : drawn.length === 0 ? (
        <Center mih={HEIGHT}>
          <EmptyState bare icon="overview" title="No scores yet">
            Nobody was here yet in this time.
          </EmptyState>
        </Center>
      ) : (
        <StripedTrend
          label={`Average score ${words}, from ${sayScore(drawn[0]!.average_score, edges)} to ${sayScore(drawn.at(-1)!.average_score, edges)}`}
          height={HEIGHT}
          edges={edges}
          points={drawn.map(point => ({
            at: beginOf(point.date),
            average: point.average_score,
            median: point.median_score,
            people: point.employee_count,
          }))}
          series={[
            { name: 'average', label: 'Average' },
            { name: 'median', label: 'Median', dashed: true },
          ]}
          describe={point => (
            <>
              <b>{sayDay(point.at)}</b>
              <div className="tip-line">
                Average <BandBadge {...placeOf(point.average!)} />
              </div>
              <div className="tip-line">
                Median <BandBadge {...placeOf(point.median!)} />
              </div>
              <div className="faint">{plural(point.people!, 'person', 'people')}</div>
            </>
          )}
        />
      )}
    </Card>
  )
}
