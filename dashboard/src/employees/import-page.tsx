// Brings people in from a CSV file: a preview, what is wrong line by line, then progress with counts.
import { Alert, Button, FileButton } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { refresh } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { BackTo } from '../ui/back-to.tsx'
import { printCsv, saveFile } from '../ui/csv.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icons.tsx'
import { MayNot } from '../ui/may-not.tsx'
import { Page } from '../ui/page.tsx'
import { sentence } from '../ui/sentence.ts'
import { type Stake, useStayHere } from '../ui/use-stay-here.ts'
import { importPeople, type LineOutcome } from './import-people.ts'
import { Preview } from './import-preview.tsx'
import { Result } from './import-result.tsx'
import { type ReadFile, readPeople, refuseFile } from './read-people.ts'

const HEAD = [
  'email',
  'first_name',
  'last_name',
  'department',
  'title',
  'location',
  'manager_email',
]

/** The lines are in this window alone: nobody else could go on with them. */
const IMPORTING: Stake = {
  title: 'Leave while people are imported?',
  action: 'Stop and leave',
  words:
    'The import stops here. Who is in already stays; import the same file again for the others.',
  within: 'page',
}

function MayNotImport() {
  const back = { to: '/employees', label: 'To the employees' } as const
  return (
    <MayNot page="Import people" icon="upload" title="Your role may not import people" back={back}>
      An owner or an admin of this organization can.
    </MayNot>
  )
}

export function ImportPage() {
  const may = useMay('employees:write')
  const [file, setFile] = useState<ReadFile | null>(null)
  const [outcomes, setOutcomes] = useState<readonly LineOutcome[] | null>(null)
  const [running, setRunning] = useState(false)
  const [halt, setHalt] = useState<string | null>(null)
  const stop = useRef(new AbortController())
  useStayHere(running, IMPORTING)
  useEffect(() => () => stop.current.abort(), [])
  const good = file?.lines.filter(line => line.faults.length === 0) ?? []
  const unread = file === null || file.fault !== null
  const take = async (chosen: File) => {
    const read = await readChosen(chosen)
    setOutcomes(null)
    setFile(read)
  }
  const run = async () => {
    stop.current = new AbortController()
    setRunning(true)
    // What was stopped goes on with the lines that are left.
    const before = outcomes ?? []
    const done = new Set(before.map(({ line }) => line))
    const rest = good.filter(({ line }) => !done.has(line))
    setOutcomes(before)
    setHalt(null)
    setHalt(
      await importPeople(rest, since => setOutcomes([...before, ...since]), stop.current.signal),
    )
    setRunning(false)
    refresh('/v1/employees', '/v1/scores')
  }
  // Whoever loses the right meanwhile still sees who came in.
  if (!may && outcomes === null) return <MayNotImport />
  return (
    <Page
      title="Import people"
      state="A CSV file whose first line names the columns; who is there already is left as is"
      above={<BackTo list="/employees" />}
      actions={<ChooseFile first={unread} disabled={running || !may} onChoose={take} />}
    >
      {file?.fault && (
        <Alert color="red" title="This file cannot be read" role="alert">
          {sentence(file.fault)}
        </Alert>
      )}
      {unread && <Nothing />}
      {!unread && (
        <div data-unsaved>
          {outcomes === null ? (
            <Preview file={file} good={good.length} onRun={run} />
          ) : (
            <Result
              outcomes={outcomes}
              total={good.length}
              running={running}
              halt={halt}
              onStop={() => stop.current.abort()}
              onGoOn={may ? run : null}
            />
          )}
        </div>
      )}
    </Page>
  )
}

/** Far more than so many people need: a film chosen by mistake would hold the page for long. */
const MOST_BYTES = 20_000_000

async function readChosen(chosen: File): Promise<ReadFile> {
  if (chosen.size > MOST_BYTES) return refuseFile('it is larger than 20 MB: is it the right one?')
  try {
    return readPeople(await chosen.text())
  } catch {
    return refuseFile('the browser was not let in: is it open elsewhere, moved or not downloaded?')
  }
}

type ChooseProps = { first: boolean; disabled: boolean; onChoose: (file: File) => Promise<void> }

function ChooseFile({ first, disabled, onChoose }: ChooseProps) {
  const forget = useRef<() => void>(null)
  const take = async (chosen: File | null) => {
    if (chosen) await onChoose(chosen)
    // The same file may be chosen again once it is corrected.
    forget.current?.()
  }
  return (
    <FileButton
      onChange={take}
      resetRef={forget}
      accept=".csv,text/csv,text/plain"
      disabled={disabled}
    >
      {props => (
        <Button
          {...props}
          disabled={disabled}
          variant={first ? 'filled' : 'default'}
          leftSection={<Icon name="upload" size={16} />}
        >
          Choose a file
        </Button>
      )}
    </FileButton>
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
