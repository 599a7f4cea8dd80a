// When a policy acts: a band is entered, an event happens, or a score drops.
import {
  Autocomplete,
  Checkbox,
  Group,
  Input,
  NumberInput,
  SegmentedControl,
  TextInput,
  useMatches,
} from '@mantine/core'
import { ConditionsField } from '../rules/conditions-field.tsx'
import { useEventTypes } from '../rules/event-fields.ts'
import { conditionsDraftFaults } from '../rules/rule-draft.ts'
import { BAND_LOOK, BANDS, type Band } from '../ui/bands.ts'
import type { PolicyDraft } from './policy-draft.ts'

type Props = { draft: PolicyDraft; onChange: (change: Partial<PolicyDraft>) => void }

const KINDS = [
  { value: 'band_entered', label: 'Falls to a band' },
  { value: 'event', label: 'An event happens' },
  { value: 'score_drop', label: 'Score drops' },
]

export function TriggerFields({ draft, onChange }: Props) {
  // Side by side they do not fit on a phone.
  const orientation = useMatches({ base: 'vertical', xs: 'horizontal' } as const)
  return (
    <>
      <div>
        <Input.Label component="div">When someone</Input.Label>
        <SegmentedControl
          fullWidth
          orientation={orientation}
          aria-label="When someone"
          data={KINDS}
          value={draft.kind}
          onChange={kind => onChange({ kind: kind as PolicyDraft['kind'] })}
          transitionDuration={100}
        />
      </div>
      {draft.kind === 'band_entered' && <BandFields draft={draft} onChange={onChange} />}
      {draft.kind === 'event' && <EventFields draft={draft} onChange={onChange} />}
      {draft.kind === 'score_drop' && <DropFields draft={draft} onChange={onChange} />}
    </>
  )
}

/** Nobody falls to the best band. */
const LOWER = BANDS.filter(band => band !== 'green')

function BandFields({ draft, onChange }: Props) {
  return (
    <Checkbox.Group
      label="Bands"
      value={draft.bands}
      onChange={bands => onChange({ bands: bands as Band[] })}
    >
      <Group mt={6}>
        {LOWER.map(band => (
          <Checkbox
            key={band}
            value={band}
            label={`${BAND_LOOK[band].mark} ${BAND_LOOK[band].label}`}
          />
        ))}
      </Group>
    </Checkbox.Group>
  )
}

function EventFields({ draft, onChange }: Props) {
  const types = useEventTypes()
  const faults = conditionsDraftFaults(draft.conditions)
  return (
    <>
      <Autocomplete
        label="Event type"
        placeholder="sim.credential_submitted"
        data={types}
        limit={20}
        value={draft.event_type}
        onChange={event_type => onChange({ event_type })}
        required
      />
      <ConditionsField
        draft={draft.conditions}
        event_type={draft.event_type}
        faults={faults}
        onChange={conditions => onChange({ conditions })}
      />
    </>
  )
}

function DropFields({ draft, onChange }: Props) {
  return (
    <Group grow align="flex-start">
      <NumberInput
        label="By at least"
        suffix=" points"
        min={1}
        max={100}
        allowDecimal={false}
        value={draft.points}
        onChange={points => onChange({ points })}
      />
      <TextInput
        label="Within"
        placeholder="7d"
        value={draft.within}
        onChange={event => onChange({ within: event.currentTarget.value })}
      />
    </Group>
  )
}
