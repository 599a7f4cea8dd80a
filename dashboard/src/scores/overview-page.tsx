// The page a security lead keeps open: how the company stands, whether it gets better, and who needs attention.
import { Grid, SimpleGrid } from '@mantine/core'
import { useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { useEdges } from '../app/settings.ts'
import type { ScoreTrends } from '../generated/api.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { bandAt } from '../ui/bands.ts'
import { Change } from '../ui/change.tsx'
import { DepartmentSelect } from '../ui/department-select.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Figure } from '../ui/figure.tsx'
import { count, plural, sayPercent, signed } from '../ui/numbers.ts'
import { Page } from '../ui/page.tsx'
import { type Range, readRange } from '../ui/range.ts'
import { RangePicker } from '../ui/range-picker.tsx'
import { useNow } from '../ui/relative-time.tsx'
import { BandsCard } from './bands-card.tsx'
import { DepartmentsCard } from './departments-card.tsx'
import { GettingStarted } from './getting-started.tsx'
import { HistogramCard } from './histogram-card.tsx'
import { LiveFeed } from './live-feed.tsx'
import { readView, type View } from './overview-view.ts'
import { TopRisksCard } from './top-risks-card.tsx'
import { TrendCard } from './trend-card.tsx'
import './scores.css'

const STEPS = { daily: 'day', weekly: 'week', monthly: 'month' } as const

export function OverviewPage() {
  const [address] = useAddress()
  const { department } = address
  const range = readRange(address, useNow())
  const mayEvents = useMay('events:read')
  const { summary, trends, departments, distribution, failed, view, events } = useNumbers(
    range,
    department,
  )
  const lost = failed.length > 0
  return (
    <Page
      live
      title="Overview"
      state={view ? sayState(view) : lost ? '' : undefined}
      actions={
        <>
          <DepartmentPicker />
          <RangePicker range={range} />
        </>
      }
    >
      {lost && (
        <ErrorNote
          error={failed[0]!.error}
          retry={() => {
            for (const read of failed) read.refetch()
          }}
        />
      )}
      {summary.data && (summary.data.total_employees === 0 || events === 0) && (
        <GettingStarted people={summary.data.total_employees} />
      )}
      <Figures {...{ view, range, events, department, lost }} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <TrendCard
            points={trends.data?.data}
            lost={trends.error !== null}
            words={range.words}
            step={STEPS[range.interval]}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <BandsCard bands={view?.bands} lost={lost} department={department} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <DepartmentsCard
            departments={departments.data?.data}
            truncated={departments.data?.truncated === true}
            lost={departments.error !== null}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <TopRisksCard department={department} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <HistogramCard
            buckets={distribution.data?.buckets}
            lost={distribution.error !== null}
            department={department}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          {mayEvents && <LiveFeed department={department} range={range} />}
        </Grid.Col>
      </Grid>
    </Page>
  )
}

/** Everything the page tells in numbers, and what of it could not be read. */
function useNumbers(range: Range, department: string | undefined) {
  const { from, to, span, interval } = range
  const keep = { placeholderData: <T,>(before: T) => before }
  const summary = useRead('GET /v1/scores/summary')
  const departments = useRead('GET /v1/scores/departments')
  const trends = useRead(
    'GET /v1/scores/trends',
    { query: { from, to, interval, department } },
    { ...keep, span },
  )
  // A span of one's own may end before today.
  const past = department !== undefined && to !== undefined
  const day = readRange({ range: '24h' }, useNow())
  const today = useRead(
    'GET /v1/scores/trends',
    { query: { from: day.from, department } },
    { ...keep, span: day.span, enabled: past },
  )
  const distribution = useRead('GET /v1/scores/distribution', { query: { department } }, keep)
  const events = useEventCount(range, department)
  const reads = [summary, trends, departments, distribution, events, today]
  const view = readView(
    {
      summary: summary.data,
      departments: departments.data?.data,
      points: answerOf(trends) ?? (trends.error ? [] : undefined),
      today: answerOf(past ? today : trends),
    },
    department,
    range,
  )
  const failed = reads.filter(read => read.error !== null)
  return { summary, trends, departments, distribution, failed, view, events: events.count }
}

type Trends = { data: ScoreTrends | undefined; isPlaceholderData: boolean }

/** What is in sight of another span or department until the answer comes says nothing of this one. */
const answerOf = ({ data, isPlaceholderData }: Trends) => (isPlaceholderData ? [] : data?.data)

/** As many as the page it opens tells of: the list has all of them, the departments those that count. */
function useEventCount({ from, to, span }: Range, department: string | undefined) {
  const query = { from, to }
  const keep = { span, placeholderData: <T,>(before: T) => before }
  const may = useMay('events:read')
  const whole = department === undefined
  const list = useRead(
    'GET /v1/events',
    { query: { ...query, per_page: 1 } },
    { ...keep, enabled: may && whole },
  )
  const statistics = useRead(
    'GET /v1/events/statistics',
    { query: { ...query, group_by: 'department' } },
    { ...keep, enabled: may && !whole },
  )
  if (whole) return { ...list, count: list.data?.pagination.total }
  const groups = statistics.data?.data
  const own = groups?.find(one => one.type === department)
  return { ...statistics, count: groups && (own?.count ?? 0) }
}

function sayState({ people, bands, change }: View): string {
  const parts = [plural(people, 'person', 'people'), `${count(bands.critical.count)} in critical`]
  if (change !== null && Math.abs(change.value) >= 0.05) {
    const way = change.value > 0 ? 'up' : 'down'
    parts.push(`average ${way} ${signed(change.value, 1).slice(1)} ${change.words}`)
  }
  return parts.join(', ')
}

type FiguresProps = {
  view: View | undefined
  range: Range
  events: number | undefined
  department: string | undefined
  /** What is not known will not come by itself. */
  lost: boolean
}

function Figures({ view, range, events, department, lost }: FiguresProps) {
  const edges = useEdges()
  const worst = { sort: 'score', order: 'asc', department }
  // An average of nobody is none, and lies in no band.
  const some = view && view.people > 0 ? view : undefined
  const band = some && bandAt(Math.floor(some.average + 0.5), edges)
  const risk = some
    ? sayPercent((some.at_risk / some.people) * 100, some.at_risk, some.people)
    : '0.0 %'
  const unknown = lost ? '–' : undefined
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'sm', sm: 'lg' }}>
      <Figure
        label="Average score"
        value={view ? (some?.average.toFixed(1) ?? '–') : unknown}
        below={
          band && (
            <span className="figure-below">
              <BandBadge band={band} />
              {some.change !== null && (
                <Change value={some.change.value} digits={1} period={some.change.words} />
              )}
            </span>
          )
        }
        to="/employees"
        search={worst}
      />
      <Figure
        label="Median score"
        value={view ? (some?.median ?? '–') : unknown}
        below={
          some &&
          some.median !== null && <BandBadge band={bandAt(Math.floor(some.median + 0.5), edges)} />
        }
        to="/employees"
        search={worst}
      />
      <Figure
        label="People at risk"
        value={view ? count(view.at_risk) : unknown}
        below={view && <span className="faint">{risk} in red or critical</span>}
        to="/employees"
        search={{ ...worst, band: 'red,critical' }}
      />
      <Figure
        label="Events"
        value={events === undefined ? unknown : count(events)}
        below={<span className="faint">{range.words}</span>}
        to="/events"
        search={{
          range: range.name,
          from: range.to && range.from,
          to: range.to,
          by: department === undefined ? undefined : 'department',
        }}
      />
    </SimpleGrid>
  )
}

function DepartmentPicker() {
  const [address, change] = useAddress()
  return (
    <DepartmentSelect
      aria-label="Department"
      all="All departments"
      w={180}
      value={address.department}
      onChange={department => change({ department })}
    />
  )
}
