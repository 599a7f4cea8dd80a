// What was and is to be sent to a subscription, by status and kind; it follows while something is under way.
import { Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { oneOf, pageOf, useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import type { Delivery } from '../generated/api.ts'
import { ChoiceFilter } from '../ui/choice-filter.tsx'
import type { CsvColumns } from '../ui/csv-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { useOrder } from '../ui/list-order.ts'
import { Card } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import { DELIVERY_LOOK, DELIVERY_STATUSES, KINDS, sayError } from './webhook-words.ts'
import '../ui/layout.css'
import './webhooks.css'

const EVENTS = [...KINDS, 'webhook.test']
const SORTS = ['created_at', 'event', 'status', 'attempts'] as const

const isMoving = (one: Delivery) => one.status === 'pending' || one.status === 'retrying'

export function DeliveriesCard({ id, enabled }: { id: string; enabled: boolean }) {
  const [address, change] = useAddress()
  const navigate = useNavigate()
  const status = oneOf(address.status, DELIVERY_STATUSES)
  const event = oneOf(address.event, EVENTS)
  const order = useOrder(SORTS, 'created_at')
  const query = { ...order.query, status, event }
  const deliveries = useRead(
    'GET /v1/webhooks/{id}/deliveries',
    { params: { id }, query: { ...query, page: pageOf(address) } },
    {
      placeholderData: before => before,
      refetchInterval: ({ state }) => (state.data?.data.some(isMoving) ? 2_000 : 15_000),
    },
  )
  const { data } = deliveries
  const filtered = status !== undefined || event !== undefined
  return (
    <Card flush title="Deliveries" about="Of the last 30 days" action={<DeliveryFilters />}>
      <KeptList read={deliveries}>
        <PagedTable
          label="Deliveries"
          columns={COLUMNS}
          list={data}
          rowKey={delivery => delivery.id}
          {...order.table}
          onOpen={one => navigate({ to: '/webhooks/deliveries/$id', params: { id: one.id } })}
          empty={
            <EmptyState
              bare
              icon="webhooks"
              title={filtered ? 'None like that' : 'Nothing sent yet'}
            >
              {filtered
                ? 'No delivery of the last 30 days fits the filter.'
                : enabled
                  ? 'Send a test, or wait for the first change it wants to hear about.'
                  : 'What it wants to hear about is kept here as skipped until it is enabled.'}
            </EmptyState>
          }
          onPage={page => change({ page })}
          what={['delivery', 'deliveries']}
          csv={{
            name: 'deliveries',
            columns: CSV,
            read: at =>
              call('GET /v1/webhooks/{id}/deliveries', {
                params: { id },
                query: { ...query, ...at },
              }),
          }}
        />
      </KeptList>
    </Card>
  )
}

const CSV: CsvColumns<Delivery> = {
  id: delivery => delivery.id,
  created_at: delivery => delivery.created_at,
  event: delivery => delivery.event,
  status: delivery => delivery.status,
  attempts: delivery => delivery.attempts,
  last_response_status: delivery => delivery.last_response_status,
  last_error: delivery => delivery.last_error,
  next_attempt_at: delivery => delivery.next_attempt_at,
}

function DeliveryFilters() {
  return (
    <div className="filters">
      <ChoiceFilter
        name="status"
        label="Status"
        placeholder="Any status"
        size="xs"
        className="delivery-filter"
        data={DELIVERY_STATUSES.map(value => ({ value, label: DELIVERY_LOOK[value].words }))}
      />
      <ChoiceFilter
        name="event"
        label="Kind"
        placeholder="Any kind"
        size="xs"
        className="delivery-filter"
        data={EVENTS}
      />
    </div>
  )
}

function sayAnswer({ last_error, last_response_status, attempts }: Delivery): string {
  if (last_error !== null) return sayError(last_error)
  if (last_response_status !== null) return `answered ${last_response_status}`
  return attempts === 0 ? 'not tried yet' : ''
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    key: 'event',
    title: 'Message',
    sort: 'event',
    render: ({ id, event, created_at }) => (
      <>
        <Link to="/webhooks/deliveries/$id" params={{ id }} className="plain-link event-type">
          {event}
        </Link>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          <RelativeTime at={created_at} />
        </Text>
      </>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    sort: 'status',
    render: ({ status }) => (
      <StatusMark tone={DELIVERY_LOOK[status].tone}>{DELIVERY_LOOK[status].words}</StatusMark>
    ),
  },
  {
    key: 'answer',
    title: 'Last answer',
    wide: true,
    render: one => (
      <Text size="sm" c="dimmed" lineClamp={1} maw={340} title={one.last_error ?? undefined}>
        {sayAnswer(one)}
      </Text>
    ),
  },
  {
    key: 'attempts',
    title: 'Attempts',
    sort: 'attempts',
    align: 'right',
    wide: true,
    render: ({ attempts }) => <span className="number">{attempts}</span>,
  },
  {
    key: 'created',
    title: 'When',
    sort: 'created_at',
    align: 'right',
    wide: true,
    render: ({ created_at }) => <RelativeTime at={created_at} />,
  },
]
