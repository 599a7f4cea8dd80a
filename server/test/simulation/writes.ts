// Reads the INSERT and UPDATE statements of the service by their text, so that a new column needs nothing here.
import type { Row, Store, Transaction, Work } from './store.ts'

/** A written value: of the statement (`$`), of the unnested row (`u`), of the row in place (`x`) or of the new one. */
type Read = (values: readonly unknown[], u: Row, x: Row, fresh: Row) => unknown

type Assignment = { column: string; read: Read }

export type Write = (store: Store, tx: Transaction, values: readonly unknown[]) => Work

const FROM = String.raw` FROM (?:tenants tn, )?unnest\((.*?)\) (?:AS )?u(?:\((.*?)\))?`
const INSERT = new RegExp(
  String.raw`^INSERT INTO (\w+)(?: AS x)? \((.*?)\) SELECT (.*?)${FROM}(?: WHERE tn\.tenant_id = \$)?(?: ORDER BY (.*?))?(?: ON CONFLICT \(.*?\) DO (NOTHING|UPDATE SET (.*?)))?(?: RETURNING (.*))?$`,
)
const VALUES =
  /^INSERT INTO (\w+)(?: AS x)? \((.*?)\) VALUES \((.*?)\) ON CONFLICT \(.*?\) WHERE read_at IS NULL DO UPDATE SET (.*)$/
const UPDATE = new RegExp(
  String.raw`^UPDATE (\w+) (\w) SET (.*?)${FROM} WHERE \w\.tenant_id = \$((?: AND \w\.\w+ = u\.\w+)+)$`,
)

/** Null where the text is of another form. */
export function readWrite(text: string): Write | null {
  return readInsert(text) ?? readValues(text) ?? readUpdate(text)
}

function readInsert(text: string): Write | null {
  const [, table, columns, items, arrays, names, order, conflict, merge, returning] =
    INSERT.exec(text) ?? []
  if (!table) return null
  const place = counter()
  const written = split(items!).map(item => readValue(item, place))
  const first = place.n
  const width = split(arrays!).length
  place.n += width + (text.includes('WHERE tn.tenant_id = $') ? 1 : 0)
  const known = split(columns!)
  // `u.*` stands for all the columns after the tenant.
  const list = names ? split(names) : known.slice(1)
  const merged = merge ? readAssignments(merge, place) : null
  const sorted = order ? split(order).map(name => name.replace(/^u\./, '')) : []
  return (store, tx, values) => {
    const given = unnest(values.slice(first, first + width) as unknown[][], list)
    if (sorted.length > 0) given.sort((a, b) => compare(a, b, sorted))
    const rows = items!.endsWith('u.*') ? given : given.map(u => fill(known, written, values, u))
    return insert(store, tx, table, rows, conflict ?? '', merged, values, returning)
  }
}

function readValues(text: string): Write | null {
  const [, table, columns, items, merge] = VALUES.exec(text) ?? []
  if (!table) return null
  const place = counter()
  const written = split(items!).map(item => readValue(item, place))
  const merged = readAssignments(merge!, place)
  return (store, tx, values) => {
    const row = fill(split(columns!), written, values, NOTHING)
    return insert(store, tx, table, [row], 'UPDATE', merged, values, undefined)
  }
}

function fill(
  names: readonly string[],
  written: readonly Read[],
  values: readonly unknown[],
  u: Row,
): Row {
  const row: Row = {}
  for (let i = 0; i < names.length; i++) row[names[i]!] = written[i]!(values, u, NOTHING, NOTHING)
  return row
}

/** Their ids are made anew for every row, so that nobody waits for the same one. */
const UNIQUE = new Set(['events', 'shares', 'actions', 'webhook_messages', 'webhook_deliveries'])

/** What a column holds that an INSERT leaves out. */
const LEFT_OUT: Record<string, Row> = {
  idempotent_answers: { status: null, location: null, answer: null },
  shares: { to_version: null },
}

function* insert(
  store: Store,
  tx: Transaction,
  table: string,
  rows: readonly Row[],
  conflict: string,
  merged: readonly Assignment[] | null,
  values: readonly unknown[],
  returning: string | undefined,
): Work {
  const added: Row[] = []
  for (const row of rows) {
    const key = store.keyOf(table, row)
    if (conflict === 'NOTHING' && store.get(tx, table, key)) continue
    // Whoever writes the same key is waited for.
    if (!UNIQUE.has(table)) yield `${table} ${key}`
    const before = store.get(tx, table, key)
    if (before && conflict === 'NOTHING') continue
    if (before && !merged) throw duplicate(table, key)
    const fresh = { ...LEFT_OUT[table], ...row }
    store.put(tx, table, key, before ? assign(merged!, values, NOTHING, before, row) : fresh)
    added.push(row)
  }
  return returning ? added : []
}

