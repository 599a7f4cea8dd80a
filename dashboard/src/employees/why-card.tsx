// "Why 58?": the score taken apart into a waterfall that adds up, from the start through every share to the end.
import { Skeleton, Text, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRead } from '../app/query-client.ts'
import { BAND_LOOK, type Band, bandFill } from '../ui/bands.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { signed } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { type Step, stepsOf } from './why-steps.ts'
import './employees.css'

export function WhyCard({ id, score, band }: { id: string; score: number; band: Band }) {
  const explanation = useRead('GET /v1/employees/{id}/explanation', { params: { id } })
  return (
    <Card
      title={`Why ${score}?`}
      about="What counts now, rounded to a tenth: what raised it, then what lowered it, oldest first; a share halves with time"
    >
      {explanation.error && (
        <ErrorNote error={explanation.error} retry={() => explanation.refetch()} />
      )}
      {explanation.isPending && <Skeleton h={220} />}
      {explanation.data && <Waterfall steps={stepsOf(explanation.data)} band={band} />}
    </Card>
  )
}

function Waterfall({ steps, band }: { steps: Step[]; band: Band }) {
  const low = Math.min(0, ...steps.map(step => Math.min(step.from, step.to)))
  const high = Math.max(100, ...steps.map(step => Math.max(step.from, step.to)))
  const place = (value: number) => ((value - low) / (high - low)) * 100
  return (
    <ol className="waterfall plain-list" aria-label="Parts of the score, adding up">
      {steps.map(step => (
        <WaterfallRow key={step.key} step={step} place={place} band={band} />
      ))}
    </ol>
  )
}

type RowProps = { step: Step; place: (value: number) => number; band: Band }

function WaterfallRow({ step, place, band }: RowProps) {
  const { label, about, event_id, from, to, value, left, kind } = step
  const start = Math.min(place(from), place(to))
  const width = Math.abs(place(to) - place(from))
  const isScore = step.key === 'score'
  return (
    <li className="waterfall-row" data-kind={kind}>
      <span className="waterfall-label">
        {event_id ? (
          <Link to="/events/$id" params={{ id: event_id }} className="plain-link">
            {label}
          </Link>
        ) : (
          label
        )}
        {about && (
          <Text span size="xs" c="dimmed">
            {about}
          </Text>
        )}
      </span>
      <Tooltip label={about ? `${about}, ${signed(value, 2)} now` : value.toFixed(2)}>
        <span className="waterfall-track" aria-hidden="true">
          <span
            className="waterfall-bar"
            style={{
              left: `${start}%`,
              width: `max(2px, ${width}%)`,
              background: barColour(step, band),
              opacity: 0.35 + 0.65 * left,
            }}
          />
        </span>
      </Tooltip>
      <span className="waterfall-value number">
        {kind === 'total' ? value.toFixed(1) : signed(value, 1)}
        {isScore && <span className="sr-only"> {BAND_LOOK[band].label}</span>}
      </span>
    </li>
  )
}

function barColour({ key, kind, value }: Step, band: Band): string {
  if (key === 'score') return bandFill(band)
  if (kind === 'total') return 'var(--mantine-color-gray-5)'
  if (kind === 'limit') return 'var(--mantine-color-gray-6)'
  return value < 0 ? 'var(--band-red)' : 'var(--band-green)'
}
