// One event: what happened, which rules fired or kept still and why, what it did to the score; and taking it back.
import { Grid, Stack } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { MANUAL_EVENT_TYPE } from '../../../scoring/streak.ts'
import { StoredActor } from '../accounts/actor-name.tsx'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { sayAddress } from '../employees/names.ts'
import type { EventDetail } from '../generated/api.ts'
import { BackTo } from '../ui/back-to.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { CopyValue } from '../ui/copy-value.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Facts } from '../ui/facts.tsx'
import { Card, Page } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { spelt } from '../ui/sentence.ts'
import { UnreadPage } from '../ui/unread-page.tsx'
import { useNames } from '../ui/use-names.ts'
import { Who } from '../ui/who.tsx'
import { EffectCard } from './effect-card.tsx'
import { EventRules } from './event-rules.tsx'
import { useStory } from './read-story.ts'
import { RetractEvent } from './retract-event.tsx'
import './events.css'

const back = <BackTo list="/events" />

export function EventPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const event = useRead('GET /v1/events/{id}', { params: { id } })
  const story = useStory(id)
  const mayWrite = useMay('events:write')
  const note = event.error && (
    <ErrorNote
      title="This event could not be read"
      error={event.error}
      retry={() => event.refetch()}
    />
  )
  const lost = story.error !== null
  if (!event.data) return <UnreadPage title="Event" back={back} note={note} />
  return (
    <Page
      title={event.data.type}
      state={<State event={event.data} />}
      above={back}
      actions={mayWrite && <RetractEvent event={event.data} />}
    >
      {note}
      {story.error && <ErrorNote error={story.error} retry={() => story.refetch()} />}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <EventRules event={event.data} story={story.data} lost={lost} />
            <WhatHappened event={event.data} received_at={story.data?.received_at} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <div>
            <EffectCard event={event.data} story={story.data} lost={lost} />
          </div>
        </Grid.Col>
      </Grid>
    </Page>
  )
}

function State({ event }: { event: EventDetail }) {
  return (
    <>
      <bdi>
        <Link
          to="/employees/$id"
          params={{ id: event.employee_id }}
          className="small-link state-link"
          title={sayAddress(event.employee_email)}
        >
          <Who of={event} names={useNames([event.employee_id])} />
        </Link>
      </bdi>
      , <RelativeTime at={event.timestamp} />, from {spelt(event.source)}
    </>
  )
}

type Props = { event: EventDetail; received_at: string | undefined }

function WhatHappened({ event, received_at }: Props) {
  const plain = Object.entries(event.details).filter(([, value]) => typeof value !== 'object')
  // Of an adjustment we wrote the details ourselves: who made it stands there as a row stores it.
  const say = (name: string, value: unknown) =>
    event.type === MANUAL_EVENT_TYPE && name === 'author' ? (
      <StoredActor key="author" actor={String(value)} />
    ) : (
      String(value)
    )
  return (
    <Card title="What happened">
      <Facts
        facts={[
          ...plain.map(([name, value]): [string, ReactNode] => [nameOf(name), say(name, value)]),
          ...(event.redacted_at ? [redactedFact(event.redacted_at)] : []),
          ['Happened', <RelativeTime key="at" at={event.timestamp} />],
          ['Came in', <RelativeTime key="in" at={received_at ?? null} never="…" />],
          ['Event id', <CopyValue key="id" value={event.id} what="event id" />],
        ]}
      />
      {plain.length < Object.keys(event.details).length && (
        <div className="event-details">
          <CodeBlock text={JSON.stringify(event.details)} what="details" />
        </div>
      )}
    </Card>
  )
}

function redactedFact(at: string): [string, ReactNode] {
  return [
    'Details',
    <span key="redacted">
      redacted <RelativeTime at={at} />
    </span>,
  ]
}

function nameOf(key: string): string {
  const words = key.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
