// Events as rows, wherever they are listed: when, what, about whom, and to what effect then and now.
import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { sayAddress } from '../employees/names.ts'
import type { Event as ScoredEvent } from '../generated/api.ts'
import { Change } from '../ui/change.tsx'
import type { CsvColumns } from '../ui/csv-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { spelt } from '../ui/sentence.ts'
import { StatusMark } from '../ui/status-mark.tsx'
import type { Names } from '../ui/use-names.ts'
import { Who, WhoLink } from '../ui/who.tsx'
import { sayDetails } from './event-words.ts'
import './events.css'

export const EVENT_SORTS = ['timestamp', 'type', 'source', 'impact'] as const

const what: Column<ScoredEvent> = {
  key: 'type',
  title: 'Event',
  lines: 2,
  sort: 'type',
  render: event => (
    <div className="event-cell" data-retracted={event.retracted_at ? true : undefined}>
      <Link to="/events/$id" params={{ id: event.id }} className="plain-link">
        <code className="event-type strong">{breakAtParts(event.type)}</code>
      </Link>
      <div className="under" title={event.retracted_at ? undefined : sayDetails(event.details)}>
        {event.retracted_at ? (
          <StatusMark tone="idle">Retracted</StatusMark>
        ) : (
          sayDetails(event.details)
        )}
      </div>
    </div>
  ),
}

/** Where there is little room the person has no column of their own. */
const whatAndWho = (names: Names): Column<ScoredEvent> => ({
  ...what,
  render: event => (
    <>
      {what.render(event)}
      <Text
        size="xs"
        c="dimmed"
        ta="left"
        hiddenFrom="lg"
        className="one-line"
        dir="auto"
        title={sayAddress(event.employee_email)}
      >
        <Who of={event} names={names} />
      </Text>
    </>
  ),
})

const who = (names: Names): Column<ScoredEvent> => ({
  key: 'person',
  title: 'Person',
  wide: 'lg',
  render: event => <WhoLink of={event} names={names} />,
})

const rest: readonly Column<ScoredEvent>[] = [
  {
    key: 'source',
    title: 'Source',
    sort: 'source',
    wide: 'lg',
    render: event => (
      <div className="event-source one-line" title={spelt(event.source)}>
        {spelt(event.source)}
      </div>
    ),
  },
  {
    key: 'impact',
    title: 'Effect',
    sort: 'impact',
    align: 'right',
    render: event =>
      event.impact === 0 ? <span className="faint">none</span> : <Change value={event.impact} />,
  },
  {
    key: 'current',
    title: 'Worth now',
    align: 'right',
    wide: 'lg',
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
    sort: 'timestamp',
    align: 'right',
    render: event => <RelativeTime at={event.timestamp} />,
  },
]

export const eventColumns = (names: Names) => [whatAndWho(names), who(names), ...rest]
export const OWN_EVENT_COLUMNS = [what, ...rest]

export const EVENT_CSV: CsvColumns<ScoredEvent> = {
  id: event => event.id,
  timestamp: event => event.timestamp,
  type: event => event.type,
  source: event => event.source,
  employee_id: event => event.employee_id,
  employee_email: event => event.employee_email,
  impact: event => event.impact,
  current_impact: event => event.current_impact,
  rules_matched: event => event.rules_matched.join(' '),
  retracted_at: event => event.retracted_at,
  details: event => JSON.stringify(event.details),
}

/** Where a type is too long for one line it goes on between its parts. */
export function breakAtParts(type: string): ReactNode[] {
  return type.split(/(?<=[._])/).flatMap((part, i) => (i === 0 ? [part] : [<wbr key={i} />, part]))
}