function duplicate(table: string, key: string): Error {
  return Object.assign(new Error(`duplicate key in ${table}: ${key}`), { code: '23505' })
}

function readUpdate(text: string): Write | null {
  const [, table, , set, arrays, names, where] = UPDATE.exec(text) ?? []
  if (!table) return null
  const place = counter()
  const assignments = readAssignments(set!, place)
  const first = place.n
  const list = split(names!)
  const width = split(arrays!).length
  const keys = [...where!.matchAll(/ AND \w\.(\w+) = u\.\w+/g)].map(match => match[1]!)
  return function* (store, tx, values) {
    for (const u of unnest(values.slice(first, first + width) as unknown[][], list)) {
      const key = store.keyOf(table, Object.fromEntries(keys.map(name => [name, u[name]])))
      if (!store.get(tx, table, key)) continue
      yield `${table} ${key}`
      const before = store.get(tx, table, key)
      if (before) store.put(tx, table, key, assign(assignments, values, u, before, NOTHING))
    }
    return []
  }
}

function assign(
  assignments: readonly Assignment[],
  values: readonly unknown[],
  u: Row,
  before: Row,
  fresh: Row,
): Row {
  const after = { ...before }
  for (const { column, read } of assignments) after[column] = read(values, u, before, fresh)
  return after
}

function readAssignments(text: string, place: Place): Assignment[] {
  return split(text).map(item => {
    const [, column, value] = /^(\w+) = (.*)$/.exec(item)!
    return { column: column!, read: readValue(value!, place) }
  })
}

type Place = { n: number }
const counter = (): Place => ({ n: 0 })
const NOTHING: Row = {}

function readValue(text: string, place: Place): Read {
  const take = (pattern: RegExp) => pattern.exec(text)
  if (take(/^\$(?:::\w+(?:\[\])?)?$/)) {
    const at = place.n++
    return values => values[at]
  }
  if (text === 'u.*' || text === 'tn.tenant_id') return () => 'tenant'
  if (take(/^-?\d+$|^true$|^false$|^'[^']*'(?:::jsonb)?$/)) return () => readLiteral(text)
  let found = take(/^u\.(\w+)(::jsonb)?$/)
  if (found) {
    const [, name, json] = found
    return (_, u) => (json && typeof u[name!] === 'string' ? JSON.parse(u[name!]) : u[name!])
  }
  found = take(/^string_to_array\(u\.(\w+), (?:'(,)'|chr\(10\))\)$/)
  if (found) {
    const [, name, comma = '\n'] = found
    const parted = (list: string | null) => (list === '' ? [] : (list?.split(comma) ?? null))
    return (_, u) => parted(u[name!])
  }
  found = take(/^CASE WHEN u\.(\w+) = '(\w+)' THEN u\.(\w+) END$/)
  if (found) {
    const [, name, wanted, then] = found
    return (_, u) => (u[name!] === wanted ? u[then!] : null)
  }
  found = take(/^x\.(\w+) \+ EXCLUDED\.(\w+)$/)
  if (found) {
    const [, name, other] = found
    return (_values, _u, x, fresh) => x[name!] + fresh[other!]
  }
  found = take(/^EXCLUDED\.(\w+)$/)
  if (found) {
    const [, name] = found
    return (_values, _u, _x, fresh) => fresh[name!]
  }
  found = take(/^CASE WHEN \$::boolean THEN EXCLUDED\.(\w+) ELSE x\.\w+ END$/)
  if (found) {
    const at = place.n++
    const [, name] = found
    return (values, _u, x, fresh) => (values[at] ? fresh[name!] : x[name!])
  }
  throw new Error(`the model cannot read the value ${text}`)
}

function readLiteral(text: string): unknown {
  if (text.endsWith('::jsonb')) return JSON.parse(text.slice(1, -8))
  if (text.startsWith("'")) return text.slice(1, -1)
  return JSON.parse(text)
}

function unnest(given: readonly (string | readonly unknown[])[], names: readonly string[]): Row[] {
  // A text is lines.
  const columns = given.map(one => (typeof one === 'string' ? one.split('\n') : one))
  if (columns.length !== names.length) throw new Error(`unnest of ${names} has another width`)
  return columns[0]!.map((_, i) => {
    const row: Row = {}
    for (let at = 0; at < names.length; at++) row[names[at]!] = columns[at]![i]
    return row
  })
}

function compare(a: Row, b: Row, names: readonly string[]): number {
  for (const name of names) if (a[name] !== b[name]) return a[name] < b[name] ? -1 : 1
  return 0
}

/** Cut at the commas that stand in no bracket. */
function split(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(' || text[i] === '[') depth++
    else if (text[i] === ')' || text[i] === ']') depth--
    else if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(from, i).trim())
      from = i + 1
    }
  }
  return [...parts, text.slice(from).trim()]
}
