// Scores over time, read against the bands: faint stripes behind, marks for events, and what a point means on hover.
import { Group, Paper, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { type BandEdges, bandFill, bandRanges, sayScore } from './bands.ts'
import { sayShortDay } from './dates.ts'
import { textScale, toRem } from './text-scale.ts'
import { stepTo, ticksOf } from './trend-walk.ts'
import './striped-trend.css'

export type TrendPoint = { at: number; [series: string]: number }
export type TrendMark = {
  id: string
  /** What is opened by it; several may open the same. */
  opens: string
  at: number
  score: number
  tone: 'good' | 'bad'
  label: string
}
type Series = { name: string; label: string; dashed?: boolean }

type Props = {
  label: string
  points: readonly TrendPoint[]
  series: readonly Series[]
  edges: BandEdges
  marks?: readonly TrendMark[]
  onMark?: (mark: TrendMark) => void
  describe: (point: TrendPoint) => ReactNode
  /** When a point was measured: a day, unless told. */
  sayAt?: (at: number) => string
  height: number
}

const EDGE = { left: 34, right: 10, top: 8, bottom: 26 }

type Frame = {
  width: number
  height: number
  x: (at: number) => number
  y: (score: number) => number
}

function frameOf(points: readonly TrendPoint[], width: number, height: number): Frame {
  const first = points[0]?.at ?? 0
  const span = (points.at(-1)?.at ?? 0) - first
  const inner = Math.max(1, width - EDGE.left - EDGE.right)
  const tall = height - EDGE.top - EDGE.bottom
  return {
    width,
    height,
    // One instant alone stands in the middle.
    x: at => EDGE.left + (span > 0 ? (at - first) / span : 0.5) * inner,
    y: score => EDGE.top + (1 - score / 100) * tall,
  }
}

export function StripedTrend(props: Props) {
  const { label, points, series, edges, marks = [], onMark, describe, height } = props
  const { ref, width: wide } = useElementSize()
  const width = wide / textScale()
  const [shown, setShown] = useState<number | null>(null)
  const frame = frameOf(points, width, height)
  const point = shown === null ? undefined : points[shown]
  const follow = (event: PointerEvent<HTMLElement>) => {
    const from = event.currentTarget.getBoundingClientRect().left
    setShown(nearest(points, frame, (event.clientX - from) / textScale()))
  }
  const walk = (event: KeyboardEvent) => {
    const next = stepTo(event.key, shown, points.length)
    if (next === undefined) return
    event.preventDefault()
    setShown(next)
  }
  return (
    <figure className="trend" ref={ref}>
      {series.length > 1 && <Legend series={series} />}
      <div
        className="trend-area"
        role="slider"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={points.length - 1}
        aria-valuenow={shown ?? points.length - 1}
        aria-valuetext={readPoint(points[shown ?? points.length - 1], props)}
        tabIndex={0}
        style={{ height: toRem(height) }}
        onPointerMove={follow}
        onPointerLeave={() => setShown(null)}
        onBlur={() => setShown(null)}
        onKeyDown={walk}
      >
        {width > 0 && <Drawing {...props} frame={frame} point={point} edges={edges} />}
        {point && <Tip frame={frame} point={point} describe={describe} />}
      </div>
      {width > 0 &&
        marks.map(mark => (
          <button
            key={mark.id}
            type="button"
            className="trend-mark"
            data-tone={mark.tone}
            title={mark.label}
            aria-label={mark.label}
            style={placeOf(mark, frame)}
            onClick={() => onMark?.(mark)}
          />
        ))}
    </figure>
  )
}

const placeOf = ({ at, score }: TrendMark, { height, x, y }: Frame) => ({
  left: toRem(x(at)),
  bottom: toRem(height - y(score)),
})

/** What a screen reader says of the point one has walked to. */
function readPoint(
  point: TrendPoint | undefined,
  { series, edges, sayAt = sayShortDay }: Pick<Props, 'series' | 'edges' | 'sayAt'>,
): string {
  if (!point) return 'nothing'
  const values = series.map(({ name, label }) => `${label} ${sayScore(point[name]!, edges)}`)
  return [sayAt(point.at), ...values].join(', ')
}

function nearest(points: readonly TrendPoint[], frame: Frame, x: number): number {
  let best = 0
  points.forEach((point, i) => {
    if (Math.abs(frame.x(point.at) - x) < Math.abs(frame.x(points[best]!.at) - x)) best = i
  })
  return best
}

type DrawingProps = Props & { frame: Frame; point: TrendPoint | undefined }

function Drawing({ points, series, edges, frame, point }: DrawingProps) {
  const { width, height, x, y } = frame
  // Of one point alone there is no line.
  const dotted = point ?? (points.length === 1 ? points[0] : undefined)
  const right = width - EDGE.right
  return (
    <svg
      width={toRem(width)}
      height={toRem(height)}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
      className="trend-drawing"
    >
      {bandRanges(edges).map(({ band, from, to }) => {
        const top = y(band === 'green' ? 100 : to + 1)
        return (
          <rect
            key={band}
            x={EDGE.left}
            y={top}
            width={Math.max(0, right - EDGE.left)}
            height={y(from) - top}
            fill={bandFill(band)}
            opacity="var(--stripe-strength)"
          />
        )
      })}
      {[0, edges.red, edges.orange, edges.yellow, edges.green, 100].map(score => (
        <text
          key={score}
          x={EDGE.left - 8}
          y={y(score) + 4}
          textAnchor="end"
          className="tick number"
        >
          {score}
        </text>
      ))}
      <DayTicks points={points} frame={frame} />
      {point && <line x1={x(point.at)} x2={x(point.at)} y1={EDGE.top} y2={y(0)} className="hair" />}
      {series.toReversed().map(({ name, dashed }) => (
        <path
          key={name}
          d={pathOf(points, name, frame)}
          className={dashed ? 'trend-line dashed' : 'trend-line'}
        />
      ))}
      {dotted &&
        series.map(({ name, dashed }) => (
          <circle
            key={name}
            cx={x(dotted.at)}
            cy={y(dotted[name] ?? 0)}
            r={4}
            className={dashed ? 'trend-dot dashed' : 'trend-dot'}
          />
        ))}
    </svg>
  )
}

function pathOf(points: readonly TrendPoint[], name: string, { x, y }: Frame) {
  return points
    .map((point, i) => {
      const [across, down] = [x(point.at).toFixed(1), y(point[name] ?? 0).toFixed(1)]
      return `${i === 0 ? 'M' : 'L'}${across} ${down}`
    })
    .join('')
}

function DayTicks({ points, frame }: { points: readonly TrendPoint[]; frame: Frame }) {
  const ticks = ticksOf(
    points.map(point => point.at),
    Math.floor(frame.width / 110),
  )
  return ticks.map(({ at, words }, i) => {
    const edge = i === 0 ? 'start' : i === ticks.length - 1 ? 'end' : 'middle'
    const anchor = points.length === 1 ? 'middle' : edge
    return (
      <text key={at} x={frame.x(at)} y={frame.height - 6} textAnchor={anchor} className="tick">
        {words}
      </text>
    )
  })
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <Group gap="md" mb={4} justify="flex-end">
      {series.map(({ name, label, dashed }) => (
        <Text key={name} size="xs" c="dimmed" className="trend-legend">
          <svg width="1.25rem" height="0.5rem" viewBox="0 0 20 8" aria-hidden="true">
            <path d="M0 4H20" className={dashed ? 'trend-line dashed' : 'trend-line'} />
          </svg>
          {label}
        </Text>
      ))}
    </Group>
  )
}

type TipProps = { frame: Frame; point: TrendPoint; describe: Props['describe'] }

function Tip({ frame, point, describe }: TipProps) {
  const x = frame.x(point.at)
  const side =
    x > frame.width / 2 ? { right: toRem(frame.width - x + 12) } : { left: toRem(x + 12) }
  return (
    <Paper p="xs" radius="md" shadow="sm" className="trend-tip" style={side} role="status">
      <Text size="sm" component="div">
        {describe(point)}
      </Text>
    </Paper>
  )
}
