// Who is told of what: the subscriptions of the organization and how they stand.
import { Button, Group, Paper, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, useNavigate } from '@tanstack/react-router'
import { pageOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { Webhook } from '../generated/api.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { plural } from '../ui/numbers.ts'
import { Page } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import { NewWebhook } from './new-webhook.tsx'
import { DISABLED_WORDS, KIND_WORDS, nameOf, standingOf } from './webhook-words.ts'
import '../ui/layout.css'

export function WebhooksPage() {
  const [address, change] = useAddress()
  const navigate = useNavigate()
  const mayWrite = useMay('webhooks:write')
  const [creating, { open, close }] = useDisclosure(false)
  const webhooks = useRead('GET /v1/webhooks', { query: { page: pageOf(address) } })
  const create = mayWrite && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
      New webhook
    </Button>
  )
  return (
    <Page title="Webhooks" state={webhooks.data && sayState(webhooks.data.data)} actions={create}>
      {webhooks.error ? (
        <ErrorNote error={webhooks.error} retry={() => webhooks.refetch()} />
      ) : (
        <Paper p={0}>
          <DataTable
            label="Webhooks"
            columns={COLUMNS}
            rows={webhooks.data?.data}
            rowKey={webhook => webhook.id}
            loadingRows={3}
            onOpen={({ id }) => navigate({ to: '/webhooks/$id', params: { id } })}
            empty={
              <EmptyState bare icon="webhooks" title="Nobody is told yet" action={create}>
                A webhook tells another system at once when a score, a band or a person changes.
                {mayWrite && ' Give it an address and choose what it should hear about.'}
              </EmptyState>
            }
          />
          <Pager
            pagination={webhooks.data?.pagination}
            onPage={page => change({ page })}
            what="webhooks"
          />
        </Paper>
      )}
      <NewWebhook opened={creating} onClose={close} />
    </Page>
  )
}

function sayState(webhooks: readonly Webhook[]): string {
  const disabled = webhooks.filter(one => one.status === 'disabled').length
  const failing = webhooks.filter(one => one.status === 'enabled' && one.failures > 0).length
  const parts = [plural(webhooks.length, 'subscription')]
  if (disabled > 0) parts.push(`${disabled} disabled`)
  if (failing > 0) parts.push(`${failing} failing`)
  if (webhooks.length > 0 && parts.length === 1) parts.push('all well')
  return parts.join(', ')
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    key: 'name',
    title: 'Destination',
    render: webhook => (
      <>
        <Link to="/webhooks/$id" params={{ id: webhook.id }} className="plain-link strong">
          {nameOf(webhook)}
        </Link>
        <Text size="xs" c="dimmed" className="break-anywhere">
          {webhook.url}
        </Text>
      </>
    ),
  },
  {
    key: 'events',
    title: 'Told when',
    wide: true,
    render: ({ events }) => (
      <Text size="sm" title={events.join(', ')}>
        {KIND_WORDS[events[0]!]}
        {events.length > 1 && <span className="faint"> and {events.length - 1} more</span>}
      </Text>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    render: webhook => {
      const { tone, words } = standingOf(webhook)
      const reason = webhook.disabled_reason
      return (
        <Group gap={6}>
          <StatusMark tone={tone}>{words}</StatusMark>
          {reason && reason !== 'manual' && (
            <Text size="xs" c="dimmed">
              {DISABLED_WORDS[reason]}
            </Text>
          )}
        </Group>
      )
    },
  },
  {
    key: 'created',
    title: 'Created',
    align: 'right',
    wide: true,
    render: webhook => <RelativeTime at={webhook.created_at} />,
  },
]
