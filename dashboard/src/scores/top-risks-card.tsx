// Who needs attention first, how fast it went, and what weighs most.
import { SegmentedControl, Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { oneOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import type { TopRisks } from '../generated/api.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { Change } from '../ui/change.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Card } from '../ui/page.tsx'

type Risk = TopRisks['data'][number]

const columnsOf = (names: ReadonlyMap<string, string>): Column<Risk>[] => [
  {
    key: 'name',
    title: 'Person',
    render: risk => (
      <Link
        to="/employees/$id"
        params={{ id: risk.employee_id }}
        className="plain-link strong nowrap"
      >
        {names.get(risk.employee_id) ?? risk.email}
      </Link>
    ),
  },
  {
    key: 'score',
    title: 'Score',
    render: risk => <BandBadge band={risk.band} score={risk.score} />,
  },
  {
    key: 'change',
    title: 'In 30 days',
    align: 'right',
    render: risk => <Change value={risk.score_change_30d} />,
  },
  {
    key: 'factor',
    title: 'Weighs most',
    wide: true,
    render: risk =>
      risk.top_risk_factor === 'none' ? (
        <span className="faint">nothing</span>
      ) : (
        <code className="event-type clip">{risk.top_risk_factor}</code>
      ),
  },
]

export function TopRisksCard() {
  const [address, change] = useAddress()
  const sort = oneOf(address.risks, ['lowest_score', 'biggest_drop']) ?? 'lowest_score'
  const risks = useRead('GET /v1/scores/top-risks', { query: { limit: 8, sort } })
  const names = useNames()
  const navigate = useNavigate()
  return (
    <Card
      flush
      title="Top risks"
      about="Who needs attention first"
      action={
        <SegmentedControl
          size="xs"
          aria-label="What is worst"
          value={sort}
          onChange={value => change({ risks: value })}
          data={[
            { value: 'lowest_score', label: 'Lowest' },
            { value: 'biggest_drop', label: 'Biggest drop' },
          ]}
          transitionDuration={100}
        />
      }
    >
      {risks.error ? (
        <ErrorNote error={risks.error} retry={() => risks.refetch()} />
      ) : (
        <DataTable
          label="Top risks"
          columns={columnsOf(names)}
          rows={risks.data?.data}
          rowKey={risk => risk.employee_id}
          onOpen={risk => navigate({ to: '/employees/$id', params: { id: risk.employee_id } })}
          empty={
            <EmptyState bare icon="employees" title="Nobody yet">
              <Text size="sm">People appear here once they are imported.</Text>
            </EmptyState>
          }
        />
      )}
    </Card>
  )
}

/** The view gives addresses only; those with the lowest scores have names we can look up in one go. */
function useNames(): ReadonlyMap<string, string> {
  const lowest = useRead('GET /v1/employees', {
    query: { sort: 'score', order: 'asc', per_page: 50, status: 'active' },
  })
  return new Map(
    (lowest.data?.data ?? []).map(one => [one.id, `${one.first_name} ${one.last_name}`]),
  )
}
