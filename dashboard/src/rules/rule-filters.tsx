// The filters of the rule list; all of them stand in the address.
import { Group, Select } from '@mantine/core'
import { useAddress } from '../app/address.ts'
import { SearchField } from '../ui/search-field.tsx'
import '../ui/filters.css'
import { CATEGORY_NAMES } from './rule-words.ts'

const ANY = '*'

export function RuleFilters() {
  const [address, change] = useAddress()
  const choose = (name: string) => (value: string | null) =>
    change({ [name]: value === ANY || value === null ? undefined : value })
  const pick = (name: string, label: string, choices: Record<string, string>) => (
    <Select
      aria-label={label}
      className="filter-field"
      data={Object.entries(choices).map(([value, words]) => ({ value, label: words }))}
      value={address[name] ?? ANY}
      onChange={choose(name)}
      allowDeselect={false}
    />
  )
  return (
    <Group gap="sm">
      <SearchField
        label="Search in rules"
        placeholder="Name, event type or condition"
        value={address.search ?? ''}
        onChange={search => change({ search }, true)}
      />
      {pick('category', 'Category', { [ANY]: 'All categories', ...CATEGORY_NAMES })}
      {pick('status', 'Status', { [ANY]: 'Active or not', active: 'Active', inactive: 'Inactive' })}
      {pick('fired', 'Activity', {
        [ANY]: 'Fired or not',
        yes: 'Fired in 30 d',
        no: 'Never fired',
      })}
    </Group>
  )
}
