// A field to search by: typing is shown at once and asked for after a short rest.
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { Icon } from './icons.tsx'

type Props = {
  label: string
  placeholder: string
  value: string
  onChange: (value: string | undefined) => void
}

export function SearchField({ label, placeholder, value, onChange }: Props) {
  const [text, setText] = useState(value)
  // What comes back of one's own asking is trimmed, and may be behind what is typed by then.
  const own = useRef(value)
  const ask = useDebouncedCallback((asked: string) => {
    own.current = asked.trim()
    onChange(own.current || undefined)
  }, 250)
  useEffect(() => {
    if (value === own.current) return
    own.current = value
    setText(value)
  }, [value])
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
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
