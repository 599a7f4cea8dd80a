// One subscription: what it receives, how its deliveries went, and everything that can be done with it.
import { Skeleton, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { StoredActor } from '../accounts/actor-name.tsx'
import { useRead } from '../app/query-client.ts'
import type { Webhook } from '../generated/api.ts'
import { BackTo } from '../ui/back-to.tsx'
import { CopyValue } from '../ui/copy-value.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Facts } from '../ui/facts.tsx'
import { Card, Page, tellState } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import { DeliveriesCard } from './deliveries-card.tsx'
import { RecoveryCard } from './recovery-card.tsx'
import { RotationNote } from './rotation-note.tsx'
import { LOOK_MS, useRetrying } from './use-retrying.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { DISABLED_WORDS, KIND_WORDS, nameOf, standingOf } from './webhook-words.ts'

export function WebhookPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const webhook = useRead('GET /v1/webhooks/{id}', { params: { id } }, { refetchInterval: LOOK_MS })
  const { data } = webhook
  return (
    <Page
      title={data ? nameOf(data) : 'Webhook'}
      state={tellState(webhook, data => <WebhookState webhook={data} />)}
      above={<BackTo list="/webhooks" />}
      actions={data && <WebhookActions webhook={data} />}
    >
      {webhook.error && <ErrorNote error={webhook.error} retry={() => webhook.refetch()} />}
      {data && (
        <>
          <RotationNote webhook={data} />
          <RecoveryCard webhook={data} />
        </>
      )}
      {(data || !webhook.error) && <DetailsCard webhook={data} />}
      {(data || !webhook.error) && <DeliveriesCard id={id} enabled={data?.status !== 'disabled'} />}
    </Page>
  )
}

function WebhookState({ webhook }: { webhook: Webhook }) {
  const retrying = useRetrying()(webhook.id)
  const { tone, words } = standingOf(webhook, retrying)
  const { disabled_reason, disabled_at, failures } = webhook
  return (
    <>
      <StatusMark tone={tone}>{words}</StatusMark>
      {disabled_reason && (
        <>
          {' '}
          · {DISABLED_WORDS[disabled_reason]} <RelativeTime at={disabled_at} />; messages are kept
          as skipped until{' '}
          {disabled_reason === 'grant_ended' ? 'an owner adopts it' : 'it is enabled'}
        </>
      )}
      {!disabled_reason && failures > 0 && ' · deliveries in a row that did not arrive'}
      {!disabled_reason &&
        failures === 0 &&
        retrying > 0 &&
        ' · deliveries have not arrived so far and are tried again'}
    </>
  )
}

/** As tall while it is read as it will be, so that the deliveries stay where they are. */
function DetailsCard({ webhook }: { webhook: Webhook | undefined }) {
  const say = (words: (known: Webhook) => ReactNode) =>
    webhook ? words(webhook) : <Skeleton h="1lh" maw={240} />
  return (
    <Card title="What it hears">
      <Facts
        facts={[
          ['Destination', say(({ url }) => <Destination url={url} />)],
          ['Told when', say(({ events }) => <Kinds events={events} />)],
          ['Created', say(({ created_at }) => <RelativeTime at={created_at} />)],
          ['Created by', say(({ created_by }) => <StoredActor actor={created_by} />)],
          ['Id', say(({ id }) => <CopyValue value={id} what="id" />)],
        ]}
      />
    </Card>
  )
}

function Destination({ url }: Pick<Webhook, 'url'>) {
  return (
    <span title={url}>
      <CopyValue value={url} what="destination" />
    </span>
  )
}

function Kinds({ events }: Pick<Webhook, 'events'>) {
  return events.map(kind => (
    <Text key={kind} size="sm">
      {KIND_WORDS[kind]} <code className="event-type faint">{kind}</code>
    </Text>
  ))
}
