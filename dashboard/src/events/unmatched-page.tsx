// Inbound events whose address matched nobody: replayed once the person is there.
import { Button, Group, Paper } from '@mantine/core'
import { useEffect, useState } from 'react'
import { pageOf, useAddress } from '../app/address.ts'
import { CallError, call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { useEdges } from '../app/settings.ts'
import type { UnmatchedEvent } from '../generated/api.ts'
import { BackTo } from '../ui/back-to.tsx'
import { sayScore } from '../ui/bands.ts'
import { CsvButton, type CsvColumns } from '../ui/csv-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { useOrder } from '../ui/list-order.ts'
import { plural } from '../ui/numbers.ts'
import { Page, tellState } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { lastBefore } from '../ui/past-end.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { spelt } from '../ui/sentence.ts'
import { showFailure, showToast } from '../ui/toasts.ts'
import { useWork } from '../ui/use-work.ts'
import { AddUnmatched } from './add-unmatched.tsx'
import { breakAtParts } from './event-columns.tsx'
import { inOrder, isReplayed, refreshAll, replay } from './replay-events.ts'
import './events.css'
import '../ui/shift.css'

export function UnmatchedPage() {
  const [address, change] = useAddress()
  const mayWrite = useMay('events:write')
  const mayAdd = useMay('employees:write') && mayWrite
  const order = useOrder(SORTS, 'received_at')
  const query = { ...order.query, page: pageOf(address) }
  const list = useRead('GET /v1/events/unmatched', { query }, { placeholderData: before => before })
  const shown = list.data?.data
  const total = list.data?.pagination.total
  // Replaying empties pages: the last of them gives way to the one before.
  const last = list.data && !list.isPlaceholderData ? lastBefore(list.data.pagination) : null
  useEffect(() => {
    if (last !== null) change({ page: last }, true)
  }, [last])
  return (
    <Page
      title="Unmatched events"
      state={tellState(list, ({ pagination }) => sayState(pagination.total))}
      above={<BackTo list="/events" />}
      actions={
        <>
          <CsvButton
            name="unmatched-events"
            columns={CSV}
            total={total}
            keyOf={event => event.id}
            read={at => call('GET /v1/events/unmatched', { query: { ...query, ...at } })}
          />
          {mayWrite && !!total && <ReplayAll events={shown ?? []} />}
        </>
      }
    >
      <KeptList read={list}>
        <Paper p={0}>
          <DataTable
            label="Unmatched events"
            columns={mayWrite ? [...COLUMNS, replayColumn(mayAdd ? shown : null)] : COLUMNS}
            rows={shown}
            rowKey={event => event.id}
            {...order.table}
            empty={
              <EmptyState bare icon="check" title="Nothing is waiting">
                An inbound event for an address nobody has is kept here, to be replayed once the
                person is added.
              </EmptyState>
            }
          />
          <Pager
            pagination={list.data?.pagination}
            onPage={page => change({ page })}
            what={['event', 'events']}
          />
        </Paper>
      </KeptList>
    </Page>
  )
}

const sayState = (total: number): string =>
  total === 0
    ? 'Every address belongs to somebody'
    : `${plural(total, 'event')} for an address that nobody has; kept for 30 days`

const SORTS = ['received_at', 'type', 'source', 'email'] as const

const CSV: CsvColumns<UnmatchedEvent> = {
  id: event => event.id,
  received_at: event => event.received_at,
  timestamp: event => event.timestamp,
  event_type: event => event.event_type,
  source: event => event.source,
  employee_email: event => event.employee.email,
  expires_at: event => event.expires_at,
  details: event => JSON.stringify(event.details),
}

const COLUMNS: readonly Column<UnmatchedEvent>[] = [
  {
    key: 'email',
    title: 'Address',
    lines: 2,
    sort: 'email',
    render: event => (
      <div className="event-cell">
        <span className="strong breakable">{spelt(event.employee.email)}</span>
        <div className="under">
          <code className="event-type">{breakAtParts(event.event_type)}</code>
        </div>
      </div>
    ),
  },
  {
    key: 'source',
    title: 'Source',
    sort: 'source',
    wide: true,
    render: event => (
      <div className="event-source one-line" title={spelt(event.source)}>
        {spelt(event.source)}
      </div>
    ),
  },
  {
    key: 'received',
    title: 'Came in',
    sort: 'received_at',
    wide: true,
    render: event => <RelativeTime at={event.received_at} />,
  },
  {
    key: 'expires',
    title: 'Kept until',
    wide: true,
    render: event => <RelativeTime at={event.expires_at} />,
  },
]

/** `shown`: the events in sight, for those who may also add their people. */
const replayColumn = (
  shown: readonly UnmatchedEvent[] | null | undefined,
): Column<UnmatchedEvent> => ({
  key: 'replay',
  title: <span className="unseen">Replay</span>,
  align: 'right',
  render: event => (
    <Group gap={6} justify="flex-end" className="row-buttons">
      {shown && <AddUnmatched email={event.employee.email} events={shown} />}
      <ReplayOne event={event} />
    </Group>
  ),
})

function ReplayOne({ event }: { event: UnmatchedEvent }) {
  const [busy, run] = useWork()
  const edges = useEdges()
  const { email } = event.employee
  const again = () =>
    run(async () => {
      const done = await replay(event)
      await refreshAll()
      const [before, after] = [done.score_before, done.score_after]
      showToast(
        `${event.event_type} now belongs to ${email}: ${sayScore(before, edges)} → ${sayScore(after, edges)}`,
      )
    })
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={busy}
      onClick={again}
      aria-label={`Replay ${event.event_type} of ${email}`}
    >
      Replay
    </Button>
  )
}

/** One after the other; events of people still unknown stay, any other failure ends it. */
function ReplayAll({ events }: { events: readonly UnmatchedEvent[] }) {
  const [done, setDone] = useState<number | null>(null)
  const run = async () => {
    let matched = 0
    let elsewhere = 0
    try {
      for (const [i, event] of inOrder(events).entries()) {
        setDone(i)
        await replay(event).then(
          () => {
            matched += 1
          },
          error => {
            if (isReplayed(error)) elsewhere += 1
            else if (!(error instanceof CallError && error.status === 404)) throw error
          },
        )
      }
      const still = `${matched} replayed, ${events.length - matched - elsewhere} still match nobody`
      showToast(elsewhere > 0 ? `${still}, ${elsewhere} replayed elsewhere meanwhile` : still)
    } catch (error) {
      showFailure(error)
    } finally {
      setDone(null)
      refreshAll()
    }
  }
  return (
    <Button onClick={run} disabled={done !== null}>
      {done === null ? sayAll(events.length) : `${done + 1} of ${events.length}`}
    </Button>
  )
}

const sayAll = (events: number): string => (events === 1 ? 'Replay it' : `Replay these ${events}`)
