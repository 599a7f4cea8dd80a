// How many events, about how many people, and to what effect: by type, source or department.
import { Button, SegmentedControl, Skeleton, Space, Stack, Text, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { oneOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import type { EventStatistics } from '../generated/api.ts'
import { Change } from '../ui/change.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { count, departmentName, plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import type { Range } from '../ui/range.ts'
import { spelt } from '../ui/sentence.ts'
import { useSomeEvents } from './use-some-events.ts'
import './events.css'

type Group = EventStatistics['data'][number]
const GROUPS = ['type', 'source', 'department'] as const
type Grouping = (typeof GROUPS)[number]
const FIRST = 8

export function StatisticsCard({ range: { from, to, span, words } }: { range: Range }) {
  const [address, change] = useAddress()
  const [all, setAll] = useState(false)
  const group_by = oneOf(address.by, GROUPS) ?? 'type'
  const statistics = useRead(
    'GET /v1/events/statistics',
    { query: { from, to, group_by } },
    { span, placeholderData: before => before },
  )
  const groups = statistics.data?.data
  const shown = all ? groups : groups?.slice(0, FIRST)
  const most = Math.max(1, ...(groups ?? []).map(one => one.count))
  return (
    <Card
      title="What came in"
      about={`Events ${words}, how many people, and the average effect; retracted ones left out`}
      action={
        <SegmentedControl
          size="xs"
          aria-label="Group by"
          data={GROUPS.map(value => ({ value, label: `By ${value}` }))}
          value={group_by}
          onChange={by => change({ by }, true)}
          transitionDuration={100}
        />
      }
    >
      {statistics.error && (
        <ErrorNote error={statistics.error} retry={() => statistics.refetch()} />
      )}
      {groups?.length === 0 && <Nothing />}
      {!groups && !statistics.error && <WaitingRows />}
      <Stack gap={0} component="ul" className="plain-list">
        {shown?.map(group => (
          <GroupRow key={group.type} group={group} most={most} />
        ))}
      </Stack>
      {groups && groups.length > FIRST && (
        <Button size="compact-sm" variant="subtle" mt="xs" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show ${count(groups.length - FIRST)} more`}
        </Button>
      )}
    </Card>
  )
}

function Nothing() {
  const some = useSomeEvents()
  return (
    <Text size="sm" c="dimmed">
      {some === false ? 'Nothing yet.' : 'Nothing.'} {some && 'Choose a longer span above.'}
    </Text>
  )
}

/** As tall as what comes, so that the list below stays where it is. */
function WaitingRows() {
  return (
    <>
      {Array.from({ length: FIRST }, (_, i) => (
        <div key={i} className="group-row">
          <Skeleton className="group-name">&nbsp;</Skeleton>
          <span className="group-track" />
        </div>
      ))}
      <Space h={36} />
    </>
  )
}

/** As it was read: another may have been chosen since. */
const groupingOf = ({ department, source }: Group): Grouping =>
  department !== undefined ? 'department' : source !== undefined ? 'source' : 'type'

type RowProps = { group: Group; most: number }

function GroupRow({ group, most }: RowProps) {
  const grouping = groupingOf(group)
  const { type: value, count: events, affected_employees, average_impact } = group
  const people = plural(affected_employees, 'person', 'people')
  const name = grouping === 'department' ? departmentName(value) : spelt(value)
  return (
    <li>
      <GroupLink value={value} grouping={grouping}>
        <span className="group-name" title={name}>
          {name}
        </span>
        <Tooltip label={`${plural(events, 'event')} about ${people}`}>
          <span className="group-track" aria-hidden="true">
            <span className="group-bar" style={{ width: `${(events / most) * 100}%` }} />
          </span>
        </Tooltip>
        <span className="number group-count">{count(events)}</span>
        <Text span size="sm" c="dimmed" className="group-people number">
          {people}
        </Text>
        <span className="group-effect">
          <Change value={average_impact} digits={1} />
        </span>
      </GroupLink>
    </li>
  )
}

type LinkProps = { value: string; grouping: Grouping; children: ReactNode }

/** A type or source narrows the list below; a department leads to its people. */
function GroupLink({ value, grouping, children }: LinkProps) {
  const [address] = useAddress()
  if (grouping === 'department') {
    return (
      <Link to="/employees" search={{ department: value }} className="group-row">
        {children}
      </Link>
    )
  }
  const chosen = address[grouping] === value
  return (
    <Link
      to="/events"
      search={{ ...address, page: undefined, [grouping]: chosen ? undefined : value }}
      className="group-row"
      data-chosen={chosen || undefined}
      resetScroll={false}
    >
      {children}
    </Link>
  )
}
