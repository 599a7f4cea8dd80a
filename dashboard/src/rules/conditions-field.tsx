// What must hold of the event: lines to fill in, or the JSON itself for those who prefer it.
import { Button, Group, JsonInput, SegmentedControl, Stack, Text } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Fault } from '../../../scoring/faults.ts'
import { Icon } from '../ui/icons.tsx'
import { ConditionLine } from './condition-line.tsx'
import { type ConditionRow, newRow, type RowFault, readRows } from './condition-rows.ts'
import { useEventFields } from './event-fields.ts'
import { type ConditionsDraft, readConditions } from './rule-draft.ts'
import './rules.css'

type Props = {
  draft: ConditionsDraft
  event_type: string
  faults: readonly (Fault | RowFault)[]
  onChange: (draft: ConditionsDraft) => void
  /** What is said while there is none. */
  empty?: string
}

const EVERY = 'Every event of this type counts. Add a condition to mean only some of them.'

export function ConditionsField({ draft, event_type, faults, onChange, empty = EVERY }: Props) {
  const turn = (mode: string) => {
    const { conditions } = readConditions(draft)
    if (mode === draft.mode) return
    if (mode === 'rows') return onChange({ mode: 'rows', rows: readRows(conditions) })
    onChange({ mode: 'json', text: JSON.stringify(conditions, null, 2) })
  }
  return (
    <Stack gap="xs" role="group" aria-label="Conditions" tabIndex={-1}>
      {draft.mode === 'rows' ? (
        <Lines
          rows={draft.rows}
          event_type={event_type}
          faults={faults}
          empty={empty}
          onChange={rows => onChange({ mode: 'rows', rows })}
        />
      ) : (
        <JsonInput
          aria-label="Conditions as JSON"
          value={draft.text}
          onChange={text => onChange({ mode: 'json', text })}
          autosize
          minRows={4}
          maxRows={16}
          className="conditions-json"
          error={faults[0] && sayFault(faults[0])}
        />
      )}
      <Group justify="space-between" gap="xs">
        {draft.mode === 'rows' ? (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => onChange({ mode: 'rows', rows: [...draft.rows, newRow()] })}
          >
            Add a condition
          </Button>
        ) : (
          <Text size="xs" c="dimmed">
            Paths into details, or source and type.
          </Text>
        )}
        <SegmentedControl
          size="xs"
          aria-label="How to write conditions"
          value={draft.mode}
          onChange={turn}
          data={[
            { value: 'rows', label: 'Builder', disabled: faults.length > 0 },
            { value: 'json', label: 'JSON', disabled: faults.length > 0 },
          ]}
          transitionDuration={100}
        />
      </Group>
    </Stack>
  )
}

function sayFault({ path, message }: Fault): string {
  return `${path.replace(/^conditions\.?/, '')} ${message}`.trim()
}

type LinesProps = {
  rows: readonly ConditionRow[]
  event_type: string
  faults: readonly (Fault | RowFault)[]
  empty: string
  onChange: (rows: ConditionRow[]) => void
}

function Lines({ rows, event_type, faults, empty, onChange }: LinesProps) {
  const fields = useEventFields(event_type)
  const faultOf = (row: ConditionRow) =>
    faults.find(fault =>
      'row' in fault ? fault.row === row.id : isOf(fault.path, row.field.trim()),
    )?.message
  const { put, remove } = useRowTasks(rows, onChange)
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    )
  }
  return rows.map(row => (
    <ConditionLine
      key={row.id}
      row={row}
      fields={fields}
      fault={faultOf(row)}
      onChange={put}
      onRemove={remove}
    />
  ))
}

/** The same functions for as long as the form is there, which act on the rows of now. */
function useRowTasks(rows: readonly ConditionRow[], onChange: LinesProps['onChange']) {
  const now = useRef({ rows, onChange })
  useLayoutEffect(() => {
    now.current = { rows, onChange }
  })
  const [tasks] = useState(() => {
    const change = (edit: (rows: readonly ConditionRow[]) => ConditionRow[]) =>
      now.current.onChange(edit(now.current.rows))
    return {
      put: (next: ConditionRow) =>
        change(rows => rows.map(one => (one.id === next.id ? next : one))),
      remove: ({ id }: ConditionRow) => change(rows => rows.filter(one => one.id !== id)),
    }
  })
  return tasks
}

const isOf = (path: string, field: string) =>
  path === `conditions.${field}` || path.startsWith(`conditions.${field}.`)
