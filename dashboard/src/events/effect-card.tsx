// What an event did to the score: then, now, and step by step.
import { Skeleton, Text } from '@mantine/core'
import type { EventDetail } from '../generated/api.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { Change } from '../ui/change.tsx'
import { signed } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import type { EventStory, ScoreStep } from './read-story.ts'
import '../ui/figure.css'

type Props = {
  event: EventDetail
  story: EventStory | undefined
  /** It could not be read; why is said at the head of the page. */
  lost: boolean
}

export function EffectCard({ event, story, lost }: Props) {
  return (
    <Card title="Effect">
      <div className="effect-figures">
        <div>
          <div className="figure-value number">{signed(event.impact)}</div>
          <Text size="sm" c="dimmed">
            when it was scored
          </Text>
        </div>
        <div>
          <div className="figure-value number">{signed(event.current_impact, 1)}</div>
          <Text size="sm" c="dimmed">
            {event.retracted_at ? 'since it is retracted' : 'is left of it now'}
          </Text>
        </div>
      </div>
      {!story && !lost && <Skeleton h={60} mt="md" />}
      {story?.retraction && (
        <Text size="sm" mt="md" component="div" className="retraction-note">
          Retracted <RelativeTime at={event.retracted_at ?? null} />: {story.retraction}
        </Text>
      )}
      <ol className="plain-list steps">
        {story?.steps.map(step => (
          <Step key={`${step.at} ${step.reason}`} step={step} />
        ))}
      </ol>
    </Card>
  )
}

const REASONS: Record<string, string> = {
  event: 'Scored',
  adjustment: 'Adjusted by hand',
  retraction: 'Retracted',
  clean_streak: 'Clean streak',
}

function Step({ step }: { step: ScoreStep }) {
  return (
    <li className="step">
      <div className="rule-row-head">
        <span className="strong">{REASONS[step.reason] ?? step.reason}</span>
        <Text span size="sm" c="dimmed">
          <RelativeTime at={step.at} />
        </Text>
      </div>
      <div className="step-scores">
        <BandBadge band={step.band_before} score={step.score_before} />
        <span aria-hidden="true">→</span>
        <BandBadge band={step.band_after} score={step.score_after} />
        <Change value={step.score_after - step.score_before} />
      </div>
    </li>
  )
}
