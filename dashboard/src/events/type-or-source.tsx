// Chooses a type or a source among those that have come in within a year.
import { Select } from '@mantine/core'
import { useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { serviceDay } from '../app/service-clock.ts'
import { clearButton } from '../ui/clear-button.ts'
import { spelt } from '../ui/sentence.ts'

export function TypeOrSource({ name, label }: { name: 'type' | 'source'; label: string }) {
  const [address, change] = useAddress()
  const from = serviceDay(364)
  const groups = useRead(
    'GET /v1/events/statistics',
    { query: { from, group_by: name } },
    { staleTime: 300_000 },
  )
  const values = new Set((groups.data?.data ?? []).map(one => one.type))
  const chosen = address[name]
  if (chosen) values.add(chosen)
  return (
    <Select
      label={label}
      placeholder="Any"
      data={[...values].toSorted().map(value => ({ value, label: spelt(value) }))}
      value={chosen ?? null}
      onChange={value => change({ [name]: value ?? undefined }, true)}
      clearable
      clearButtonProps={clearButton(label)}
      searchable
    />
  )
}
