// The filters of the events; all of them stand in the address.
import { Button, Group, Select } from '@mantine/core'
import { oneOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import '../ui/filters.css'
import { PersonPicker } from '../ui/person-picker.tsx'
import type { Range } from '../ui/range.ts'
import { spelt } from '../ui/sentence.ts'

const ANY = '*'

export function EventFilters({ range }: { range: Range }) {
  const [address, change] = useAddress()
  const mayPeople = useMay('employees:read')
  const set = ['type', 'source', 'employee_id', 'impact'].some(name => address[name] !== undefined)
  return (
    <Group gap="sm">
      <GroupPicker name="type" label="All types" range={range} />
      <GroupPicker name="source" label="All sources" range={range} />
      <Select
        aria-label="Effect"
        className="filter-field"
        data={[
          { value: ANY, label: 'Any effect' },
          { value: 'negative', label: '▼ Lowered' },
          { value: 'positive', label: '▲ Raised' },
        ]}
        value={oneOf(address.impact, ['positive', 'negative']) ?? ANY}
        onChange={value => change({ impact: value === ANY || !value ? undefined : value })}
        allowDeselect={false}
      />
      {mayPeople && (
        <PersonPicker
          value={address.employee_id}
          onChange={employee_id => change({ employee_id })}
        />
      )}
      {set && (
        <Button
          variant="subtle"
          onClick={() =>
            change({
              type: undefined,
              source: undefined,
              employee_id: undefined,
              impact: undefined,
            })
          }
        >
          Clear
        </Button>
      )}
    </Group>
  )
}

type PickerProps = {
  name: 'type' | 'source'
  label: string
  range: Range
}

/** What there is to choose from is what came in within the span. */
function GroupPicker({ name, label, range: { from, to, span } }: PickerProps) {
  const [address, change] = useAddress()
  const groups = useRead(
    'GET /v1/events/statistics',
    { query: { from, to, group_by: name } },
    { span, placeholderData: before => before },
  )
  const values = new Set((groups.data?.data ?? []).map(one => one.type))
  const chosen = address[name]
  if (chosen !== undefined) values.add(chosen)
  return (
    <Select
      aria-label={name === 'type' ? 'Type of event' : 'Source'}
      className="filter-field"
      data={[
        { value: ANY, label },
        ...[...values].toSorted().map(value => ({ value, label: spelt(value) })),
      ]}
      value={chosen ?? ANY}
      onChange={value => change({ [name]: value === ANY || !value ? undefined : value })}
      allowDeselect={false}
      searchable={values.size > 8}
    />
  )
}
