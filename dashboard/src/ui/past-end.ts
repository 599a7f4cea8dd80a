// Whether an address asks for a page a list does not have: mistyped, shared long ago, or emptied meanwhile.
import type { Pagination } from '../generated/api.ts'

/** The last page there is, for one that is past it; null where the page exists. An empty list has its first. */
export function lastBefore({ page, total_pages }: Pagination): number | null {
  const last = Math.max(total_pages, 1)
  return page > last ? last : null
}
