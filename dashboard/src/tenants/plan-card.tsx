// The plan, what it allows, and how much of it is in use at this moment, today and on the days before.
import { Box, Group, Progress, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Settings } from '../app/settings.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { count } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { useAdmin } from '../ui/use-admin.ts'
import type { Used, UsedDay } from './usage-chart.tsx'
import './settings.css'

type Rate = { per_minute: number; capacity: number; used: number }

type Usage = {
  rates: Record<'requests' | 'scores' | 'inbound' | 'outbound', Rate>
  recalculations: { most: number; used: number; next_at: string | null }
  /** The day it is, in UTC. */
  today: string
  days: UsedDay[]
}

const RATES = [
  { name: 'requests', label: 'API requests' },
  { name: 'scores', label: 'Score views' },
  { name: 'inbound', label: 'Inbound webhook' },
  { name: 'outbound', label: 'Webhook deliveries' },
] as const

const UsageChart = lazy(() => import('./usage-chart.tsx'))
const NOTHING: Used = { requests: 0, events: 0, deliveries: 0 }

export function PlanCard({ settings }: { settings: Settings }) {
  const read = useAdmin<Usage>('/admin/usage', { refetchInterval: 5_000 })
  const usage = read.data
  const { limits } = settings
  const hours = limits.recalculation_window_hours ?? 1
  const today = usage && (usage.days.find(({ day }) => day === usage.today) ?? NOTHING)
  return (
    <Card
      title={`Plan: ${settings.plan.charAt(0).toUpperCase()}${settings.plan.slice(1)}`}
      about="What was used today (UTC), and how much of its limits is in use right now"
    >
      {read.error && (
        <Box mb="md">
          <ErrorNote error={read.error} retry={() => read.refetch()} />
        </Box>
      )}
      <Today today={today} />
      {RATES.map(({ name, label }) => (
        <UsageRow
          key={name}
          label={label}
          limit={`${count(limits[name] ?? 0)} a minute${
            name === 'requests' ? `, ${count(limits.burst ?? 0)} at once` : ''
          }`}
          use={usage && { used: usage.rates[name].used, most: usage.rates[name].capacity }}
        />
      ))}
      <UsageRow
        label="Recalculations"
        limit={
          <>
            {limits.recalculations} {hours === 1 ? 'an hour' : `in ${hours} hours`}
            {usage?.recalculations.next_at && (
              <>
                , next <RelativeTime at={usage.recalculations.next_at} />
              </>
            )}
          </>
        }
        use={usage?.recalculations}
      />
      {usage && <Days usage={usage} />}
    </Card>
  )
}

function Today({ today }: { today: Used | undefined }) {
  const figures = [
    ['requests today', today?.requests],
    ['events accepted', today?.events],
    ['deliveries sent', today?.deliveries],
  ] as const
  return (
    <dl className="today">
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="number">{value === undefined ? '–' : count(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

const DAY_MS = 86_400_000

/** Every day of the last 30, those without use too. */
function fillDays({ today, days }: Usage): UsedDay[] {
  const known = new Map(days.map(one => [one.day, one]))
  return Array.from({ length: 30 }, (_, i) => {
    const day = new Date(Date.parse(today) - (29 - i) * DAY_MS).toISOString().slice(0, 10)
    return known.get(day) ?? { day, ...NOTHING }
  })
}

const MEASURES = [
  { value: 'requests', label: 'Requests' },
  { value: 'events', label: 'Events' },
  { value: 'deliveries', label: 'Deliveries' },
] as const satisfies readonly { value: keyof Used; label: string }[]

/** Worth a chart once there is a day to compare with. */
function Days({ usage }: { usage: Usage }) {
  const [measure, setMeasure] = useState<keyof Used>('requests')
  const days = fillDays(usage)
  if (days.filter(one => one.requests + one.events + one.deliveries > 0).length < 2) return null
  const sum = days.reduce((total, one) => total + one[measure], 0)
  return (
    <section className="usage-days" aria-label={`The last 30 days: ${count(sum)} ${measure}`}>
      <Group justify="space-between" mb={8}>
        <Text size="sm">The last 30 days</Text>
        <SegmentedControl
          size="xs"
          aria-label="What to draw"
          data={[...MEASURES]}
          value={measure}
          onChange={value => setMeasure(value as keyof Used)}
          transitionDuration={100}
        />
      </Group>
      <Suspense fallback={<Skeleton h={130} />}>
        <UsageChart days={days} measure={measure} />
      </Suspense>
    </section>
  )
}

type Use = { used: number; most: number }
type RowProps = { label: string; limit: ReactNode; use: Use | undefined }

function UsageRow({ label, limit, use }: RowProps) {
  return (
    <div className="usage-row">
      <div className="usage-head">
        <span>{label}</span>
        <Text size="sm" c="dimmed" component="span" ta="right">
          {limit}
        </Text>
      </div>
      {use ? <UsageBar label={label} {...use} /> : <Progress.Root size="sm" />}
    </div>
  )
}

function UsageBar({ label, used, most }: Use & { label: string }) {
  const share = (used / most) * 100
  const words = `${count(used)} of ${count(most)} used`
  return (
    <Progress
      value={share}
      size="sm"
      color={share > 90 ? 'red' : share > 70 ? 'yellow' : 'indigo'}
      aria-label={`${label}: ${words}`}
      title={words}
    />
  )
}
