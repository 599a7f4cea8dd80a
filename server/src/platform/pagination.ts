// Pages: the query every list takes and the object it answers with.
import Type from 'typebox'

export const PageQuery = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Page, from 1.' }),
  ),
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Items on a page.' }),
  ),
}

export const Pagination = Type.Object(
  {
    page: Type.Integer({ description: 'This page.' }),
    per_page: Type.Integer({ description: 'Items on a page.' }),
    total: Type.Integer({ description: 'Items in all.' }),
    total_pages: Type.Integer({ description: 'Pages in all; 0 when there is nothing.' }),
  },
  {
    $id: 'Pagination',
    description: 'Where this page stands in the whole list.',
    examples: [{ page: 1, per_page: 25, total: 412, total_pages: 17 }],
  },
)

export type Page = { page: number; per_page: number; offset: number }

export function readPage(query: { page?: number; per_page?: number }): Page {
  const page = query.page ?? 1
  const per_page = query.per_page ?? 25
  return { page, per_page, offset: (page - 1) * per_page }
}

/**
 * How many there are in all. A page that is not full ends the list and so tells it: what a filter finds seldom is not
 * looked for twice.
 */
export async function totalOf(
  rows: readonly unknown[],
  { per_page, offset }: Page,
  count: () => Promise<number>,
): Promise<number> {
  const isEnd = rows.length < per_page && (rows.length > 0 || offset === 0)
  return isEnd ? offset + rows.length : count()
}

export function pageAnswer<T>(data: T[], { page, per_page }: Page, total: number) {
  return { data, pagination: { page, per_page, total, total_pages: Math.ceil(total / per_page) } }
}
