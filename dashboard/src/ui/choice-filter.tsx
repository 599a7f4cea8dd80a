// A filter that stands in the address: one choice, or none.
import { type ComboboxItem, Select, type SelectProps } from '@mantine/core'
import { oneOf, useAddress } from '../app/address.ts'
import { clearButton } from './clear-button.ts'
import './filters.css'

type Props = Pick<SelectProps, 'searchable' | 'size' | 'className'> & {
  /** Its name in the address. */
  name: string
  label: string
  placeholder: string
  data: readonly (string | ComboboxItem)[]
}

/** What the address asks for and the choices lack chooses none. */
export function ChoiceFilter({ name, label, data, className = 'filter-field', ...props }: Props) {
  const [address, change] = useAddress()
  const known = data.map(one => (typeof one === 'string' ? one : one.value))
  return (
    <Select
      {...props}
      aria-label={label}
      className={className}
      clearable
      clearButtonProps={clearButton(label)}
      data={data}
      value={oneOf(address[name], known) ?? null}
      onChange={value => change({ [name]: value ?? undefined })}
    />
  )
}
