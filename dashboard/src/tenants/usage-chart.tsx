// What was used on each of the last 30 days; loaded by itself, because charts weigh more than the rest of the page.
import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { sayShortDay } from '../ui/dates.ts'
import { count } from '../ui/numbers.ts'
import type { UsedDay } from './plan-card.tsx'

const SERIES = [
  { name: 'requests', label: 'API requests', color: 'indigo.6' },
  { name: 'events', label: 'Events accepted', color: 'teal.6' },
  { name: 'deliveries', label: 'Deliveries sent', color: 'orange.6' },
] as const

export default function UsageChart({ days }: { days: readonly UsedDay[] }) {
  return (
    <BarChart
      h={150}
      data={days.map(day => ({ ...day }))}
      dataKey="day"
      series={[...SERIES]}
      valueFormatter={count}
      withLegend
      legendProps={{ verticalAlign: 'bottom', height: 24 }}
      gridAxis="none"
      tickLine="none"
      xAxisProps={{ tickFormatter: sayShortDay, minTickGap: 40 }}
      yAxisProps={{ width: 44 }}
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false }}
      tooltipAnimationDuration={0}
    />
  )
}
