// Every list of the dashboard: columns that sort, and rows one can walk with the arrow keys.
import { Box, Skeleton, Table, UnstyledButton } from '@mantine/core'
import type { KeyboardEvent, ReactNode } from 'react'
import './data-table.css'
import { Icon } from './icons.tsx'
import { TableFrame } from './table-frame.tsx'

export type Column<Row> = {
  key: string
  title: ReactNode
  render: (row: Row) => ReactNode
  /** Present where the list can be sorted by it. */
  sort?: string
  align?: 'right' | 'left'
  width?: number | string
  /** Two where something stands below, always or on phones, so that the rows are as tall while they are read. */
  lines?: 2 | 'phone'
  /** Where a button stands in it, which is taller than a line. */
  tall?: true
  /** Left out on phones, or on every screen that has no room beside the rail for all columns. */
  wide?: true | 'lg'
}

export type Sorting = { by: string; order: 'asc' | 'desc' }

export type TableProps<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string
  /** A press anywhere in the row opens it; the first cell holds the link for keyboards. */
  onOpen?: (row: Row) => void
  sorting?: Sorting
  onSort?: (sorting: Sorting) => void
  loadingRows?: number
  empty?: ReactNode
}

export function DataTable<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, onOpen, loadingRows = 8, empty } = props
  if (rows?.length === 0) return empty ?? null
  return (
    <TableFrame>
      <Table highlightOnHover={!!onOpen} aria-label={label} className="data-table">
        <Table.Thead>
          <Table.Tr>
            {columns.map(column => (
              <HeadCell key={column.key} column={column} {...props} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody onKeyDown={walkRows}>
          {rows === undefined
            ? Array.from({ length: loadingRows }, (_, i) => (
                <WaitingRow key={i} columns={columns} />
              ))
            : rows.map(row => (
                <Table.Tr
                  key={rowKey(row)}
                  {...(onOpen ? { onClick: event => openRow(event, () => onOpen(row)) } : {})}
                  data-opens={onOpen ? true : undefined}
                >
                  {columns.map(column => (
                    <Table.Td key={column.key} {...cellProps(column)}>
                      {column.render(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

function cellProps(column: Column<never>) {
  return {
    ta: column.align ?? 'left',
    ...(column.wide ? { visibleFrom: column.wide === true ? 'sm' : column.wide } : {}),
    ...(column.width ? { w: column.width } : {}),
  }
}

function HeadCell<Row>({ column, sorting, onSort }: { column: Column<Row> } & TableProps<Row>) {
  const { sort, title } = column
  const props = cellProps(column as Column<never>)
  if (!sort || !onSort) return <Table.Th {...props}>{title}</Table.Th>
  const active = sorting?.by === sort
  const order = active && sorting.order === 'asc' ? 'desc' : 'asc'
  const aria = active ? (sorting.order === 'asc' ? 'ascending' : 'descending') : 'none'
  return (
    <Table.Th {...props} aria-sort={aria}>
      <UnstyledButton
        className="sort-button"
        data-align={column.align}
        onClick={() => onSort({ by: sort, order })}
      >
        {title}
        <span className="sort-mark" data-active={active || undefined}>
          <Icon name={active && sorting.order === 'desc' ? 'down' : 'up'} size={13} />
        </span>
      </UnstyledButton>
    </Table.Th>
  )
}

function WaitingRow<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <Table.Tr aria-hidden="true">
      {columns.map((column, i) => (
        <Table.Td key={column.key} {...cellProps(column as Column<never>)}>
          <div className="waiting-line" data-tall={column.tall}>
            <Skeleton h={14} w={i === 0 ? '70%' : '50%'} />
          </div>
          {column.lines && (
            <Box
              className="under waiting-line"
              {...(column.lines === 2 ? {} : { hiddenFrom: 'sm' })}
            >
              <Skeleton h={10} w="45%" />
            </Box>
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

/** A press on a link, button or field inside a row is meant for that. */
function openRow(event: { target: EventTarget }, open: () => void): void {
  const target = event.target as HTMLElement
  if (target.closest('a, button, input, label, [role="menuitem"]')) return
  if (window.getSelection()?.toString()) return
  open()
}

/** Arrow keys go from row to row, along what can be focused first in each. */
function walkRows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const row = (event.target as HTMLElement).closest('tr')
  if (step === undefined || !row) return
  const rows = [...event.currentTarget.querySelectorAll('tr')]
  const next = rows[rows.indexOf(row) + step]?.querySelector<HTMLElement>('a, button')
  if (!next) return
  event.preventDefault()
  next.focus()
}
