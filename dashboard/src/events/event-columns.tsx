// Events as rows, wherever they are listed.
import { Link } from '@tanstack/react-router'
import type { Event as ScoredEvent } from '../generated/api.ts'
import { Change } from '../ui/change.tsx'
import type { Column } from '../ui/data-table.tsx'
import { signed } from '../ui/numbers.ts'
import { RelativeTime } from '../ui/relative-time.tsx'

const what: Column<ScoredEvent> = {
  key: 'type',
  title: 'Event',
  render: event => (
    <>
      <Link to="/events/$id" params={{ id: event.id }} className="plain-link">
        <code className="event-type">{event.type}</code>
      </Link>
      {event.retracted_at && <span className="tag">retracted</span>}
      <div className="under">{describe(event)}</div>
    </>
  ),
}

const who: Column<ScoredEvent> = {
  key: 'person',
  title: 'Person',
  wide: true,
  render: event => (
    <Link to="/employees/$id" params={{ id: event.employee_id }} className="plain-link">
      {event.employee_email}
    </Link>
  ),
}

const rest: readonly Column<ScoredEvent>[] = [
  { key: 'source', title: 'Source', wide: true, render: event => event.source },
  {
    key: 'impact',
    title: 'Impact',
    align: 'right',
    render: event => (
      <span className={event.retracted_at ? 'struck' : undefined}>
        <Change value={event.impact} />
      </span>
    ),
  },
  {
    key: 'now',
    title: 'Now',
    align: 'right',
    wide: true,
    render: event => (
      <span className="number faint">
        {event.current_impact === 0 ? '0' : signed(event.current_impact, 1)}
      </span>
    ),
  },
  {
    key: 'when',
    title: 'When',
    align: 'right',
    render: event => <RelativeTime at={event.timestamp} />,
  },
]

export const EVENT_COLUMNS = [what, who, ...rest]
export const OWN_EVENT_COLUMNS = [what, ...rest]

export function describe({ details }: Pick<ScoredEvent, 'details'>): string {
  const { description, reason, campaign, severity } = details as Record<string, unknown>
  const told = [description ?? reason ?? campaign, severity].filter(one => typeof one === 'string')
  return told.join(' · ')
}
