// A list of which the server gives one page at a time: its rows, or words in their place, and its foot.
import type { ReactNode } from 'react'
import type { Pagination } from '../generated/api.ts'
import { DataTable, type TableProps } from './data-table.tsx'
import { EmptyPage } from './empty-page.tsx'
import { Pager } from './pager.tsx'

type Props<Row> = Omit<TableProps<Row>, 'rows'> & {
  list: { data: readonly Row[]; pagination: Pagination } | undefined
  onPage: (page: number) => void
  what: readonly [one: string, many: string]
  /** What can be done with the list as a whole. */
  children?: ReactNode
}

export function PagedTable<Row>(props: Props<Row>) {
  const { list, onPage, what, empty, children, ...table } = props
  const pages = { pagination: list?.pagination, onPage }
  return (
    <>
      <DataTable {...table} rows={list?.data} empty={<EmptyPage {...pages}>{empty}</EmptyPage>} />
      <Pager {...pages} what={what}>
        {children}
      </Pager>
    </>
  )
}
