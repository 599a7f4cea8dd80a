// A day that stands in the address: it is typed in parts, and the address hears of it when it is whole.
import { Text, TextInput, type TextInputProps } from '@mantine/core'
import { type ChangeEvent, useEffect, useState } from 'react'
import { useAddress } from '../app/address.ts'
import { isDate } from './dates.ts'

type Props = Omit<TextInputProps, 'type' | 'value' | 'onChange'> & {
  name: 'from' | 'to'
  /** Whether the address before is no place to go back to. */
  replace?: boolean
}

export function DateField({ name, replace = false, ...props }: Props) {
  const [address, change] = useAddress()
  const day = address[name]?.slice(0, 10)
  const asked = isDate(day) ? day : ''
  const [draft, setDraft] = useState(asked)
  useEffect(() => setDraft(asked), [asked])
  const type = ({ currentTarget: { value, validity } }: ChangeEvent<HTMLInputElement>) => {
    setDraft(value)
    const emptied = value === '' && !validity.badInput
    if (emptied || isDate(value)) change({ [name]: value || undefined }, replace)
  }
  return <TextInput {...props} type="date" value={draft} onChange={type} />
}

/** From and to, among the filters of a list. */
export function DateFilters() {
  return (['from', 'to'] as const).map(name => (
    <DateField
      key={name}
      name={name}
      className="filter-field"
      aria-label={name === 'from' ? 'From' : 'To'}
      leftSection={
        <Text size="sm" c="dimmed">
          {name}
        </Text>
      }
      leftSectionWidth={52}
    />
  ))
}
