// Everyone, found by name, department, band or status; in and out by CSV.
import { Button, Menu, Paper } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { type Address, oneOf, pageOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { EmployeeSummary, Operations } from '../generated/api.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { BANDS } from '../ui/bands.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { count, departmentName, plural } from '../ui/numbers.ts'
import { Page } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Sparkline } from '../ui/sparkline.tsx'
import { AddEmployee } from './add-employee.tsx'
import { EmployeeFilters } from './employee-filters.tsx'
import { exportEmployees } from './export-employees.ts'
import { fullName } from './names.ts'
import { useSparklines } from './use-sparklines.ts'

export type EmployeeQuery = Operations['GET /v1/employees']['query']

/** Who has left is out of the way unless asked for. */
function readQuery(address: Address): EmployeeQuery {
  const status =
    address.status === 'all' ? undefined : oneOf(address.status, ['active', 'inactive'])
  return {
    search: address.search || undefined,
    department: address.department,
    band: oneOf(address.band, BANDS),
    status: address.status === 'all' ? undefined : (status ?? 'active'),
    sort: oneOf(address.sort, ['score', 'name', 'last_event']) ?? 'name',
    order: oneOf(address.order, ['asc', 'desc']) ?? 'asc',
    page: pageOf(address),
  }
}

type Lines = ReadonlyMap<string, readonly number[]>

const columnsOf = (lines: Lines): Column<EmployeeSummary>[] => [
  {
    key: 'name',
    title: 'Name',
    sort: 'name',
    render: person => (
      <>
        <Link to="/employees/$id" params={{ id: person.id }} className="plain-link strong">
          {fullName(person)}
        </Link>
        <div className="under one-line">{person.email}</div>
      </>
    ),
  },
  {
    key: 'department',
    title: 'Department',
    wide: true,
    render: person => departmentName(person.department),
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
    wide: true,
    render: person => <RelativeTime at={person.last_event_at} />,
  },
  {
    key: 'status',
    title: 'Status',
    wide: true,
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
  const filtered = !!(query.search || query.band || query.department !== undefined)
  return (
    <Page
      title="Employees"
      state={total === undefined ? undefined : sayState(total, query)}
      actions={<Actions query={query} total={total ?? 0} mayWrite={mayWrite} />}
    >
      <EmployeeFilters />
      {list.error ? (
        <ErrorNote error={list.error} retry={() => list.refetch()} />
      ) : (
        <Paper p={0}>
          <DataTable
            label="Employees"
            columns={columnsOf(lines)}
            rows={list.data?.data}
            rowKey={person => person.id}
            onOpen={person => navigate({ to: '/employees/$id', params: { id: person.id } })}
            sorting={{ by: query.sort!, order: query.order! }}
            onSort={({ by, order }) => change({ sort: by, order })}
            empty={<Nobody filtered={filtered} mayWrite={mayWrite} />}
          />
          <Pager
            pagination={list.data?.pagination}
            onPage={page => change({ page })}
            what="people"
          />
        </Paper>
      )}
    </Page>
  )
}

function sayState(total: number, { status, band, department }: EmployeeQuery): string {
  const who = plural(total, 'person', 'people')
  const words = [status && status === 'inactive' ? 'inactive' : '', band ? `in ${band}` : '']
  if (department !== undefined) words.push(`in ${departmentName(department)}`)
  return [who, ...words.filter(Boolean)].join(' ')
}

type ActionsProps = { query: EmployeeQuery; total: number; mayWrite: boolean }

function Actions({ query, total, mayWrite }: ActionsProps) {
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<Icon name="down" size={14} />}>
            CSV
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {mayWrite && (
            <Menu.Item
              component={Link}
              to="/employees/import"
              leftSection={<Icon name="upload" size={16} />}
            >
              Import people
            </Menu.Item>
          )}
          <Menu.Item
            onClick={() => exportEmployees(query)}
            leftSection={<Icon name="download" size={16} />}
          >
            Export these {count(total)}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {mayWrite && <AddEmployee />}
    </>
  )
}

function Nobody({ filtered, mayWrite }: { filtered: boolean; mayWrite: boolean }) {
  if (filtered) {
    return (
      <EmptyState
        bare
        icon="search"
        title="Nobody fits"
        action={
          <Button component={Link} to="/employees" variant="default">
            Show everyone
          </Button>
        }
      >
        Try fewer filters, or include inactive people.
      </EmptyState>
    )
  }
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
      Scores begin with people. A file with names and email addresses is enough.
    </EmptyState>
  )
}
