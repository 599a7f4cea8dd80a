// The filters of the employee list; all of them stand in the address.
import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { BAND_LOOK, BANDS } from '../ui/bands.ts'
import { Icon } from '../ui/icons.tsx'
import { departmentName } from '../ui/numbers.ts'

const ANY = '*'

export function EmployeeFilters() {
  const [address, change] = useAddress()
  const departments = useRead('GET /v1/scores/departments')
  const choose = (name: string) => (value: string | null) =>
    change({ [name]: value === ANY || value === null ? undefined : value })
  return (
    <Group gap="sm" align="flex-end">
      <SearchField value={address.search ?? ''} onChange={search => change({ search }, true)} />
      <Select
        aria-label="Department"
        w={190}
        data={[
          { value: ANY, label: 'All departments' },
          ...(departments.data?.data ?? []).map(one => ({
            value: one.department,
            label: departmentName(one.department),
          })),
        ]}
        value={address.department ?? ANY}
        onChange={choose('department')}
        allowDeselect={false}
      />
      <Select
        aria-label="Band"
        w={140}
        data={[
          { value: ANY, label: 'All bands' },
          ...BANDS.map(band => ({
            value: band,
            label: `${BAND_LOOK[band].mark} ${BAND_LOOK[band].label}`,
          })),
        ]}
        value={address.band ?? ANY}
        onChange={choose('band')}
        allowDeselect={false}
      />
      <Select
        aria-label="Status"
        w={140}
        data={[
          { value: ANY, label: 'Active' },
          { value: 'inactive', label: 'Inactive' },
          { value: 'all', label: 'Active or not' },
        ]}
        value={address.status ?? ANY}
        onChange={choose('status')}
        allowDeselect={false}
      />
    </Group>
  )
}

type SearchProps = { value: string; onChange: (value: string | undefined) => void }

/** Typing is shown at once and asked for after a short rest. */
function SearchField({ value, onChange }: SearchProps) {
  const [text, setText] = useState(value)
  const ask = useDebouncedCallback((asked: string) => onChange(asked.trim() || undefined), 250)
  useEffect(() => setText(value), [value])
  return (
    <TextInput
      aria-label="Search by name or email"
      placeholder="Name or email"
      className="grow-field"
      leftSection={<Icon name="search" size={16} />}
      value={text}
      onChange={event => {
        setText(event.currentTarget.value)
        ask(event.currentTarget.value)
      }}
    />
  )
}
