// The order of a list that the server sorts; it stands in the address.
import { oneOf, useAddress } from '../app/address.ts'
import type { Sorting } from './data-table.tsx'

type Order = 'asc' | 'desc'

/** `own` is the list's order unless another is asked for. */
export function useOrder<T extends string>(sorts: readonly T[], own: T, ownOrder: Order = 'desc') {
  const [address, change] = useAddress()
  const asked = oneOf(address.sort, sorts)
  const sort = asked ?? own
  const order = (asked && oneOf(address.order, ['asc', 'desc'])) ?? (asked ? 'asc' : ownOrder)
  return {
    query: { sort, order },
    table: {
      sorting: { by: sort, order } satisfies Sorting,
      onSort: ({ by, order }: Sorting) => change({ sort: by, order }),
    },
  }
}
