// Takes a list along as CSV: all of it as filtered and sorted, not the page that is shown.
import { Button, type ButtonProps } from '@mantine/core'
import { useRef, useState } from 'react'
import { type ReadPage, readPages } from '../app/read-pages.ts'
import { printCsv, saveFile } from './csv.ts'
import { Icon } from './icons.tsx'
import { count } from './numbers.ts'
import { showFailure, showToast } from './toasts.ts'

/** What a file's columns are called and where each value comes from. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => unknown>>

const MOST_PAGES = 500

type Whole<Row> = { rows: readonly Row[] | undefined }
type Paged<Row> = { read: ReadPage<Row>; keyOf: (row: Row) => string; total: number | undefined }

type Props<Row> = {
  name: string
  columns: CsvColumns<Row>
  size?: ButtonProps['size']
} & (Whole<Row> | Paged<Row>)

export function CsvButton<Row>(props: Props<Row>) {
  const [told, setTold] = useState<string | null>(null)
  const running = useRef<AbortController | null>(null)
  const known = 'rows' in props ? props.rows?.length : props.total
  const run = async () => {
    if (running.current) return running.current.abort()
    const control = new AbortController()
    running.current = control
    const tell = (read: number, total: number) => setTold(`${count(read)} of ${count(total)}`)
    try {
      await save(props, tell, control.signal)
    } catch (error) {
      if (control.signal.aborted) showToast('The export is stopped')
      else showFailure(error)
    } finally {
      running.current = null
      setTold(null)
    }
  }
  return (
    <Button
      variant="default"
      {...(props.size ? { size: props.size } : {})}
      leftSection={<Icon name={told ? 'close' : 'download'} size={16} />}
      // It keeps its place while the list is read and where it is empty, so that nothing beside it moves.
      disabled={!known}
      onClick={run}
      aria-label={told ? `Stop the export, ${told} read` : `Save ${props.name} as CSV`}
    >
      {told ?? 'CSV'}
    </Button>
  )
}

type Tell = (read: number, total: number) => void

async function save<Row>(props: Props<Row>, tell: Tell, signal: AbortSignal): Promise<void> {
  const { name, columns } = props
  const { rows, total } =
    'rows' in props
      ? { rows: props.rows ?? [], total: props.rows?.length ?? 0 }
      : await readPages(props.read, props.keyOf, { most_pages: MOST_PAGES, tell, signal })
  const reads = Object.values(columns)
  const cells = rows.map(row => reads.map(read => read(row)))
  saveFile(`${name}.csv`, printCsv(Object.keys(columns), cells))
  const all = rows.length >= total
  showToast(
    all
      ? `${count(rows.length)} ${rows.length === 1 ? 'line' : 'lines'} saved as ${name}.csv`
      : `The first ${count(rows.length)} of ${count(total)} saved as ${name}.csv; narrow the list for the rest`,
  )
}
