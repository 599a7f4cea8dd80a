// A rule's sentence as a form: each part of it is a line one fills in.
import {
  Autocomplete,
  Checkbox,
  Collapse,
  Group,
  NumberInput,
  Select,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Fault } from '../../../scoring/faults.ts'
import type { RowFault } from './condition-rows.ts'
import { ConditionsField } from './conditions-field.tsx'
import { useEventTypes } from './event-fields.ts'
import { categoriesOf, categoryOf, type RuleDraft } from './rule-draft.ts'
import { CATEGORY_NAMES, UNITS, type Unit } from './rule-words.ts'
import './rules.css'

type Props = {
  draft: RuleDraft
  faults: readonly (Fault | RowFault)[]
  onChange: (change: Partial<RuleDraft>) => void
}

export function RuleForm({ draft, faults, onChange }: Props) {
  const fault = (path: string) => faults.find(one => one.path === path)?.message
  return (
    <Stack gap="md">
      <TextInput
        label="Name"
        placeholder="Simulated phishing link clicked"
        value={draft.name}
        onChange={event => onChange({ name: event.currentTarget.value })}
        maxLength={200}
        error={draft.name !== '' && fault('name')}
        data-autofocus
      />
      <Line word="When">
        <TypeField draft={draft} fault={fault('event_type')} onChange={onChange} />
      </Line>
      <Line word="and">
        <ConditionsField
          draft={draft.conditions}
          event_type={draft.event_type}
          faults={faults.filter(one => one.path.startsWith('conditions'))}
          onChange={conditions => onChange({ conditions })}
        />
      </Line>
      <Line word="then">
        <NumberInput
          aria-label="Change of the score"
          description="Change of the score, −100 to 100"
          inputWrapperOrder={['input', 'description', 'error']}
          className="number-field"
          value={draft.impact}
          onChange={impact => onChange({ impact })}
          error={fault('impact')}
          allowDecimal={false}
          min={-100}
          max={100}
        />
      </Line>
      <Line word="at most once in">
        <CooldownField draft={draft} fault={fault('cooldown')} onChange={onChange} />
      </Line>
      <MoreFields draft={draft} faults={faults} onChange={onChange} />
    </Stack>
  )
}

function Line({ word, children }: { word: string; children: ReactNode }) {
  return (
    <div className="sentence-line">
      <span className="sentence-word">{word}</span>
      <div>{children}</div>
    </div>
  )
}

type FieldProps = Pick<Props, 'draft' | 'onChange'> & { fault: string | undefined }

function TypeField({ draft, fault, onChange }: FieldProps) {
  const types = useEventTypes()
  const choose = (event_type: string) => {
    const allowed = categoriesOf(event_type)
    const usual = categoryOf(event_type)
    const category = usual && allowed.includes(usual) ? usual : draft.category
    onChange({ event_type, category: allowed.includes(category) ? category : allowed[0]! })
  }
  return (
    <Autocomplete
      aria-label="Type of event"
      description="Type of event; sim.* means all that begin with sim."
      inputWrapperOrder={['input', 'description', 'error']}
      placeholder="sim.link_clicked"
      data={types}
      value={draft.event_type}
      onChange={choose}
      error={draft.event_type !== '' && fault}
      maxLength={100}
      limit={40}
    />
  )
}

function CooldownField({ draft, fault, onChange }: FieldProps) {
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <NumberInput
        aria-label="Cooldown"
        description="For one person; 0: every time"
        inputWrapperOrder={['input', 'description', 'error']}
        className="number-field"
        value={draft.cooldown_count}
        onChange={cooldown_count => onChange({ cooldown_count })}
        error={fault}
        allowDecimal={false}
        allowNegative={false}
        min={0}
      />
      <Select
        aria-label="Unit of the cooldown"
        w={130}
        data={Object.entries(UNITS).map(([value, label]) => ({ value, label }))}
        value={draft.cooldown_unit}
        onChange={unit => onChange({ cooldown_unit: (unit ?? 'h') as Unit })}
        allowDeselect={false}
      />
    </Group>
  )
}

function MoreFields({ draft, faults, onChange }: Props) {
  const fault = faults.find(one => one.path === 'priority')?.message
  const [opened, setOpened] = useState(draft.exclusive || draft.priority !== 100)
  return (
    <div>
      <Select
        label="Category"
        w={200}
        data={categoriesOf(draft.event_type).map(value => ({
          value,
          label: CATEGORY_NAMES[value],
        }))}
        value={draft.category}
        onChange={value => value && onChange({ category: value as RuleDraft['category'] })}
        allowDeselect={false}
      />
      <UnstyledButton
        className="more-button"
        onClick={() => setOpened(!opened)}
        aria-expanded={opened}
      >
        {opened ? 'Less' : 'Order among rules'}
      </UnstyledButton>
      <Collapse expanded={opened} transitionDuration={100}>
        <Stack gap="sm" pt="xs">
          <NumberInput
            label="Priority"
            description="0 to 1000; the highest is taken first"
            w={220}
            value={draft.priority}
            onChange={priority => onChange({ priority })}
            error={fault}
            allowDecimal={false}
            min={0}
            max={1000}
          />
          <Checkbox
            label="When it fires, no rule after it does"
            checked={draft.exclusive}
            onChange={event => onChange({ exclusive: event.currentTarget.checked })}
          />
          <Text size="xs" c="dimmed">
            All rules that match apply and add up, unless one of them stops the rest.
          </Text>
        </Stack>
      </Collapse>
    </div>
  )
}
