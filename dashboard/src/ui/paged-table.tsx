// A list of which the server gives one page at a time: its rows, or words in their place, and its foot.
import { useEffect, useRef } from 'react'
import type { ReadPage } from '../app/read-pages.ts'
import type { Pagination } from '../generated/api.ts'
import { CsvButton, type CsvColumns } from './csv-button.tsx'
import './data-table.css'
import { DataTable, type Sorting, type TableProps } from './data-table.tsx'
import { EmptyPage } from './empty-page.tsx'
import { Pager } from './pager.tsx'

type Props<Row> = Omit<TableProps<Row>, 'rows'> & {
  list: { data: readonly Row[]; pagination: Pagination } | undefined
  onPage: (page: number) => void
  what: readonly [one: string, many: string]
  /** The whole list as a file. */
  csv?: { name: string; columns: CsvColumns<Row>; read: ReadPage<Row> }
}

export function PagedTable<Row>(props: Props<Row>) {
  const { list, onPage, what, empty, csv, onSort, ...table } = props
  const { top, turn, toTop } = useTurning(list?.pagination.page)
  const sort = (sorting: Sorting) => {
    toTop()
    onSort?.(sorting)
  }
  const pages = {
    pagination: list?.pagination,
    onPage: (page: number) => {
      turn()
      onPage(page)
    },
  }
  return (
    <div ref={top} className="paged-table">
      <DataTable
        {...table}
        {...(onSort ? { onSort: sort } : {})}
        rows={list?.data}
        empty={<EmptyPage {...pages}>{empty}</EmptyPage>}
      />
      <Pager {...pages} what={what}>
        {csv && (
          <CsvButton size="xs" {...csv} total={list?.pagination.total} keyOf={table.rowKey} />
        )}
      </Pager>
    </div>
  )
}

/** Whoever turns the page goes on at its first row, as soon as it is here, not at the foot. */
function useTurning(page: number | undefined) {
  const top = useRef<HTMLDivElement>(null)
  const turned = useRef(false)
  useEffect(() => {
    const { current } = top
    if (!turned.current || page === undefined || !current) return
    turned.current = false
    showTop(current)
    current.querySelector<HTMLElement>('tbody :is(a, button)')?.focus({ preventScroll: true })
  }, [page])
  const turn = () => {
    turned.current = true
  }
  return { top, turn, toTop: () => showTop(top.current) }
}

/** Another order begins at its first row too; the heads can be pressed from far below it. */
function showTop(list: HTMLElement | null): void {
  if (list && list.getBoundingClientRect().top < 0) list.scrollIntoView()
}
