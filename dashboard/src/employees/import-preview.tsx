// What a CSV file would bring in, before anything is saved: the lines with errors first.
import { Button, Group, Paper, Text } from '@mantine/core'
import { CsvButton, type CsvColumns } from '../ui/csv-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { plural } from '../ui/numbers.ts'
import { type SortKeys, useSorted } from '../ui/sort-rows.ts'
import type { ReadFile, ReadLine } from './read-people.ts'

const SHOWN = 50

const COLUMNS: readonly Column<ReadLine>[] = [
  {
    key: 'line',
    title: 'Line',
    sort: 'line',
    width: 70,
    render: ({ line }) => <span className="number">{line}</span>,
  },
  {
    key: 'name',
    title: 'Person',
    sort: 'name',
    render: ({ person }) => (
      <>
        <span className="strong">
          {person.first_name} {person.last_name}
        </span>
        <div className="under">{person.email}</div>
      </>
    ),
  },
  {
    key: 'department',
    title: 'Department',
    sort: 'department',
    wide: true,
    render: ({ person }) => person.department ?? '',
  },
  {
    key: 'faults',
    title: 'Check',
    sort: 'faults',
    render: ({ faults }) =>
      faults.length === 0 ? (
        <span className="good">✓ ready</span>
      ) : (
        <span className="bad">✖ {faults.join('; ')}</span>
      ),
  },
]

const SORTS: SortKeys<ReadLine> = {
  line: ({ line }) => line,
  name: ({ person }) => `${person.last_name} ${person.first_name}`,
  department: ({ person }) => person.department,
  faults: ({ faults }) => faults.join('; '),
}

/** With all that was read, so that they can be put right there and imported. */
const BAD_LINES: CsvColumns<ReadLine> = {
  line: ({ line }) => line,
  email: ({ person }) => person.email,
  first_name: ({ person }) => person.first_name,
  last_name: ({ person }) => person.last_name,
  department: ({ person }) => person.department,
  title: ({ person }) => person.title,
  location: ({ person }) => person.location,
  manager_email: ({ person }) => person.manager_email,
  errors: ({ faults }) => faults.join('; '),
}

type PreviewProps = { file: ReadFile; good: number; onRun: () => void }

export function Preview({ file, good, onRun }: PreviewProps) {
  const bad = file.lines.filter(line => line.faults.length > 0)
  const sorted = useSorted([...bad, ...file.lines.filter(line => line.faults.length === 0)], SORTS)
  return (
    <Paper p={0}>
      <Group justify="space-between" p="lg">
        <div>
          <Text fw={600}>
            {plural(good, 'person', 'people')} ready
            {bad.length > 0 && (
              <span className="bad">, {plural(bad.length, 'line')} with errors</span>
            )}
          </Text>
          <Text size="sm" c="dimmed">
            {bad.length > 0 ? 'Lines with errors are left out; they stand first below. ' : ''}
            {file.ignored.length > 0 && `Columns left out: ${file.ignored.join(', ')}.`}
          </Text>
        </div>
        <Group gap="xs">
          <CsvButton name="lines-with-errors" rows={bad} columns={BAD_LINES} />
          <Button onClick={onRun} disabled={good === 0}>
            Import {plural(good, 'person', 'people')}
          </Button>
        </Group>
      </Group>
      <DataTable
        label="Preview"
        columns={COLUMNS}
        {...sorted}
        rows={sorted.rows?.slice(0, SHOWN)}
        rowKey={({ line }) => String(line)}
      />
      {file.lines.length > SHOWN && (
        <Text size="sm" c="dimmed" p="lg">
          and {plural(file.lines.length - SHOWN, 'more line')}
        </Text>
      )}
    </Paper>
  )
}
