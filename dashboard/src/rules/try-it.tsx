// The dry run beside the rule: what it would have done, before anything is saved.
import { Button, Group, Paper, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { oneOf, useAddress } from '../app/address.ts'
import { type CallError, call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import { serviceNow } from '../app/service-clock.ts'
import { useEdges } from '../app/settings.ts'
import type { DraftDryRun, ScoreSummary } from '../generated/api.ts'
import { BANDS, type BandEdges, bandAt } from '../ui/bands.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { count, plural, signed } from '../ui/numbers.ts'
import { type BandCounts, Outlook } from '../ui/outlook.tsx'
import { scoresOf } from '../ui/score-shift.tsx'
import type { WrittenRule } from './rule-draft.ts'
import './rules.css'

const WINDOWS = ['7d', '30d', '90d'] as const
type Window = (typeof WINDOWS)[number]

type Props = {
  /** Null while it has faults. */
  rule: WrittenRule | null
  /** The saved rule it stands in for. */
  replaces?: string
}

type Tried = { outcome: DraftDryRun; key: string; window: Window }

export function TryIt({ rule, replaces }: Props) {
  const [address, change] = useAddress()
  const window = oneOf(address.window, WINDOWS) ?? '30d'
  const key = JSON.stringify([rule, window])
  const trial = useMutation<Tried, CallError>({
    mutationFn: async () => ({ outcome: await tryRule(rule!, replaces, window), key, window }),
  })
  return (
    <Paper component="section" className="try-it" aria-label="Try it">
      <Group justify="space-between" gap="xs" mb="sm">
        <div>
          <Title order={2}>Try it</Title>
          <Text size="sm" c="dimmed">
            On the events of the past; nothing is saved
          </Text>
        </div>
        <SegmentedControl
          size="xs"
          aria-label="Events of the last"
          data={WINDOWS.map(value => ({ value, label: value.replace('d', ' d') }))}
          value={window}
          onChange={value => change({ window: value }, true)}
          transitionDuration={100}
        />
      </Group>
      <Button
        fullWidth
        variant={trial.data?.key === key ? 'default' : 'outline'}
        disabled={rule === null}
        loading={trial.isPending}
        onClick={() => trial.mutate()}
        leftSection={<Icon name="overview" size={16} />}
      >
        {trial.data ? 'Try again' : 'Try it'}
      </Button>
      <p className="sr-only" role="status">
        {trial.data && !trial.isPending && sayOutcome(trial.data.outcome)}
      </p>
      <Stack gap="lg" mt="md">
        {trial.error && <ErrorNote error={trial.error} />}
        {trial.isPending && <Skeleton h={260} />}
        {trial.data && !trial.isPending && (
          <Outcome tried={trial.data} stale={trial.data.key !== key} />
        )}
      </Stack>
    </Paper>
  )
}

function tryRule(rule: WrittenRule, replaces: string | undefined, window: Window) {
  const days = Number(window.slice(0, -1))
  const from = new Date(serviceNow() - days * 86_400_000).toISOString()
  const body = { ...rule, ...(replaces ? { replaces } : {}) }
  return call('POST /v1/rules/test', { query: { from }, body })
}

/** What is heard at once; the rest is read as one goes on. */
function sayOutcome({ events_matched, employees_affected, average_impact }: DraftDryRun): string {
  const fires = `Tried: it fires ${plural(events_matched, 'time')}`
  if (employees_affected === 0) return `${fires}, no score would differ`
  return `${fires}, ${plural(employees_affected, 'person', 'people')} concerned, ${signed(average_impact, 1)} on average`
}

function Outcome({ tried, stale }: { tried: Tried; stale: boolean }) {
  const { outcome, window } = tried
  return (
    <div className="try-outcome" data-stale={stale || undefined}>
      {stale && (
        <Text size="sm" mb="sm" className="try-stale">
          The rule has changed since. Try again.
        </Text>
      )}
      <div className="try-figures">
        <Amount label="times it fires" value={count(outcome.events_matched)} />
        <Amount label="people concerned" value={count(outcome.employees_affected)} />
        <Amount label="on average" value={signed(outcome.average_impact, 1)} />
      </div>
      {outcome.employees_affected === 0 ? (
        <Text size="sm" c="dimmed" mt="md">
          It fires on nothing in the last {window.replace('d', '')} days, so no score would differ.
        </Text>
      ) : (
        <Shift outcome={outcome} />
      )}
    </div>
  )
}

/** The company's bands now, and once those who would move have moved. */
function Shift({ outcome }: { outcome: DraftDryRun }) {
  const edges = useEdges()
  const summary = useRead('GET /v1/scores/summary')
  const { data } = summary
  return (
    <KeptList read={summary}>
      {data ? (
        <Outlook spread="everyone" bands={shiftBands(data, outcome, edges)} outcome={outcome} />
      ) : (
        <Skeleton h={200} />
      )}
    </KeptList>
  )
}

function Amount({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <div className="try-number number">{value}</div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
    </div>
  )
}

function shiftBands(now: ScoreSummary, outcome: DraftDryRun, edges: BandEdges): BandCounts {
  const bands = now.band_distribution
  const before = Object.fromEntries(BANDS.map(band => [band, bands[band].count]))
  const after = { ...before }
  const scores = scoresOf(outcome)
  for (let score = 0; score <= 100; score++) {
    after[bandAt(score, edges)]! += scores.after[score]! - scores.before[score]!
  }
  return { before, after } as BandCounts
}
