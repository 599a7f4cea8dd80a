// Who needs attention first, how fast it went, and what weighs most; the columns' heads choose what is worst.
import { Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { oneOf, useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import { fullName, hasTwin } from '../employees/names.ts'
import type { TopRisks } from '../generated/api.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { Change } from '../ui/change.tsx'
import { CsvButton, type CsvColumns } from '../ui/csv-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { Card } from '../ui/page.tsx'
import { type Names, useNames } from '../ui/use-names.ts'
import './scores.css'

type Risk = TopRisks['data'][number]

const nameOf = ({ employee_id, email }: Risk, names: Names): string =>
  names.get(employee_id) || fullName({ first_name: '', last_name: '', email })

const columnsOf = (names: Names): Column<Risk>[] => [
  {
    key: 'name',
    title: 'Person',
    render: risk => (
      <>
        <Link
          to="/employees/$id"
          params={{ id: risk.employee_id }}
          className="plain-link strong nowrap"
          // A name written from right to left is cut at its end too.
          dir="auto"
          title={nameOf(risk, names)}
        >
          {nameOf(risk, names)}
        </Link>
        {hasTwin(names, risk.employee_id) && <div className="under">{risk.email}</div>}
      </>
    ),
  },
  {
    key: 'score',
    title: 'Score',
    sort: 'lowest_score',
    render: risk => <BandBadge band={risk.band} score={risk.score} />,
  },
  {
    key: 'change',
    title: 'In 30 days',
    sort: 'biggest_drop',
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
        <code className="event-type clip" title={risk.top_risk_factor}>
          {risk.top_risk_factor}
        </code>
      ),
  },
]

const SORTS = ['lowest_score', 'biggest_drop'] as const
const SHOWN = 8
const MOST = 100

const CSV: CsvColumns<Risk> = {
  employee_id: risk => risk.employee_id,
  email: risk => risk.email,
  score: risk => risk.score,
  band: risk => risk.band,
  score_change_30d: risk => risk.score_change_30d,
  top_risk_factor: risk => risk.top_risk_factor,
}

export function TopRisksCard({ department }: { department: string | undefined }) {
  const [address, change] = useAddress()
  const sort = oneOf(address.risks, SORTS) ?? 'lowest_score'
  const query = { sort, department }
  const risks = useRead(
    'GET /v1/scores/top-risks',
    { query: { ...query, limit: SHOWN } },
    { placeholderData: before => before },
  )
  const rows = risks.data?.data
  const names = useNames((rows ?? []).map(risk => risk.employee_id))
  const navigate = useNavigate()
  const read = async () => {
    const { data } = await call('GET /v1/scores/top-risks', { query: { ...query, limit: MOST } })
    return { data, pagination: { total: data.length, total_pages: 1 } }
  }
  return (
    <Card
      flush
      title="Top risks"
      about={sort === 'lowest_score' ? 'The lowest scores' : 'The biggest drops in 30 days'}
      action={
        <CsvButton
          size="xs"
          name="top-risks"
          columns={CSV}
          total={rows?.length}
          keyOf={risk => risk.employee_id}
          read={read}
        />
      }
    >
      <KeptList read={risks}>
        <div className="top-risks">
          <DataTable
            label="Top risks"
            columns={columnsOf(names)}
            rows={rows}
            rowKey={risk => risk.employee_id}
            sorting={{ by: sort, order: 'asc' }}
            onSort={({ by }) => change({ risks: by })}
            onOpen={risk => navigate({ to: '/employees/$id', params: { id: risk.employee_id } })}
            empty={
              <EmptyState bare icon="employees" title="Nobody yet">
                <Text size="sm">
                  {department === undefined
                    ? 'People appear here once they are imported.'
                    : 'No active person is in this department.'}
                </Text>
              </EmptyState>
            }
          />
        </div>
      </KeptList>
    </Card>
  )
}
