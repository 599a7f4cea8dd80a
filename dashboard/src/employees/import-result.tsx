// How far an import has come, and who did not come in: by line, and all of them as a file.
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CsvButton, type CsvColumns } from '../ui/csv-button.tsx'
import { count, plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import type { LineLeft, LineOutcome } from './import-people.ts'

const SHOWN = 200

const LEFT: CsvColumns<LineLeft> = {
  line: ({ line }) => line,
  email: ({ email }) => email,
  why: ({ why }) => why,
}

type Props = {
  outcomes: readonly LineOutcome[]
  total: number
  running: boolean
  /** Why it stopped by itself. */
  halt: string | null
  onStop: () => void
  /** Null: they may not. */
  onGoOn: (() => void) | null
}

function sayCounts(outcomes: readonly LineOutcome[], total: number): string {
  const having = (kind: LineOutcome['kind']) => outcomes.filter(one => one.kind === kind).length
  const parts = [`${plural(having('created'), 'person', 'people')} created`]
  // Whoever sends a file once more to bring in the rest has done nothing wrong.
  if (having('present') > 0) parts.push(`${count(having('present'))} already there`)
  parts.push(`${count(having('refused'))} refused`)
  return `${parts.join(', ')}, of ${count(total)}`
}

export function Result({ outcomes, total, running, halt, onStop, onGoOn }: Props) {
  const left = outcomes.filter(one => one.kind !== 'created').toSorted((a, b) => a.line - b.line)
  const wrong = left.filter(one => one.kind !== 'present')
  const stopped = outcomes.length < total
  return (
    <Card
      title={running ? 'Importing' : stopped ? 'Stopped' : 'Done'}
      about={sayCounts(outcomes, total)}
      action={
        running ? (
          <Button variant="default" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Group gap="xs">
            {left.length > 0 && <CsvButton name="lines-left-out" rows={left} columns={LEFT} />}
            <Button component={Link} to="/employees" variant={stopped ? 'default' : 'filled'}>
              To the list
            </Button>
            {stopped && onGoOn && <Button onClick={onGoOn}>Go on</Button>}
          </Group>
        )
      }
    >
      <Progress
        value={total === 0 ? 100 : (outcomes.length / total) * 100}
        aria-label="Progress of the import"
        transitionDuration={100}
      />
      {halt && (
        <Alert variant="light" color="indigo" mt="md" role="status">
          {halt}
        </Alert>
      )}
      {wrong.length > 0 && <Wrong lines={wrong} />}
    </Card>
  )
}

function Wrong({ lines }: { lines: readonly LineLeft[] }) {
  return (
    <>
      <Stack gap={4} mt="md" component="ul" className="plain-list">
        {lines.slice(0, SHOWN).map(one => (
          <Text key={one.line} size="sm" component="li">
            <b className="number">Line {one.line}</b> {one.email}{' '}
            <span className="bad">✖ {one.why}</span>
          </Text>
        ))}
      </Stack>
      {lines.length > SHOWN && (
        <Text size="sm" c="dimmed" mt="sm">
          and {plural(lines.length - SHOWN, 'more line')}
        </Text>
      )}
    </>
  )
}
