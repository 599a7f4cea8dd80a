// Takes the rows of a list along as CSV.
import { Button } from '@mantine/core'
import { printCsv, saveFile } from './csv.ts'
import { Icon } from './icons.tsx'

type Props<Row> = {
  name: string
  rows: readonly Row[] | undefined
  columns: Readonly<Record<string, (row: Row) => unknown>>
}

export function CsvButton<Row>({ name, rows, columns }: Props<Row>) {
  if (!rows || rows.length === 0) return null
  const save = () => {
    const reads = Object.values(columns)
    const cells = rows.map(row => reads.map(read => read(row)))
    saveFile(`${name}.csv`, printCsv(Object.keys(columns), cells))
  }
  return (
    <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={save}>
      CSV
    </Button>
  )
}
