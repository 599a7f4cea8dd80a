// Chooses one person by name or email.
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../app/query-client.ts'
import { isErased, nameAndEmail, searchOf } from '../employees/names.ts'
import { clearButton } from './clear-button.ts'
import './filters.css'
import { Icon } from './icons.tsx'

type Props = {
  value: string | undefined
  onChange: (employee_id: string | undefined) => void
}

export function PersonPicker({ value, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const [asked] = useDebouncedValue(searchOf(typed), 200)
  const found = useRead(
    'GET /v1/employees',
    { query: { search: asked || undefined, per_page: 20 } },
    { placeholderData: before => before },
  )
  const chosen = useRead(
    'GET /v1/employees/{id}',
    { params: { id: value ?? '' } },
    { enabled: value !== undefined },
  )
  const people = new Map<string, string>()
  if (value !== undefined) people.set(value, chosen.data ? nameAndEmail(chosen.data) : value)
  // Nobody could tell those who were erased from each other.
  for (const person of found.data?.data ?? [])
    if (!isErased(person)) people.set(person.id, nameAndEmail(person))
  return (
    <Select
      aria-label="Person"
      placeholder="Anyone"
      className="filter-field"
      leftSection={<Icon name="person" size={16} />}
      data={[...people].map(([id, name]) => ({ value: id, label: name }))}
      value={value ?? null}
      onChange={id => onChange(id ?? undefined)}
      searchable
      clearable
      clearButtonProps={clearButton('person')}
      searchValue={typed}
      onSearchChange={setTyped}
      // What was found fits already; the server looks at names and addresses.
      filter={({ options }) => options}
      nothingFoundMessage="Nobody"
    />
  )
}
