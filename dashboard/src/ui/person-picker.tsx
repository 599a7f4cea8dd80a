// Chooses one person by name or email.
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../app/query-client.ts'
import './filters.css'
import { Icon } from './icons.tsx'

type Props = {
  value: string | undefined
  onChange: (employee_id: string | undefined) => void
}

type Person = { id: string; first_name: string; last_name: string; email: string }

const nameOf = ({ first_name, last_name, email }: Person) => `${first_name} ${last_name} · ${email}`

export function PersonPicker({ value, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const [asked] = useDebouncedValue(typed.split(' · ')[0]!.trim(), 200)
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
  if (value !== undefined) people.set(value, chosen.data ? nameOf(chosen.data) : value)
  for (const person of found.data?.data ?? []) people.set(person.id, nameOf(person))
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
      clearButtonProps={{ 'aria-label': 'Clear person' }}
      searchValue={typed}
      onSearchChange={setTyped}
      // What was found fits already; the server looks at names and addresses.
      filter={({ options }) => options}
      nothingFoundMessage="Nobody"
    />
  )
}
