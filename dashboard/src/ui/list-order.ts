// The order of a list that the server sorts; it stands in the address.
import { oneOf, useAddress } from '../app/address.ts'
import type { Sorting } from './data-table.tsx'

/** `own` is the list's order, from the latest back, unless another is asked for. */
export function useOrder<T extends string>(sorts: readonly T[], own: T) {
  const [address, change] = useAddress()
  const asked = oneOf(address.sort, sorts)
  const sort = asked ?? own
  const order = (asked && oneOf(address.order, ['asc', 'desc'])) ?? (asked ? 'asc' : 'desc')
  return {
    query: { sort, order },
    table: {
      sorting: { by: sort, order } satisfies Sorting,
      onSort: ({ by, order }: Sorting) => change({ sort: by, order }),
    },
  }
}
