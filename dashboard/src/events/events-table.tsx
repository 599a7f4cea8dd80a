// Events as rows: when, what, about whom, and to what effect then and now.
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Event } from '../generated/api.ts'
import { Change } from '../ui/change.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import './events.css'

const COLUMNS: readonly Column<Event>[] = [
  {
    key: 'type',
    title: 'Event',
    render: event => (
      <div className="event-cell" data-retracted={event.retracted_at ? true : undefined}>
        <Link to="/events/$id" params={{ id: event.id }} className="plain-link">
          <code className="event-type strong">{event.type}</code>
        </Link>
        <div className="under">
          {event.retracted_at ? (
            <StatusMark tone="idle">Retracted</StatusMark>
          ) : (
            describe(event.details)
          )}
        </div>
      </div>
    ),
  },
  {
    key: 'person',
    title: 'Person',
    wide: true,
    render: event => (
      <Link to="/employees/$id" params={{ id: event.employee_id }} className="plain-link">
        {event.employee_email}
      </Link>
    ),
  },
  { key: 'source', title: 'Source', wide: true, render: event => event.source },
  {
    key: 'impact',
    title: 'Effect',
    align: 'right',
    render: event =>
      event.impact === 0 ? <span className="faint">none</span> : <Change value={event.impact} />,
  },
  {
    key: 'current',
    title: 'Worth now',
    align: 'right',
    wide: true,
    render: event =>
      event.current_impact === 0 ? (
        <span className="faint">–</span>
      ) : (
        <Change value={event.current_impact} digits={1} />
      ),
  },
  {
    key: 'when',
    title: 'When',
    align: 'right',
    render: event => <RelativeTime at={event.timestamp} />,
  },
]

function describe(details: Record<string, unknown>): string {
  const known = [details.description, details.campaign, details.course, details.reason]
  return known.find(one => typeof one === 'string' && one !== '')?.toString() ?? ''
}

type Props = { events: readonly Event[] | undefined; empty: ReactNode }

export function EventsTable({ events, empty }: Props) {
  const navigate = useNavigate()
  return (
    <DataTable
      label="Events"
      columns={COLUMNS}
      rows={events}
      rowKey={event => event.id}
      onOpen={event => navigate({ to: '/events/$id', params: { id: event.id } })}
      loadingRows={10}
      empty={empty}
    />
  )
}
