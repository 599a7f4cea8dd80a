// The rules an event met: those that fired, with what they gave, and those that were cooling down, with the reason.
import { Button, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMay } from '../app/session.ts'
import type { EventDetail, Rule } from '../generated/api.ts'
import { useRules } from '../rules/read-rules.ts'
import { RuleSentence } from '../rules/rule-sentence.tsx'
import { sayCooldown } from '../rules/rule-words.ts'
import { Change } from '../ui/change.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Lost } from '../ui/lost.tsx'
import { Card } from '../ui/page.tsx'
import { RelativeTime, useNow } from '../ui/relative-time.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import type { EventStory, GivenShare } from './read-story.ts'

type Props = {
  event: EventDetail
  story: EventStory | undefined
  /** It could not be read; why is said at the head of the page. */
  lost: boolean
}

export function EventRules({ event, story, lost }: Props) {
  const rules = useRules(useMay('rules:read'))
  const ruleOf = (id: string) => rules.data?.find(rule => rule.id === id)
  const shares = story?.shares.filter(share => share.rule_id !== 'manual') ?? []
  const nothing = story && shares.length === 0 && event.rules_cooling.length === 0
  return (
    <Card title="Rules" about="Which ones it met, in their order of evaluation">
      {!story && (lost ? <Lost /> : <Skeleton h={90} />)}
      {nothing && <NoRule event={event} inert={story.inert} />}
      <Stack gap={0} component="ul" className="plain-list">
        {shares.map(share => (
          <FiredRow
            key={`${share.rule_id} ${share.ended_at}`}
            share={share}
            rule={ruleOf(share.rule_id)}
          />
        ))}
        {event.rules_cooling.map(({ rule_id, until }) => (
          <CoolingRow
            key={rule_id}
            rule_id={rule_id}
            until={until}
            name={rules.data && (ruleOf(rule_id)?.name ?? null)}
            rule={ruleOf(rule_id)}
            firing={story?.cooled_by.find(one => one.rule_id === rule_id)}
          />
        ))}
      </Stack>
    </Card>
  )
}

/** One that is deleted has no name; while that is not known, or could not be read, it is undefined. */
type Name = string | null | undefined

function RuleName({ rule_id, name }: { rule_id: string; name: Name }) {
  if (name === null) return <span className="strong faint">A rule that is deleted</span>
  return (
    <Link to="/rules/$id" params={{ id: rule_id }} className="plain-link strong">
      {name ?? 'A rule'}
    </Link>
  )
}

const ENDED = {
  retraction: 'counts no more: retracted',
  recalculation: 'counts no more: recalculated',
} as const

function FiredRow({ share, rule }: { share: GivenShare; rule: Rule | undefined }) {
  return (
    <li className="rule-row">
      <div className="rule-row-head">
        <RuleName rule_id={share.rule_id} name={share.rule_name} />
        <Change value={share.impact} />
      </div>
      {rule && (
        <Text size="sm" c="dimmed" component="div">
          <RuleSentence rule={rule} />
        </Text>
      )}
      {share.ended_by ? (
        <StatusMark tone="idle">
          Fired, but {ENDED[share.ended_by]} <RelativeTime at={share.ended_at} />
        </StatusMark>
      ) : (
        <StatusMark tone="good">Fired</StatusMark>
      )}
    </li>
  )
}

type CoolingProps = {
  rule_id: string
  until: string
  name: Name
  rule: Rule | undefined
  firing: EventStory['cooled_by'][number] | undefined
}

function CoolingRow({ rule_id, until, name, rule, firing }: CoolingProps) {
  const rest = rule && sayCooldown(rule.cooldown)
  const over = Date.parse(until) <= useNow()
  return (
    <li className="rule-row">
      <div className="rule-row-head">
        <RuleName rule_id={rule_id} name={name} />
        <span className="faint">no effect</span>
      </div>
      <StatusMark tone="waiting">Was cooling down</StatusMark>
      <Text size="sm" c="dimmed" component="div">
        It had fired for this person{' '}
        {firing ? (
          <Link to="/events/$id" params={{ id: firing.event_id }} className="small-link">
            <RelativeTime at={firing.timestamp} />
          </Link>
        ) : (
          'shortly before or after'
        )}
        {rest && ` and rests for ${rest}`}; its rest {over ? 'ended' : 'ends'}{' '}
        <RelativeTime at={until} />.
      </Text>
    </li>
  )
}

function NoRule({ event, inert }: { event: EventDetail; inert: boolean }) {
  const mayWrite = useMay('rules:write')
  if (inert) {
    return (
      <EmptyState bare icon="person" title="The person was inactive">
        Events of inactive people are recorded and count for nothing.
      </EmptyState>
    )
  }
  if (event.type.startsWith('manual.')) {
    return (
      <EmptyState bare icon="person" title="Adjusted by hand">
        No rule touches a manual adjustment; its effect is what was given.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      bare
      icon="rules"
      title="No rule fired"
      action={
        mayWrite && (
          <Button
            renderRoot={props => (
              <Link {...props} to="/rules/$id" params={{ id: 'new' }} search={search(event)} />
            )}
            variant="outline"
            maw="100%"
          >
            Make a rule for {event.type}
          </Button>
        )
      }
    >
      The event is recorded and counts for nothing: no active rule is about its type, or its
      conditions did not hold.
    </EmptyState>
  )
}

const search = ({ type }: EventDetail) => ({ event_type: type })
