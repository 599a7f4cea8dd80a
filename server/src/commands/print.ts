// What a command answers: one JSON object for programs, or lines and columns for people.

export type Row = Readonly<Record<string, unknown>>

/** The option by which a program asks for its form. */
export const json = { about: 'print one JSON object' } as const

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** What JSON leaves as it is, and a terminal may obey; within its texts it means the same when it is written out. */
const OBEYED = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** A line of JSON with such characters written out. */
export function spellOut(json: string): string {
  return json.replace(OBEYED, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function printJson(value: object): void {
  print(spellOut(JSON.stringify(value)))
}

/** One thing: its fields below each other. */
export function printFields(asJson: boolean | undefined, fields: Row): void {
  if (asJson) {
    printJson(fields)
    return
  }
  const width = Math.max(...Object.keys(fields).map(key => key.length))
  for (const [key, value] of Object.entries(fields)) print(`${key.padEnd(width)}  ${plain(value)}`)
}

/** Several things: a table, or `{data: [...]}`. */
export function printRows(
  asJson: boolean | undefined,
  columns: readonly string[],
  rows: readonly Row[],
): void {
  if (asJson) {
    printJson({ data: rows })
    return
  }
  const cells = [columns, ...rows.map(row => columns.map(column => plain(row[column])))]
  const widths = columns.map((_, i) => Math.max(...cells.map(line => line[i]?.length ?? 0)))
  for (const line of cells) {
    print(
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

/** Names and addresses are texts of tenants: what would move a terminal's cursor or turn its text is shown as a mark. */
const UNSHOWN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

function plain(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString()
  const text = Array.isArray(value) ? value.join(',') : String(value)
  return text.replace(UNSHOWN, '\ufffd')
}
