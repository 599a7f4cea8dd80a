// The plan, what it allows, and how much of it is in use at this moment and today.
import { Progress, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { Settings } from '../app/settings.ts'
import { count, plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { useAdmin } from '../ui/use-admin.ts'
import './settings.css'

type Rate = { per_minute: number; capacity: number; used: number }
type Usage = {
  rates: Record<'requests' | 'scores' | 'inbound' | 'outbound', Rate>
  recalculations: { most: number; used: number; next_at: string | null }
}

const RATES = [
  { name: 'requests', label: 'API requests' },
  { name: 'scores', label: 'Score views' },
  { name: 'inbound', label: 'Inbound webhook' },
  { name: 'outbound', label: 'Webhook deliveries' },
] as const

export function PlanCard({ settings }: { settings: Settings }) {
  const usage = useAdmin<Usage>('/admin/usage', { refetchInterval: 5_000 })
  const { limits } = settings
  return (
    <Card
      title={`Plan: ${settings.plan.charAt(0).toUpperCase()}${settings.plan.slice(1)}`}
      about="Its limits, and how much of them is in use right now"
    >
      {RATES.map(({ name, label }) => (
        <UsageRow
          key={name}
          label={label}
          limit={`${count(limits[name] ?? 0)} a minute${
            name === 'requests' ? `, ${count(limits.burst ?? 0)} at once` : ''
          }`}
          used={usage.data?.rates[name].used}
          most={usage.data?.rates[name].capacity ?? 1}
        />
      ))}
      <UsageRow
        label="Recalculations"
        limit={
          <>
            {limits.recalculations} in {plural(limits.recalculation_window_hours ?? 1, 'hour')}
            {usage.data?.recalculations.next_at && (
              <>
                , next <RelativeTime at={usage.data.recalculations.next_at} />
              </>
            )}
          </>
        }
        used={usage.data?.recalculations.used}
        most={usage.data?.recalculations.most ?? 1}
      />
      <TodayLine />
    </Card>
  )
}

type RowProps = { label: string; limit: ReactNode; used: number | undefined; most: number }

function UsageRow({ label, limit, used, most }: RowProps) {
  const share = used === undefined ? 0 : (used / most) * 100
  return (
    <div className="usage-row">
      <div className="usage-head">
        <span>{label}</span>
        <Text size="sm" c="dimmed" component="span" ta="right">
          {limit}
        </Text>
      </div>
      <Progress
        value={share}
        size="sm"
        color={share > 90 ? 'red' : share > 70 ? 'yellow' : 'indigo'}
        aria-label={`${label}: ${used ?? 0} of ${most} used`}
        title={`${count(used ?? 0)} of ${count(most)} used`}
      />
    </div>
  )
}

function TodayLine() {
  const may = useMay('events:read')
  const from = new Date().toISOString().slice(0, 10)
  const today = useRead('GET /v1/events/statistics', { query: { from } }, { enabled: may })
  const events = today.data?.data.reduce((sum, one) => sum + one.count, 0)
  if (events === undefined) return null
  return (
    <Text size="sm" mt="md">
      <b className="number">{count(events)}</b> {events === 1 ? 'event' : 'events'} dated today
      (UTC)
    </Text>
  )
}
