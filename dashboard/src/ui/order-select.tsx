// The order of a list that has no heads to press; it stands in the address.
import { Select } from '@mantine/core'
import { type Address, useAddress } from '../app/address.ts'
import type { Sorting } from './data-table.tsx'
import './filters.css'

export type OrderChoice<By extends string = string> = Sorting & { by: By; words: string }

/** The first is the list's own. */
export function readOrder<By extends string>(
  address: Address,
  choices: readonly [OrderChoice<By>, ...OrderChoice<By>[]],
): OrderChoice<By> {
  const asked = choices.find(one => one.by === address.sort && one.order === address.order)
  return asked ?? choices[0]
}

type Props = { choices: readonly [OrderChoice, ...OrderChoice[]] }

export function OrderSelect({ choices }: Props) {
  const [address, change] = useAddress()
  const choose = (words: string | null) => {
    const chosen = choices.find(one => one.words === words)
    const own = chosen === choices[0] ? undefined : chosen
    change({ sort: own?.by, order: own?.order })
  }
  return (
    <Select
      aria-label="Order"
      className="filter-field"
      data={choices.map(one => one.words)}
      value={readOrder(address, choices).words}
      onChange={choose}
      allowDeselect={false}
    />
  )
}
