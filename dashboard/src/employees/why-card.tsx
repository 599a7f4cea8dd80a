// "Why 58?": the score taken apart into a waterfall that adds up, from the start through every share to the end.
import { Skeleton, Text, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRead } from '../app/query-client.ts'
import type { ExplainedShare, Explanation } from '../generated/api.ts'
import { BAND_LOOK, type Band, bandFill } from '../ui/bands.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { signed } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { sayShortDay } from '../ui/relative-time.tsx'

type Step = {
  key: string
  label: string
  about?: string
  event_id?: string
  /** Where the bar begins and ends on the scale. */
  from: number
  to: number
  value: number
  /** How much of the first impact is left: old shares look faded. */
  left: number
  kind: 'total' | 'share' | 'limit'
}

const MOST_SHARES = 14

export function WhyCard({ id, score, band }: { id: string; score: number; band: Band }) {
  const explanation = useRead('GET /v1/employees/{id}/explanation', { params: { id } })
  return (
    <Card
      title={`Why ${score}?`}
      about="What counts now, oldest first; a share halves with time and fades here as it does"
    >
      {explanation.error && (
        <ErrorNote error={explanation.error} retry={() => explanation.refetch()} />
      )}
      {explanation.isPending && <Skeleton h={220} />}
      {explanation.data && <Waterfall steps={stepsOf(explanation.data)} band={band} />}
    </Card>
  )
}

/** What lifts comes before what lowers, so that the line stays on the scale. */
export function stepsOf(explanation: Explanation): Step[] {
  const { shares, starting_score, rest, older_than_retention, cap_adjustment } = explanation
  const named = shares
    .slice(0, MOST_SHARES)
    .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
  const unnamed = shares.slice(MOST_SHARES)
  const small = unnamed.reduce((sum, one) => sum + one.current_impact, 0) + rest.current_impact
  const smallCount = unnamed.length + rest.count
  const steps: Step[] = []
  let at = 0
  const add = (value: number, step: Omit<Step, 'from' | 'to' | 'value'>) => {
    steps.push({ ...step, from: at, to: at + value, value })
    at += value
  }
  add(starting_score, { key: 'start', label: 'Start', left: 1, kind: 'total' })
  for (const share of named.filter(one => one.current_impact > 0))
    add(share.current_impact, shareStep(share))
  if (cap_adjustment !== 0)
    add(cap_adjustment, {
      key: 'cap',
      label: 'Taken by the cap on recovery',
      left: 1,
      kind: 'limit',
    })
  for (const share of named.filter(one => one.current_impact <= 0))
    add(share.current_impact, shareStep(share))
  if (Math.abs(small) >= 0.005)
    add(small, { key: 'rest', label: `${smallCount} smaller`, left: 0.5, kind: 'share' })
  if (older_than_retention !== 0)
    add(older_than_retention, { key: 'older', label: 'Older than kept', left: 0.5, kind: 'share' })
  if (explanation.edge_adjustment !== 0)
    add(explanation.edge_adjustment, {
      key: 'edge',
      label: 'Held between 0 and 100',
      left: 1,
      kind: 'limit',
    })
  const exact = explanation.exact_score
  steps.push({
    key: 'score',
    label: 'Score',
    from: 0,
    to: exact,
    value: exact,
    left: 1,
    kind: 'total',
  })
  return steps
}

function shareStep(share: ExplainedShare): Omit<Step, 'from' | 'to' | 'value'> {
  return {
    key: `${share.event_id}-${share.rule_id ?? share.kind}`,
    label: share.kind === 'manual' ? 'Adjusted by hand' : (share.rule_name ?? share.event_type),
    about: `${signed(share.impact)} on ${sayShortDay(share.timestamp)}`,
    event_id: share.event_id,
    left: Math.min(1, Math.abs(share.current_impact / share.impact)),
    kind: 'share',
  }
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
