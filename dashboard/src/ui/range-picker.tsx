// Chooses the span of time a page looks at; it stands in the address.
import { Group, SegmentedControl, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useAddress } from '../app/address.ts'
import { serviceDay } from '../app/service-clock.ts'
import { isSpan, RANGES, type Range } from './range.ts'

const CHOICES = [
  ...Object.entries(RANGES).map(([value, { label }]) => ({ value, label })),
  { value: 'own', label: 'Own' },
]

export function RangePicker({ range }: { range: Range }) {
  const [address, change] = useAddress()
  const today = serviceDay()
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
      {range.name === 'own' && <OwnSpan from={address.from} to={address.to} today={today} />}
    </Group>
  )
}

type SpanProps = { from: string | undefined; to: string | undefined; today: string }

/** A date is typed in parts; the address hears of it when both are whole and in their order. */
function OwnSpan({ from = '', to = '', today }: SpanProps) {
  const [, change] = useAddress()
  const [draft, setDraft] = useState({ from, to })
  useEffect(() => setDraft({ from, to }), [from, to])
  const type = (part: Partial<typeof draft>) => {
    const next = { ...draft, ...part }
    setDraft(next)
    if (isSpan(next.from, next.to)) change(next)
  }
  const crossed = isSpan(draft.to, draft.from) && draft.from !== draft.to
  return (
    <Group gap="xs" align="flex-start">
      <TextInput
        type="date"
        aria-label="From"
        value={draft.from}
        max={draft.to || today}
        onChange={event => type({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        aria-label="To"
        value={draft.to}
        min={draft.from}
        max={today}
        error={crossed && 'Before the first day'}
        onChange={event => type({ to: event.currentTarget.value })}
      />
    </Group>
  )
}
