// Who is told of what: the subscriptions of the organization and how they stand.
import { Button, Group, Paper, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type CallError, call } from '../app/call-api.ts'
import { unlessFailed } from '../app/look-again.ts'
import { readPages } from '../app/read-pages.ts'
import { useMay } from '../app/session.ts'
import type { Webhook } from '../generated/api.ts'
import { CsvButton, type CsvColumns } from '../ui/csv-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icons.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { plural } from '../ui/numbers.ts'
import { Page, tellState } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { type SortKeys, useSorted } from '../ui/sort-rows.ts'
import { StatusMark } from '../ui/status-mark.tsx'
import { NewWebhook } from './new-webhook.tsx'
import { LOOK_MS, type Retrying, useRetrying } from './use-retrying.ts'
import { DISABLED_WORDS, KIND_WORDS, nameOf, standingOf } from './webhook-words.ts'
import '../ui/layout.css'

export function WebhooksPage() {
  const navigate = useNavigate()
  const mayWrite = useMay('webhooks:write')
  const [creating, { open, close }] = useDisclosure(false)
  const webhooks = useWebhooks()
  const retrying = useRetrying()
  const sorted = useSorted(webhooks.data, sortsOf(retrying))
  const create = mayWrite && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
      New webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      state={tellState(webhooks, all => sayState(all, retrying))}
      actions={
        <>
          <CsvButton name="webhooks" rows={sorted.rows} columns={CSV} />
          {create}
        </>
      }
    >
      <KeptList read={webhooks}>
        <Paper p={0}>
          <DataTable
            label="Webhooks"
            columns={columnsOf(retrying)}
            {...sorted}
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
        </Paper>
      </KeptList>
      <NewWebhook opened={creating} onClose={close} />
    </Page>
  )
}

/** An organization has few; all of them are read, so that sorting is right. */
const MOST_PAGES = 20

function useWebhooks() {
  return useQuery<Webhook[], CallError>({
    queryKey: ['GET /v1/webhooks', 'all'],
    refetchInterval: unlessFailed(LOOK_MS),
    queryFn: async ({ signal }) => {
      const read = (query: object) => call('GET /v1/webhooks', { query, signal })
      return (await readPages(read, one => one.id, { most_pages: MOST_PAGES, signal })).rows
    },
  })
}

const sortsOf = (retrying: Retrying): SortKeys<Webhook> => ({
  name: nameOf,
  events: webhook => webhook.events.length,
  status: webhook => standingOf(webhook, retrying(webhook.id)).words,
  created: webhook => webhook.created_at,
})

const CSV: CsvColumns<Webhook> = {
  id: webhook => webhook.id,
  description: webhook => webhook.description,
  url: webhook => webhook.url,
  events: webhook => webhook.events.join(' '),
  status: webhook => webhook.status,
  disabled_reason: webhook => webhook.disabled_reason,
  failures: webhook => webhook.failures,
  created_at: webhook => webhook.created_at,
}

function sayState(webhooks: readonly Webhook[], retrying: Retrying): string {
  const disabled = webhooks.filter(one => one.status === 'disabled').length
  const failing = webhooks.filter(one => one.status === 'enabled' && one.failures > 0).length
  const tried = webhooks.filter(one => one.failures === 0 && retrying(one.id) > 0).length
  const parts = [plural(webhooks.length, 'subscription')]
  if (disabled > 0) parts.push(`${disabled} disabled`)
  if (failing > 0) parts.push(`${failing} failing`)
  if (tried > 0) parts.push(`${tried} retrying`)
  if (webhooks.length > 0 && parts.length === 1) parts.push('all enabled')
  return parts.join(', ')
}

const columnsOf = (retrying: Retrying): readonly Column<Webhook>[] => [
  {
    key: 'name',
    title: 'Destination',
    lines: 2,
    sort: 'name',
    render: webhook => (
      <>
        <Link to="/webhooks/$id" params={{ id: webhook.id }} className="plain-link strong">
          {nameOf(webhook)}
        </Link>
        <div className="under three-lines" title={webhook.url}>
          {webhook.url}
        </div>
      </>
    ),
  },
  {
    key: 'events',
    title: 'Told when',
    sort: 'events',
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
    sort: 'status',
    render: webhook => {
      const { tone, words } = standingOf(webhook, retrying(webhook.id))
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
    sort: 'created',
    align: 'right',
    wide: true,
    render: webhook => <RelativeTime at={webhook.created_at} />,
  },
]
