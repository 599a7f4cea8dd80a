// How the organization is set up: scoring, bands, how long events are kept, second factor, keys of people
// who leave, plan and its use.
import { Grid, Skeleton, Stack, Text } from '@mantine/core'
import { useMay } from '../app/session.ts'
import { type Settings, useSettings } from '../app/settings.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Page, tellState } from '../ui/page.tsx'
import { BandsForm } from './bands-form.tsx'
import { JobsCard } from './jobs-card.tsx'
import { LeaverKeysCard } from './leaver-keys-card.tsx'
import { PlanCard } from './plan-card.tsx'
import { RetentionCard } from './retention-card.tsx'
import { ScoringForm } from './scoring-form.tsx'
import { SecondFactorCard } from './second-factor-card.tsx'

export function SettingsPage() {
  const settings = useSettings()
  const { data, error } = settings
  return (
    <Page title="Settings" state={tellState(settings, sayState)}>
      {error && <ErrorNote error={error} retry={() => settings.refetch()} />}
      {data ? <Cards settings={data} /> : !error && <Waiting />}
    </Page>
  )
}

function sayState({ name, starting_score, half_life_days, retention_months }: Settings): string {
  return (
    `${name}: everyone starts at ${starting_score}, half of an event's weight is gone after ` +
    `${half_life_days} days, events are kept ${retention_months} months`
  )
}

function Cards({ settings }: { settings: Settings }) {
  const may = useMay('settings:manage')
  const mayPeople = useMay('users:manage')
  return (
    <>
      {!may && (
        <Text size="sm" c="dimmed">
          Owners and admins change these.
        </Text>
      )}
      <JobsCard jobs={settings.jobs} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <BandsForm settings={settings} may={may} />
            <ScoringForm settings={settings} may={may} />
            <RetentionCard settings={settings} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <PlanCard settings={settings} />
            <SecondFactorCard name={settings.name} may={mayPeople} />
            <LeaverKeysCard settings={settings} may={may} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}

function Waiting() {
  return (
    <Grid gap="lg" aria-busy="true">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Skeleton h={320} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Skeleton h={320} />
      </Grid.Col>
    </Grid>
  )
}
