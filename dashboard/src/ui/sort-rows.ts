// Sorts a list that is here in full, by what stands in the address.
import { type Address, useAddress } from '../app/address.ts'
import type { Sorting } from './data-table.tsx'

type Value = string | number | null | undefined
export type SortKeys<Row> = Readonly<Record<string, (row: Row) => Value>>

function readSorting(address: Address): Sorting | undefined {
  if (address.sort === undefined) return undefined
  return { by: address.sort, order: address.order === 'desc' ? 'desc' : 'asc' }
}

/** What is not given comes last, whichever the order. */
function compare(a: Value, b: Value, sign: number): number {
  const [blankA, blankB] = [a === null || a === undefined, b === null || b === undefined]
  if (blankA || blankB) return Number(blankA) - Number(blankB)
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * sign
  return String(a).localeCompare(String(b), 'en') * sign
}

export function useSorted<Row>(rows: readonly Row[] | undefined, keys: SortKeys<Row>) {
  const [address, change] = useAddress()
  const sorting = readSorting(address)
  const read = sorting && keys[sorting.by]
  const sign = sorting?.order === 'desc' ? -1 : 1
  return {
    rows: read ? rows?.toSorted((a, b) => compare(read(a), read(b), sign)) : rows,
    ...(sorting ? { sorting } : {}),
    onSort: ({ by, order }: Sorting) => change({ sort: by, order }),
  }
}
