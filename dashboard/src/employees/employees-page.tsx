// Everyone, found by name, department, band or status; in and out by CSV.
import { Button, Paper, Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { EmployeeSummary } from '../generated/api.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { BAND_LOOK, type Band } from '../ui/bands.ts'
import { CsvButton, type CsvColumns } from '../ui/csv-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icons.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { NothingFits } from '../ui/nothing-fits.tsx'
import { departmentName, plural } from '../ui/numbers.ts'
import { Page, tellState } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Sparkline } from '../ui/sparkline.tsx'
import { AddEmployee } from './add-employee.tsx'
import { EmployeeFilters } from './employee-filters.tsx'
import { type EmployeeQuery, narrows, readQuery } from './employee-query.ts'
import { fullName, isErased } from './names.ts'
import { useSparklines } from './use-sparklines.ts'
import './employees.css'
import { apart } from '../ui/sentence.ts'

type Lines = ReadonlyMap<string, readonly number[]>

const columnsOf = (lines: Lines): Column<EmployeeSummary>[] => [
  {
    key: 'name',
    title: 'Name',
    lines: 2,
    sort: 'name',
    render: person => (
      <>
        <Link
          to="/employees/$id"
          params={{ id: person.id }}
          className="plain-link strong own-name"
          title={fullName(person)}
        >
          <bdi className="three-lines">{fullName(person)}</bdi>
        </Link>
        {!isErased(person) && (
          <div className="under one-line own-name" title={person.email}>
            {person.email}
          </div>
        )}
        {person.status === 'inactive' && (
          <Text size="xs" c="dimmed" hiddenFrom="lg">
            Inactive
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'department',
    title: 'Department',
    sort: 'department',
    wide: true,
    render: person => (
      <div className="one-line own-department" title={departmentName(person.department)}>
        {departmentName(person.department)}
      </div>
    ),
  },
  {
    key: 'score',
    title: 'Score',
    sort: 'score',
    render: person => <BandBadge band={person.band} score={person.score} />,
  },
  {
    key: 'line',
    title: '30 days',
    wide: true,
    render: person => (
      <Sparkline scores={lines.get(person.id)} label={`Score of ${fullName(person)}`} />
    ),
  },
  {
    key: 'last',
    title: 'Last event',
    sort: 'last_event',
    wide: 'lg',
    render: person => <RelativeTime at={person.last_event_at} />,
  },
  {
    key: 'status',
    title: 'Status',
    wide: 'lg',
    render: person =>
      person.status === 'active' ? 'Active' : <span className="faint">Inactive</span>,
  },
]

export function EmployeesPage() {
  const [address, change] = useAddress()
  const navigate = useNavigate()
  const query = readQuery(address)
  const list = useRead('GET /v1/employees', { query }, { placeholderData: before => before })
  const lines = useSparklines((list.data?.data ?? []).map(person => person.id))
  const total = list.data?.pagination.total
  const mayWrite = useMay('employees:write')
  return (
    <Page
      title="Employees"
      state={tellState(list, ({ pagination }) => sayState(pagination.total, query))}
      actions={<Actions query={query} total={total} mayWrite={mayWrite} />}
    >
      <EmployeeFilters />
      <KeptList read={list}>
        <Paper p={0}>
          <PagedTable
            label="Employees"
            columns={columnsOf(lines)}
            list={list.data}
            rowKey={person => person.id}
            onOpen={person => navigate({ to: '/employees/$id', params: { id: person.id } })}
            sorting={{ by: query.sort!, order: query.order! }}
            onSort={({ by, order }) => change({ sort: by, order })}
            empty={<Nobody filtered={narrows(address)} mayWrite={mayWrite} />}
            onPage={page => change({ page })}
            what={['person', 'people']}
          />
        </Paper>
      </KeptList>
    </Page>
  )
}

function sayState(total: number, query: EmployeeQuery): string {
  const { status, bands, department, min_score, max_score } = query
  const who = plural(total, 'person', 'people')
  const named = (bands ?? '').split(',').map(band => BAND_LOOK[band as Band]?.label.toLowerCase())
  const words = [status === 'inactive' ? 'inactive' : '', bands ? `in ${named.join(' or ')}` : '']
  if (min_score !== undefined || max_score !== undefined) {
    words.push(`with a score of ${min_score ?? 0} to ${max_score ?? 100}`)
  }
  if (department !== undefined) words.push(`in ${apart(departmentName(department))}`)
  return [who, ...words.filter(Boolean)].join(' ')
}

const CSV: CsvColumns<EmployeeSummary> = {
  id: person => person.id,
  email: person => person.email,
  first_name: person => person.first_name,
  last_name: person => person.last_name,
  department: person => person.department,
  manager_email: person => person.manager_email,
  score: person => person.score,
  band: person => person.band,
  status: person => person.status,
  last_event_at: person => person.last_event_at,
  created_at: person => person.created_at,
}

type ActionsProps = { query: EmployeeQuery; total: number | undefined; mayWrite: boolean }

function Actions({ query, total, mayWrite }: ActionsProps) {
  return (
    <>
      <CsvButton
        name="employees"
        columns={CSV}
        total={total}
        keyOf={person => person.id}
        read={at => call('GET /v1/employees', { query: { ...query, ...at } })}
      />
      {mayWrite && (
        <>
          <Button
            component={Link}
            to="/employees/import"
            variant="default"
            leftSection={<Icon name="upload" size={16} />}
          >
            Import
          </Button>
          <AddEmployee />
        </>
      )}
    </>
  )
}

function NobodyActive() {
  return (
    <EmptyState
      bare
      icon="employees"
      title="Nobody is active"
      action={
        <Button
          variant="default"
          renderRoot={props => <Link {...props} to="/employees" search={{ status: 'all' }} />}
        >
          Show inactive people
        </Button>
      }
    >
      Inactive people keep their score as it was and count nowhere.
    </EmptyState>
  )
}

function Nobody({ filtered, mayWrite }: { filtered: boolean; mayWrite: boolean }) {
  const anybody = useRead('GET /v1/employees', { query: { per_page: 1 } }, { enabled: !filtered })
  if (filtered) {
    return (
      <NothingFits title="Nobody fits" all={{ to: '/employees', label: 'Show everyone' }}>
        Try fewer filters, or look at active and inactive people.
      </NothingFits>
    )
  }
  if (anybody.data?.pagination.total) return <NobodyActive />
  return (
    <EmptyState
      bare
      icon="employees"
      title="No people yet"
      action={
        mayWrite && (
          <Button component={Link} to="/employees/import">
            Import a CSV file
          </Button>
        )
      }
    >
      {mayWrite
        ? 'Scores begin with people. A file with names and email addresses is enough.'
        : 'Scores begin with people. An owner or an admin of this organization can add them.'}
    </EmptyState>
  )
}
