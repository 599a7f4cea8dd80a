// Chooses the span of time a page looks at; it stands in the address.
import { Group, SegmentedControl, TextInput } from '@mantine/core'
import { useAddress } from '../app/address.ts'
import { RANGES, type Range } from '../scores/range.ts'

const CHOICES = [
  ...Object.entries(RANGES).map(([value, { label }]) => ({ value, label })),
  { value: 'own', label: 'Own' },
]

export function RangePicker({ range }: { range: Range }) {
  const [address, change] = useAddress()
  const today = new Date().toISOString().slice(0, 10)
  const choose = (name: string) => {
    if (name !== 'own') return change({ range: name, from: undefined, to: undefined })
    change({ range: 'own', from: range.from.slice(0, 10), to: today })
  }
  return (
    <Group gap="xs">
      <SegmentedControl
        size="sm"
        data={CHOICES}
        value={range.name}
        onChange={choose}
        aria-label="Span of time"
        transitionDuration={100}
      />
      {range.name === 'own' && (
        <Group gap="xs">
          <TextInput
            type="date"
            aria-label="From"
            value={address.from ?? ''}
            max={address.to ?? today}
            onChange={event => change({ from: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            aria-label="To"
            value={address.to ?? ''}
            min={address.from}
            max={today}
            onChange={event => change({ to: event.currentTarget.value })}
          />
        </Group>
      )}
    </Group>
  )
}
