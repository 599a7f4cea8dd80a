// What was used on each of the last 30 days; loaded by itself, because the chart weighs more than the rest of the page.
import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { beginOf, sayShortDay } from '../ui/dates.ts'
import { count } from '../ui/numbers.ts'

export type Used = { requests: number; events: number; deliveries: number }
export type UsedDay = Used & { day: string }

const LABELS: Record<keyof Used, string> = {
  requests: 'API requests',
  events: 'Events accepted',
  deliveries: 'Deliveries sent',
}

type Props = { days: readonly UsedDay[]; measure: keyof Used }

export default function UsageChart({ days, measure }: Props) {
  return (
    <BarChart
      h={130}
      data={days.map(day => ({ ...day }))}
      dataKey="day"
      series={[{ name: measure, label: LABELS[measure], color: 'indigo.5' }]}
      valueFormatter={count}
      gridAxis="none"
      tickLine="none"
      xAxisProps={{ tickFormatter: (day: string) => sayShortDay(beginOf(day)), minTickGap: 40 }}
      yAxisProps={{ width: 44, allowDecimals: false }}
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false, radius: 2 }}
      tooltipAnimationDuration={0}
    />
  )
}
