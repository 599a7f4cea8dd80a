// One action in full, beside the list; its id stands in the address.
import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { StoredActor } from '../accounts/actor-name.tsx'
import { useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { sayAddress } from '../employees/names.ts'
import type { Action } from '../generated/api.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { CopyValue } from '../ui/copy-value.tsx'
import { SidePanel } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Facts } from '../ui/facts.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import { useNames } from '../ui/use-names.ts'
import { Who } from '../ui/who.tsx'
import { sayWhy } from './action-columns.tsx'
import { STATUSES, sayAction } from './action-words.ts'
import type { Policy } from './policy.ts'
import { VerdictButtons } from './verdict-buttons.tsx'
import { type Asked, VerdictDialog } from './verdict-dialog.tsx'

type Props = { policies: readonly Policy[] | undefined }

export function ActionDrawer({ policies }: Props) {
  const [address, change] = useAddress()
  const id = address.open
  const action = useRead(
    'GET /v1/actions/{id}',
    { params: { id: id ?? '' } },
    { enabled: id !== undefined },
  )
  const { data } = action
  return (
    <SidePanel
      opened={id !== undefined}
      onClose={() => change({ open: undefined, page: address.page })}
      title={data ? sayAction(data) : 'Action'}
    >
      {action.error && <ErrorNote error={action.error} retry={() => action.refetch()} />}
      {!data && !action.error && <Skeleton h={240} />}
      {data && <ActionBody action={data} policies={policies} />}
    </SidePanel>
  )
}

function ActionBody({ action, policies }: Props & { action: Action }) {
  const [asked, ask] = useState<Asked | null>(null)
  const { tone, words } = STATUSES[action.status]
  return (
    <Stack>
      <Group justify="space-between">
        <StatusMark tone={tone}>{words}</StatusMark>
        <RelativeTime at={action.created_at} />
      </Group>
      <VerdictButtons action={action} onAsk={ask} />
      <VerdictDialog asked={asked} onClose={() => ask(null)} />
      <Facts facts={useFacts(action, policies)} />
    </Stack>
  )
}

function useFacts(action: Action, policies: Props['policies']): [string, ReactNode][] {
  const names = useNames([action.employee_id])
  const facts: ([string, ReactNode] | null)[] = [
    [
      'For',
      <Link
        key="for"
        to="/employees/$id"
        params={{ id: action.employee_id }}
        className="small-link"
        title={sayAddress(action.employee_email)}
      >
        <Who of={action} names={names} />
      </Link>,
    ],
    ['Why', sayWhy(action, policies)],
    ['Set off by', <TriggerFact key="trigger" action={action} />],
    ['Asked for by', <StoredActor key="asked" actor={action.requested_by} />],
    action.note ? ['Note', action.note] : null,
    action.decided_by
      ? ['Decided by', <StoredActor key="decided" actor={action.decided_by} />]
      : null,
    action.triggered_at ? ['Begun', <RelativeTime key="begun" at={action.triggered_at} />] : null,
    action.finished_at ? ['Ended', <RelativeTime key="ended" at={action.finished_at} />] : null,
    action.finished_by
      ? ['Reported by', <StoredActor key="reported" actor={action.finished_by} />]
      : null,
    action.outcome ? ['Outcome', action.outcome] : null,
    action.outcome_note ? [sayNoteOf(action), action.outcome_note] : null,
    action.expires_at ? ['Expires', <RelativeTime key="expires" at={action.expires_at} />] : null,
    ['Id', <CopyValue key="id" value={action.id} what="id" />],
  ]
  return facts.filter(fact => fact !== null)
}

/** One who approves may say something before there is an outcome. */
const sayNoteOf = ({ outcome, finished_at }: Action) =>
  outcome === '' && finished_at === null ? 'Note of the decision' : 'Its note'

function TriggerFact({ action }: { action: Action }) {
  const { event_id, trigger_event, previous_score, new_score, previous_band, new_band } = action
  // What an event set off knows no bands: the event itself tells how the score moved.
  const moved = previous_score !== null && new_score !== null && previous_score !== new_score
  return (
    <>
      {event_id ? (
        <Link to="/events/$id" params={{ id: event_id }} className="small-link event-type">
          {trigger_event}
        </Link>
      ) : (
        trigger_event
      )}
      {moved && previous_band && new_band && (
        <Text size="sm" component="div">
          <BandBadge band={previous_band} score={previous_score} /> →{' '}
          <BandBadge band={new_band} score={new_score} />
        </Text>
      )}
    </>
  )
}
