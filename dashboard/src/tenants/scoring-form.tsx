// How scores move: where people start, how fast events fade, how much good deeds can add.
import { Button, Group, NumberInput, SimpleGrid, Text } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../app/settings.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { Card } from '../ui/page.tsx'
import { showToast } from '../ui/toasts.ts'
import { useStayHere } from '../ui/use-stay-here.ts'
import { changeSettings } from './change-settings.ts'
import { NO_NUMBER, readTyped, type Typed } from './typed-numbers.ts'
import { useSaving } from './use-saving.ts'

const FIELDS = [
  {
    name: 'starting_score',
    label: 'Starting score',
    about: 'What a person without events has',
    least: 0,
    most: 100,
    suffix: '',
  },
  {
    name: 'recovery_cap',
    label: 'Recovery cap',
    about: 'The most that good deeds add; start and cap make at most 100',
    least: 0,
    most: 100,
    suffix: '',
  },
  {
    name: 'half_life_days',
    label: 'Half-life',
    about: 'After so long half of an event’s weight is gone',
    least: 1,
    most: 3650,
    suffix: ' days',
  },
  {
    name: 'clean_streak_days',
    label: 'Clean streak',
    about: 'So long without a negative event earns a reward',
    least: 1,
    most: 365,
    suffix: ' days',
  },
] as const

type Name = (typeof FIELDS)[number]['name']
const NAMES = FIELDS.map(({ name }) => name)

export function ScoringForm({ settings, may }: { settings: Settings; may: boolean }) {
  const [draft, setDraft] = useState<Partial<Record<Name, Typed>>>({})
  const [asking, setAsking] = useState(false)
  const [saving, whileSaving] = useSaving()
  const { typed, values, changed, faults } = readTyped(NAMES, settings, draft)
  const changes = FIELDS.filter(({ name }) => changed.includes(name))
  useStayHere(changed.length > 0 && !saving)
  const save = async () => {
    const wanted = Object.fromEntries(changes.map(({ name }) => [name, values[name]]))
    await whileSaving(changeSettings(wanted))
    setDraft({})
    showToast('The settings are changed; everyone is being recalculated')
  }
  const tooMuch = values.starting_score + values.recovery_cap > 100
  return (
    <Card title="Scoring" about="One model scores everyone; these are its numbers">
      <form
        onSubmit={event => {
          event.preventDefault()
          setAsking(true)
        }}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          {FIELDS.map(({ name, label, about, least, most, suffix }) => (
            <NumberInput
              key={name}
              label={label}
              description={about}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={typed[name]}
              min={least}
              max={most}
              suffix={suffix}
              allowDecimal={false}
              readOnly={!may}
              error={
                (faults.includes(name) && NO_NUMBER) ||
                (name === 'recovery_cap' && tooMuch && 'Start and cap pass 100')
              }
              onChange={value => setDraft({ ...draft, [name]: value })}
            />
          ))}
        </SimpleGrid>
        {may && (
          <SaveRow
            changed={changes.length > 0}
            disabled={tooMuch || faults.length > 0}
            onUndo={() => setDraft({})}
          />
        )}
      </form>
      <ConfirmByName
        opened={asking}
        title="Change how everyone is scored?"
        name={null}
        action="Change and recalculate"
        onClose={() => setAsking(false)}
        onConfirm={save}
      >
        <Changes changes={changes} before={settings} after={values} />
        <Text size="sm" mt="xs">
          Everyone is recalculated in the background. The past stays as it was recorded.
        </Text>
      </ConfirmByName>
    </Card>
  )
}

type Numbers = Readonly<Record<Name, number>>
type ChangesProps = { changes: readonly (typeof FIELDS)[number][]; before: Numbers; after: Numbers }

function Changes({ changes, before, after }: ChangesProps) {
  return changes.map(({ name, label, suffix }) => (
    <Text key={name} size="sm">
      {label}: {before[name]} → <b>{after[name]}</b>
      {suffix}
    </Text>
  ))
}

type SaveProps = { changed: boolean; disabled: boolean; onUndo: () => void }

function SaveRow({ changed, disabled, onUndo }: SaveProps) {
  return (
    <Group justify="flex-end" mt="md" gap="xs">
      {changed && (
        <Button variant="default" onClick={onUndo}>
          Undo
        </Button>
      )}
      <Button type="submit" disabled={!changed || disabled}>
        Save the scoring
      </Button>
    </Group>
  )
}
