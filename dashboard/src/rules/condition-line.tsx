// One condition: a field of the event, how it compares, and with what.
import { ActionIcon, Autocomplete, Select, TagsInput, Text, Tooltip } from '@mantine/core'
import { memo } from 'react'
import { Icon } from '../ui/icons.tsx'
import { type ConditionRow, kindOfValue, OPERATORS, type Operator } from './condition-rows.ts'
import './rules.css'

const CHOICES = Object.entries(OPERATORS).map(([value, { words }]) => ({ value, label: words }))

type Props = {
  row: ConditionRow
  fields: ReadonlyMap<string, readonly string[]>
  fault: string | undefined
  onChange: (row: ConditionRow) => void
  onRemove: (row: ConditionRow) => void
}

/** Of twenty lines only the one that is typed into is drawn again. */
export const ConditionLine = memo(({ row, fields, fault, onChange, onRemove }: Props) => {
  return (
    <div className="condition">
      <div className="condition-line">
        <div>
          <Autocomplete
            aria-label="Field of the event"
            placeholder="severity"
            data={[...fields.keys()]}
            value={row.field}
            onChange={field => onChange({ ...row, field })}
            maxLength={200}
          />
        </div>
        <div>
          <Select
            aria-label="How it compares"
            data={CHOICES}
            value={row.operator}
            onChange={value => onChange({ ...row, operator: (value ?? 'eq') as Operator })}
            allowDeselect={false}
            maxDropdownHeight={320}
          />
        </div>
        <div className="condition-value">
          <ValueField row={row} values={fields.get(row.field.trim()) ?? []} onChange={onChange} />
        </div>
        <Tooltip label="Remove this condition">
          <ActionIcon size="lg" onClick={() => onRemove(row)} aria-label="Remove this condition">
            <Icon name="close" size={16} />
          </ActionIcon>
        </Tooltip>
      </div>
      {fault && (
        <Text size="xs" className="bad" role="alert">
          {row.field.trim() || 'This condition'}: {fault}
        </Text>
      )}
    </div>
  )
})

type ValueProps = Pick<Props, 'row' | 'onChange'> & { values: readonly string[] }

function ValueField({ row, values, onChange }: ValueProps) {
  const { takes } = OPERATORS[row.operator]
  if (takes === 'none') return null
  if (takes === 'many') {
    return (
      <TagsInput
        aria-label="Values"
        placeholder={row.values.length === 0 ? 'high, critical' : ''}
        data={[...values]}
        value={row.values}
        onChange={next => onChange({ ...row, values: next })}
        acceptValueOnBlur
      />
    )
  }
  const [typed = ''] = row.values
  const kind = row.operator === 'starts_with' ? 'text' : kindOfValue(typed)
  return (
    <Autocomplete
      aria-label="Value"
      placeholder="high"
      data={[...values]}
      value={typed}
      onChange={value => onChange({ ...row, values: [value] })}
      rightSectionWidth={typed === '' ? 0 : 76}
      rightSection={
        typed !== '' && (
          <Tooltip label='Compared as it is; quotes make it text: "3"'>
            <span className="value-kind">{kind}</span>
          </Tooltip>
        )
      }
    />
  )
}
