// One chart: the score over time against the bands, with the events that moved it marked on it.
import { SegmentedControl, Skeleton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { oneOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { useEdges } from '../app/settings.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { bandAt } from '../ui/bands.ts'
import { sayMoment } from '../ui/dates.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { count } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { useNow } from '../ui/relative-time.tsx'
import { StripedTrend } from '../ui/striped-trend.tsx'
import { marksOf } from './history-marks.ts'

const DAY = 86_400_000
/** As many as the API gives at once; more could not be told apart. */
const MOST_MARKS = 100
const SPANS = ['30', '90', '365'] as const

export function HistoryCard({ id, name }: { id: string; name: string }) {
  const [address, change] = useAddress()
  const navigate = useNavigate()
  const edges = useEdges()
  const span = oneOf(address.days, SPANS) ?? '90'
  const minute = Math.floor(useNow() / 60_000) * 60_000
  const from = new Date(minute - Number(span) * DAY).toISOString()
  const params = { id }
  const history = useRead(
    'GET /v1/employees/{id}/score-history',
    { params, query: { from, interval: span === '365' ? 'weekly' : 'daily' } },
    { span, placeholderData: before => before },
  )
  const events = useRead(
    'GET /v1/employees/{id}/events',
    { params, query: { from, per_page: MOST_MARKS } },
    { span, placeholderData: before => before },
  )
  const points = history.data?.data
  return (
    <Card
      title="Score over time"
      about={`Squares and dots are events, and retractions of some, that lowered or raised it; choose one to open it${sayLeftOut(events.data?.pagination.total)}`}
      action={
        <SegmentedControl
          size="xs"
          aria-label="Span of time"
          value={span}
          onChange={days => change({ days })}
          data={SPANS.map(value => ({ value, label: value === '365' ? '1 y' : `${value} d` }))}
          transitionDuration={100}
        />
      }
    >
      {events.error && (
        <ErrorNote
          title="The events on it could not be read"
          error={events.error}
          retry={() => events.refetch()}
        />
      )}
      {history.error && <ErrorNote error={history.error} retry={() => history.refetch()} />}
      {!points ? (
        <Skeleton h={260} />
      ) : (
        <StripedTrend
          label={`Score of ${name} over ${span} days`}
          height={260}
          edges={edges}
          points={points.map(point => ({ at: Date.parse(point.timestamp), score: point.score }))}
          series={[{ name: 'score', label: 'Score' }]}
          marks={marksOf(points, events.data?.data ?? [])}
          onMark={mark => navigate({ to: '/events/$id', params: { id: mark.opens } })}
          sayAt={sayMoment}
          describe={point => (
            <>
              <b>{sayMoment(point.at)}</b>
              <div>
                <BandBadge band={bandAt(point.score!, edges)} score={point.score!} />
              </div>
            </>
          )}
        />
      )}
    </Card>
  )
}

/** Of many events the newest are marked. */
const sayLeftOut = (total = 0): string =>
  total > MOST_MARKS ? `. Of ${count(total)} events the newest ${MOST_MARKS} are marked` : ''
