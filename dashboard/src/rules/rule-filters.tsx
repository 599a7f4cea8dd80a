// The filters of the rule list; all of them stand in the address.
import { Group, Select } from '@mantine/core'
import { type Address, oneOf, useAddress } from '../app/address.ts'
import { SearchField } from '../ui/search-field.tsx'
import '../ui/filters.css'
import { CATEGORY_NAMES } from './rule-words.ts'

const ANY = '*'
const CATEGORIES = Object.keys(CATEGORY_NAMES) as (keyof typeof CATEGORY_NAMES)[]

/** What the list is narrowed by; what there is not in the address narrows nothing. */
export function readRuleFilters({ category, status, fired, search = '' }: Address) {
  return {
    category: oneOf(category, CATEGORIES),
    status: oneOf(status, ['active', 'inactive']),
    fired: oneOf(fired, ['yes', 'no']),
    search: search.toLowerCase(),
  }
}

export function RuleFilters() {
  const [address, change] = useAddress()
  const choose = (name: string) => (value: string | null) =>
    change({ [name]: value === ANY || value === null ? undefined : value })
  const asked = readRuleFilters(address)
  const pick = (
    name: 'category' | 'status' | 'fired',
    label: string,
    choices: Record<string, string>,
  ) => (
    <Select
      aria-label={label}
      className="filter-field"
      data={Object.entries(choices).map(([value, words]) => ({ value, label: words }))}
      value={asked[name] ?? ANY}
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
        no: 'Not fired in 30 d',
      })}
    </Group>
  )
}
