// Sorting: the query of lists that can be had in other orders than their own.
import Type from 'typebox'

export type Order = 'asc' | 'desc'
export type Sorting<T extends string> = { sort: T; order: Order }

/** The first is the list's own order, from the latest back. */
export const SortQuery = <T extends string>(sorts: readonly [T, ...T[]]) => ({
  sort: Type.Optional(
    Type.Unsafe<T>({
      type: 'string',
      enum: [...sorts],
      default: sorts[0],
      description: `What to sort by; default \`${sorts[0]}\`.`,
      examples: [sorts[0]],
    }),
  ),
  order: Type.Optional(
    Type.Unsafe<Order>({
      type: 'string',
      enum: ['asc', 'desc'],
      default: 'desc',
      description: 'Direction, default `desc`; ties are ordered by time or id, in the same one.',
      examples: ['desc'],
    }),
  ),
})

export function readSorting<T extends string>(
  query: { sort?: T; order?: Order },
  own: T,
): Sorting<T> {
  return { sort: query.sort ?? own, order: query.order ?? 'desc' }
}
