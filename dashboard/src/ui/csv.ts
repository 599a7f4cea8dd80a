// Tables as CSV: quoted, and safe to open in a spreadsheet, which would run a cell that looks like a formula.

/** What may part cells for whoever reads the file: its cells are then others than ours, and any may begin a formula. */
const SEPARATOR = ',;|\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029'
/** What a reader may leave out before a formula; apostrophes too, so that a guard is taken away only where one was put. */
const SKIPPED = `(?:(?![${SEPARATOR}])[\\s\\p{Cc}\\p{Cf}"'])*`
const FORMULA = '=+\\-@＝＋－＠\\0'
const AT_START = `${SKIPPED}[${FORMULA}\\t\\n\\r]`
const WITHIN = `${SKIPPED}[${FORMULA}]`
const UNGUARDED = new RegExp(`^(?=${AT_START})|(?<=[${SEPARATOR}])(?=${WITHIN})`, 'gu')
const GUARDED = new RegExp(`^'(?=${AT_START})|(?<=[${SEPARATOR}])'(?=${WITHIN})`, 'gu')

export function csvCell(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value)
  // A number may begin with a minus; everything else that could be a formula is made text.
  const safe = typeof value === 'number' ? text : text.replace(UNGUARDED, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Takes the guards away again, exactly where `csvCell` puts them. */
const unguard = (cell: string): string => cell.replace(GUARDED, '')

/** Without it a spreadsheet takes UTF-8 for an older encoding and shows other letters. */
const MARK = '\uFEFF'

export function printCsv(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const lines = [head, ...rows].map(row => row.map(csvCell).join(','))
  return `${MARK}${lines.join('\r\n')}\r\n`
}

export function saveFile(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  startDownload(url, name)
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

/** Without a name the file is called what the server calls it. */
export function startDownload(url: string, name = ''): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}

export type CsvRow = {
  line: number
  cells: string[]
  /** The last row of a file that ends inside a quoted field, with all that came after the quote. */
  unclosed: boolean
}

/** Fields may be quoted and hold line ends; the separator is a comma, semicolon or tab, whichever the head has most. */
export function parseCsv(text: string): CsvRow[] {
  const source = text.replace(/^\uFEFF/, '')
  const separator = findSeparator(source)
  const rows: CsvRow[] = []
  let [cells, cell, quoted, line, began] = [[] as string[], '', false, 1, 1]
  const endRow = () => {
    cells.push(unguard(cell))
    if (cells.some(one => one.trim() !== '')) rows.push({ line: began, cells, unclosed: quoted })
    cells = []
    cell = ''
  }
  for (let i = 0; i < source.length; i++) {
    const letter = source[i]!
    // Some spreadsheets end lines by the one, some by the other, most by both.
    const endsLine = letter === '\n' || (letter === '\r' && source[i + 1] !== '\n')
    if (endsLine) line++
    if (quoted) {
      if (letter !== '"') cell += letter
      else if (source[i + 1] === '"') cell += source[++i]
      else quoted = false
    } else if (letter === '"' && cell.trim() === '') {
      quoted = true
      cell = ''
    } else if (letter === separator) {
      cells.push(unguard(cell))
      cell = ''
    } else if (endsLine) {
      endRow()
      began = line
    } else if (letter !== '\r') cell += letter
  }
  endRow()
  return rows
}

function findSeparator(text: string): string {
  const head = text.split(/[\r\n]/, 1)[0]!
  const times = (one: string) => head.split(one).length
  return [',', ';', '\t'].reduce((best, one) => (times(one) > times(best) ? one : best))
}
