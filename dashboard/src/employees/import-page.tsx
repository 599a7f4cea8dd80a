// Brings people in from a CSV file: a preview, what is wrong line by line, then progress with counts.
import { Alert, Button, FileButton, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { Link, useBlocker } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { refresh } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { printCsv, saveFile } from '../ui/csv.ts'
import { CsvButton, type CsvColumns } from '../ui/csv-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icons.tsx'
import { plural } from '../ui/numbers.ts'
import { Card, Page } from '../ui/page.tsx'
import { type SortKeys, useSorted } from '../ui/sort-rows.ts'
import { importPeople, type LineOutcome } from './import-people.ts'
import { type ReadFile, type ReadLine, readPeople } from './read-people.ts'

const HEAD = [
  'email',
  'first_name',
  'last_name',
  'department',
  'title',
  'location',
  'manager_email',
]
const SHOWN = 50

export function ImportPage() {
  return useMay('employees:write') ? <Import /> : <MayNotImport />
}

function MayNotImport() {
  return (
    <Page title="Import people" state="">
      <EmptyState
        icon="upload"
        title="Your role may not import people"
        action={
          <Button component={Link} to="/employees" variant="default">
            To the employees
          </Button>
        }
      >
        An owner or an admin of this organization can.
      </EmptyState>
    </Page>
  )
}

function Import() {
  const [file, setFile] = useState<ReadFile | null>(null)
  const [outcomes, setOutcomes] = useState<readonly LineOutcome[] | null>(null)
  const [running, setRunning] = useState(false)
  const stop = useRef(false)
  const good = file?.lines.filter(line => line.faults.length === 0) ?? []
  const take = async (chosen: File | null) => {
    if (!chosen) return
    setOutcomes(null)
    setFile(readPeople(await chosen.text()))
  }
  const run = async () => {
    stop.current = false
    setRunning(true)
    setOutcomes([])
    await importPeople(good, setOutcomes, () => stop.current)
    setRunning(false)
    refresh('/v1/employees', '/v1/scores')
  }
  return (
    <Page
      title="Import people"
      state="A CSV file whose first line names the columns; who is there already is left as is"
      above={
        <Link to="/employees" className="small-link">
          ← Employees
        </Link>
      }
      actions={
        <FileButton onChange={take} accept=".csv,text/csv,text/plain" disabled={running}>
          {props => (
            <Button
              {...props}
              variant={file ? 'default' : 'filled'}
              leftSection={<Icon name="upload" size={16} />}
            >
              Choose a file
            </Button>
          )}
        </FileButton>
      }
    >
      {file === null && <Nothing />}
      {file?.fault && (
        <Alert color="red" title="This file cannot be read" role="alert">
          {file.fault}
        </Alert>
      )}
      {outcomes !== null ? (
        <Result
          outcomes={outcomes}
          total={good.length}
          running={running}
          onStop={() => {
            stop.current = true
          }}
        />
      ) : (
        file && !file.fault && <Preview file={file} good={good.length} onRun={run} />
      )}
      <StayHere
        running={running}
        onLeave={() => {
          stop.current = true
        }}
      />
    </Page>
  )
}

/** The lines are in this window alone: nobody else could go on with them. */
function StayHere({ running, onLeave }: { running: boolean; onLeave: () => void }) {
  const leaving = useBlocker({
    shouldBlockFn: () => running,
    disabled: !running,
    withResolver: true,
  })
  return (
    <ConfirmByName
      opened={leaving.status === 'blocked'}
      title="Leave while people are imported?"
      name={null}
      action="Stop and leave"
      onClose={() => leaving.reset?.()}
      onConfirm={async () => {
        onLeave()
        leaving.proceed?.()
      }}
    >
      The import stops here. Who is in already stays; import the same file again for the others.
    </ConfirmByName>
  )
}

function Nothing() {
  return (
    <EmptyState
      icon="upload"
      title="Choose a CSV file"
      action={
        <Button
          variant="default"
          onClick={() => saveFile('people.csv', printCsv(HEAD, [EXAMPLE]))}
          leftSection={<Icon name="download" size={16} />}
        >
          Download an example
        </Button>
      }
    >
      Columns: <b>email</b>, <b>first_name</b>, <b>last_name</b>, and if you like department, title,
      location and manager_email. Nothing is saved before you have seen a preview.
    </EmptyState>
  )
}

const EXAMPLE = [
  'ada@example.com',
  'Ada',
  'Moss',
  'Finance',
  'Accountant',
  'Lisbon',
  'kim@example.com',
]

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

const BAD_LINES: CsvColumns<ReadLine> = {
  line: ({ line }) => line,
  email: ({ person }) => person.email,
  first_name: ({ person }) => person.first_name,
  last_name: ({ person }) => person.last_name,
  errors: ({ faults }) => faults.join('; '),
}

type PreviewProps = { file: ReadFile; good: number; onRun: () => void }

function Preview({ file, good, onRun }: PreviewProps) {
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

type ResultProps = {
  outcomes: readonly LineOutcome[]
  total: number
  running: boolean
  onStop: () => void
}

function Result({ outcomes, total, running, onStop }: ResultProps) {
  const refused = outcomes.filter(one => one.kind === 'refused')
  const created = outcomes.length - refused.length
  return (
    <Card
      title={running ? 'Importing' : 'Done'}
      about={`${plural(created, 'person', 'people')} created, ${refused.length} refused, of ${total}`}
      action={
        running ? (
          <Button variant="default" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button component={Link} to="/employees">
            To the list
          </Button>
        )
      }
    >
      <Progress
        value={total === 0 ? 100 : (outcomes.length / total) * 100}
        aria-label="Progress of the import"
        transitionDuration={100}
      />
      <Stack gap={4} mt="md" component="ul" className="plain-list">
        {refused.slice(0, 200).map(one => (
          <Text key={one.line} size="sm" component="li">
            <b className="number">Line {one.line}</b> {one.email}{' '}
            <span className="bad">✖ {one.kind === 'refused' && one.why}</span>
          </Text>
        ))}
      </Stack>
    </Card>
  )
}
