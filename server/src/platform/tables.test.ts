// The registry of tables holds the database it is used with: no column is forgotten by an erasure.
import { expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { PersonExport } from '../privacy/privacy.schema.ts'
import { listTables, TABLES } from './tables.ts'

const { context } = await startService()

type Found = { table: string; column: string; place: number | null }

const found = await context.db.sql<Found[]>`
  SELECT c.relname AS table, a.attname AS column, array_position(i.indkey::int2[], a.attnum) AS place
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND EXISTS (
    SELECT 1 FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'tenant_id')
  ORDER BY c.relname, a.attnum`

/** What the registry says of a table's columns. */
function listColumns(name: string): string[] {
  const { key, subject, personal, named, plain } = TABLES[name]!
  const columns = [
    ...['tenant_id', ...key, ...plain],
    ...(typeof subject === 'string' ? [subject] : (subject?.by ?? [])),
    ...(typeof personal === 'object' ? Object.keys(personal ?? {}) : []),
    ...(named ? [named.by] : []),
  ]
  return [...new Set(columns)]
}

test('every table and every column of the database stands in the registry, and nothing else does', () => {
  const columns = found.map(one => `${one.table}.${one.column}`)
  const said = listTables().flatMap(name => listColumns(name).map(column => `${name}.${column}`))
  expect(said.sort()).toEqual(columns.sort())
})

test('its keys are those of the database, so that a page is neither read twice nor passed over', () => {
  for (const [name, { key }] of Object.entries(TABLES)) {
    const own = found.filter(one => one.table === name && one.place !== null)
    const columns = own.toSorted((a, b) => a.place! - b.place!).map(one => one.column)
    expect(['tenant_id', ...key], name).toEqual(columns)
  }
})

test('the export has a section for everything that it shows of a person', () => {
  const { exported_at: _, ...sections } = PersonExport.properties
  const said = Object.values(TABLES).flatMap(one => one.export ?? [])
  expect([...new Set(said)].sort()).toEqual(Object.keys(sections).sort())
})

test('no column is both personal and plain, and what leads by another table is there', () => {
  for (const [name, { personal, plain, subject, walk, retention }] of Object.entries(TABLES)) {
    const emptied = typeof personal === 'object' ? Object.keys(personal ?? {}) : []
    expect(
      emptied.filter(column => plain.includes(column)),
      name,
    ).toEqual([])
    const here = listColumns(name)
    expect(here, name).toEqual(
      expect.arrayContaining([...(walk?.by ?? []), retention ?? 'tenant_id']),
    )
    if (typeof subject !== 'object' || subject === null) continue
    expect(listColumns(subject.of), name).toEqual(expect.arrayContaining([...subject.by]))
    expect(TABLES[subject.of]!.walk, name).toBeDefined()
  }
})
