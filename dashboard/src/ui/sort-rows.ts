// Sorts a list that is here in full, and shows a page of it, by what stands in the address.
import { type Address, pageOf, useAddress } from '../app/address.ts'
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

const PER_PAGE = 100

/** A list of which all is known is long to scroll through all the same. */
export function usePaged<Row>(rows: readonly Row[] | undefined) {
  const [address, change] = useAddress()
  const page = pageOf(address)
  const total = rows?.length ?? 0
  const pagination = { page, per_page: PER_PAGE, total, total_pages: Math.ceil(total / PER_PAGE) }
  const data = rows?.slice((page - 1) * PER_PAGE, page * PER_PAGE)
  return { list: data && { data, pagination }, onPage: (page: number) => change({ page }) }
}
