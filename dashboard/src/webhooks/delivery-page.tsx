// One message: what was sent, what came back, each attempt with its timings; and sending it again.
import { Button, Grid, Text } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { call } from '../app/call-api.ts'
import { refresh, useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { DeliveryDetail } from '../generated/api.ts'
import { BackTo } from '../ui/back-to.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { CopyValue } from '../ui/copy-value.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { plural } from '../ui/numbers.ts'
import { Card, Page, tellState } from '../ui/page.tsx'
import { RelativeTime, useNow } from '../ui/relative-time.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import { useWork } from '../ui/use-work.ts'
import { AttemptCard } from './attempt-card.tsx'
import { DELIVERY_LOOK } from './webhook-words.ts'

const isMoving = (one: DeliveryDetail | undefined) =>
  one?.status === 'pending' || one?.status === 'retrying'

const isErased = ({ request }: DeliveryDetail) => request.body === ''

export function DeliveryPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const delivery = useRead(
    'GET /v1/webhooks/deliveries/{id}',
    { params: { id } },
    { refetchInterval: ({ state }) => (isMoving(state.data) ? 2_000 : false) },
  )
  const { data } = delivery
  return (
    <Page
      title={data?.event ?? 'Delivery'}
      state={tellState(delivery, data => <DeliveryState delivery={data} />)}
      above={data ? <BackLink id={data.webhook_id} /> : <BackTo list="/webhooks" />}
      actions={data && <Redeliver delivery={data} />}
    >
      {delivery.error && <ErrorNote error={delivery.error} retry={() => delivery.refetch()} />}
      {data && <DeliveryBody delivery={data} />}
    </Page>
  )
}

function DeliveryBody({ delivery }: { delivery: DeliveryDetail }) {
  const attempts = [...delivery.attempt_log].reverse()
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Card
          title="What is sent"
          about={
            <>
              The same bytes in every attempt, as{' '}
              <CopyValue value={delivery.id} what="delivery id" />
            </>
          }
        >
          {isErased(delivery) ? (
            <Text size="sm">What it told was erased with the person it was about.</Text>
          ) : (
            <CodeBlock text={delivery.request.body} what="message" />
          )}
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        {attempts.length === 0 ? (
          <EmptyState icon="webhooks" title="No attempt yet">
            {delivery.status === 'skipped'
              ? 'The webhook was disabled when this was due. Enable it and redeliver.'
              : 'The first one is about to begin.'}
          </EmptyState>
        ) : (
          <ol className="plain-list attempts" aria-label="Attempts">
            {attempts.map((attempt, i) => (
              <AttemptCard key={attempt.attempt} attempt={attempt} opened={i === 0} />
            ))}
          </ol>
        )}
      </Grid.Col>
    </Grid>
  )
}

function BackLink({ id }: { id: string }) {
  return (
    <Link to="/webhooks/$id" params={{ id }} className="small-link">
      ← Webhook
    </Link>
  )
}

function DeliveryState({ delivery }: { delivery: DeliveryDetail }) {
  const now = useNow()
  const { status, attempts, created_at, next_attempt_at } = delivery
  const { tone, words } = DELIVERY_LOOK[status]
  return (
    <>
      <StatusMark tone={tone}>{words}</StatusMark> · {plural(attempts, 'attempt')} · from{' '}
      <RelativeTime at={created_at} />
      {next_attempt_at && Date.parse(next_attempt_at) <= now && ' · the next attempt is due'}
      {next_attempt_at && Date.parse(next_attempt_at) > now && (
        <>
          {' '}
          · next attempt <RelativeTime at={next_attempt_at} />
        </>
      )}
    </>
  )
}

/** A disabled webhook is sent nothing, and what was erased cannot be sent. */
function Redeliver({ delivery }: { delivery: DeliveryDetail }) {
  const mayWrite = useMay('webhooks:write')
  const params = { id: delivery.webhook_id }
  const webhook = useRead('GET /v1/webhooks/{id}', { params }, { enabled: mayWrite })
  if (!mayWrite || isErased(delivery)) return null
  if (webhook.data?.status === 'disabled') {
    return (
      <Text size="sm" c="dimmed">
        The webhook is disabled; enable it to redeliver
      </Text>
    )
  }
  return <RedeliverButton id={delivery.id} />
}

function RedeliverButton({ id }: { id: string }) {
  const [busy, run] = useWork()
  const send = async () => {
    await call('POST /v1/webhooks/deliveries/{id}/redeliver', { params: { id } })
    refresh('/v1/webhooks')
  }
  return (
    <Button
      loading={busy}
      leftSection={<Icon name="again" size={16} />}
      onClick={() => run(send, 'The message is on its way again')}
    >
      Redeliver
    </Button>
  )
}
