// Holds all SQL to the rules that keep tenants apart and let it run on a cluster; shows that each rule would notice.
import { describe, expect, test } from 'vitest'
import { readHouse } from './house-files.ts'
import { lintMigration, listTables } from './migration-lint.ts'
import { lintFile, lintLists } from './sql-lint.ts'
import { listStatements } from './sql-text.ts'
import type { Violation } from './tidy.ts'

const files = [...readHouse()]
const migrations = files.filter(([file]) => file.startsWith('server/migrations/'))
const code = new Map(
  files.filter(([file]) => /^server\/src\/.*(?<!\.test|\.fixture)\.ts$/.test(file)),
)
const tables = new Set(migrations.flatMap(([, text]) => listTables(text)))

const print = ({ file, line, rule, message }: Violation) => `${file}:${line} ${rule}: ${message}`

describe('the house', () => {
  test('is read: its tables and its statements are found', () => {
    const statements = [...code].flatMap(([file, text]) => listStatements(file, text))
    expect(tables.size).toBeGreaterThan(15)
    expect(statements.length).toBeGreaterThan(100)
    expect(statements.filter(one => one.within === 'findEmployee')).toHaveLength(1)
  })

  test('keeps its rules in every statement', () => {
    const found = [...code].flatMap(([file, text]) => lintFile(file, text, tables))
    expect(found.map(print)).toEqual([])
  })

  test('keeps its rules in every migration', () => {
    expect(migrations.flatMap(([file, text]) => lintMigration(file, text)).map(print)).toEqual([])
  })

  test('lists no scan that is gone, and calls each through its door', () => {
    expect(lintLists(code).map(print)).toEqual([])
  })
})

const FILE = 'server/src/rules/x.queries.ts'
const T = `\${tenant_id}`
const known = new Set(['rules', 'events', 'tenants'])
const lint = (sql: string, file = FILE, name = 'x') =>
  lintFile(file, `export function ${name}(tx) {\n  return tx<Row[]>\`${sql}\`\n}\n`, known).map(
    one => one.rule,
  )

describe('a statement names its tenant for every table', () => {
  const TENANT = ['names-its-tenant']

  test.each([
    `SELECT 1 FROM rules WHERE tenant_id = ${T}`,
    `SELECT 1 FROM rules r JOIN events e ON e.tenant_id = r.tenant_id WHERE r.tenant_id = ${T}`,
    `SELECT 1 FROM rules r LEFT JOIN events e ON e.tenant_id = ${T} AND e.id = r.id WHERE r.tenant_id = ${T}`,
    `SELECT count(*) FROM unnest(\${ids}::text[]) AS u(id)`,
    `SELECT extract(epoch FROM at) FROM rules WHERE tenant_id = ${T} AND a IS DISTINCT FROM b`,
    `WITH x AS (SELECT 1 FROM rules WHERE tenant_id = ${T}) SELECT 1 FROM x`,
    `INSERT INTO rules (tenant_id, a) VALUES (${T}, 1)`,
    `INSERT INTO rules AS x (tenant_id, a) SELECT tn.tenant_id, u.a FROM tenants tn, unnest(\${as}::int[]) AS u(a) WHERE tn.tenant_id = ${T} ON CONFLICT (tenant_id, a) DO NOTHING`,
    `UPDATE rules r SET a = u.a FROM unnest(\${as}::int[]) u WHERE r.tenant_id = ${T}`,
    `DELETE FROM rules WHERE tenant_id = ${T} AND id IN (SELECT id FROM rules WHERE tenant_id = ${T})`,
    `AND r.a = \${a}`,
    'SET LOCAL synchronous_commit = off',
  ])('and passes: %s', sql => {
    expect(lint(sql)).toEqual([])
  })

  test.each([
    ['a table without it', 'SELECT 1 FROM rules'],
    ['a column instead of a condition', `SELECT tenant_id = ${T} FROM rules`],
    ['another value', `SELECT 1 FROM rules WHERE tenant_id = \${other}`],
    [
      'one of two tables',
      `SELECT 1 FROM rules r JOIN events e ON e.id = r.id WHERE r.tenant_id = ${T}`,
    ],
    [
      'a bare name for two tables',
      `SELECT 1 FROM rules r, events e WHERE r.tenant_id = e.id AND e.tenant_id = ${T}`,
    ],
    ['a subquery', `SELECT 1 FROM rules WHERE tenant_id = ${T} AND id IN (SELECT id FROM events)`],
    [
      'a correlated subquery',
      `SELECT 1 FROM rules r WHERE r.tenant_id = ${T} AND EXISTS (SELECT 1 FROM events e WHERE e.tenant_id = r.tenant_id)`,
    ],
    ['a common table expression', `WITH x AS (SELECT 1 FROM rules) SELECT 1 FROM x`],
    [
      'a part of a union',
      `(SELECT 1 FROM rules WHERE tenant_id = ${T}) UNION ALL (SELECT 1 FROM events)`,
    ],
    ['a condition inside brackets only', `SELECT 1 FROM rules WHERE (tenant_id = ${T} OR true)`],
    ['an update', 'UPDATE rules SET a = 1'],
    ['a deletion', `DELETE FROM rules r USING events e WHERE r.id = e.id AND e.tenant_id = ${T}`],
    ['a lock', 'SELECT 1 FROM rules WHERE id = 1 FOR UPDATE SKIP LOCKED'],
    ['an insert without the column', `INSERT INTO rules (a, tenant_id) VALUES (${T}, ${T})`],
    ['an insert of another value', `INSERT INTO rules (tenant_id, a) VALUES (\${other}, 1)`],
    [
      'an insert from a loose table',
      'INSERT INTO rules (tenant_id, a) SELECT e.tenant_id, 1 FROM events e',
    ],
    [
      'a conflict on less',
      `INSERT INTO rules (tenant_id, a) VALUES (${T}, 1) ON CONFLICT (a) DO NOTHING`,
    ],
    ['a fragment with a subquery', 'AND EXISTS (SELECT 1 FROM events)'],
    [
      'a fragment inside the statement',
      `SELECT 1 FROM rules WHERE tenant_id = ${T}
        \${a ? tx\`AND id IN (SELECT id FROM events)\` : tx\`\`}`,
    ],
  ])('and is caught: %s', (_, sql) => {
    expect([...new Set(lint(sql))]).toEqual(TENANT)
  })

  test('OR outside brackets, and a table that no migration makes', () => {
    expect(lint(`SELECT 1 FROM rules WHERE tenant_id = ${T} OR a = 1`)).toEqual(['or-in-brackets'])
    expect(lint(`SELECT 1 FROM secrets WHERE tenant_id = ${T}`)).toEqual(['known-table'])
  })
})

describe('a statement keeps to what a cluster can do', () => {
  test.each([
    ['time-is-a-parameter', `SELECT now() FROM rules WHERE tenant_id = ${T}`],
    [
      'time-is-a-parameter',
      `SELECT 1 FROM rules WHERE tenant_id = ${T} AND at < CURRENT_TIMESTAMP`,
    ],
    ['time-is-a-parameter', `UPDATE rules SET id = gen_random_uuid() WHERE tenant_id = ${T}`],
    ['time-is-a-parameter', `UPDATE rules SET at = at + interval '1 day' WHERE tenant_id = ${T}`],
    [
      'time-is-a-parameter',
      `DELETE FROM rules WHERE tenant_id = ${T} AND date_trunc('day', at) = a`,
    ],
    ['no-advisory-lock', 'SELECT pg_advisory_xact_lock(1)'],
    ['no-session-state', 'SET statement_timeout = 0'],
  ])('%s: %s', (rule, sql) => {
    expect(lint(sql)).toEqual([rule])
  })

  test('instants that are passed in as numbers are not computed', () => {
    const passed = `timestamptz 'epoch' + unnest(\${list}::bigint[]) * interval '1 ms'`
    expect(
      lint(`UPDATE rules r SET at = u.at FROM (SELECT ${passed} AS at) u WHERE r.tenant_id = ${T}`),
    ).toEqual([])
  })

  test('no MERGE, no TRUNCATE, nothing else than rows', () => {
    expect(lint('MERGE INTO rules USING events ON true')).toEqual(['no-merge', 'rows-only'])
    expect(lint('TRUNCATE rules')).toEqual(['no-merge', 'rows-only'])
    expect(lint('CREATE TABLE a (b int)')).toEqual(['rows-only'])
  })
})

describe('a scan across tenants', () => {
  const [file, name] = ['server/src/tenants/tenants.queries.ts', 'listTenants']

  test('stands on the list and only reads', () => {
    expect(lint('SELECT 1 FROM tenants', file, name)).toEqual([])
    expect(lint('SELECT 1 FROM tenants', file, 'other')).toEqual(['names-its-tenant'])
    const rule = 'across-tenants-reads-only'
    expect(lint('SELECT 1 FROM tenants FOR UPDATE', file, name)).toEqual([rule])
    expect(lint('DELETE FROM tenants', file, name)).toEqual([rule])
  })

  test('for work leaves out tenants that are being deleted', () => {
    const scan = 'SELECT 1 FROM tenants t'
    expect(lint(scan, file, name)).toEqual(['across-tenants-by-status'])
    expect(lint(`${scan} WHERE t.status <> 'deleting'`, file, name)).toEqual([])
  })

  test('is called through its door, and an entry without a statement is stale', () => {
    const rules = (text: string) =>
      lintLists(new Map([['server/src/x.ts', text]])).map(one => one.rule)
    const door = (text: string) => rules(text).filter(rule => rule !== 'stale-list')
    expect(door('await db.inTenant(id, tx => listTenants(tx, 1, 0))')).toEqual([
      'across-tenants-door',
    ])
    expect(door('await db.acrossTenants(tx => listTenants(tx, 1, 0))')).toEqual([])
    expect(rules('')).toContain('stale-list')
  })
})

describe('a migration', () => {
  const GOOD = `CREATE TABLE a (
    tenant_id text NOT NULL, b text NOT NULL,
    CONSTRAINT a_pk PRIMARY KEY (tenant_id, b),
    CONSTRAINT a_c FOREIGN KEY (tenant_id, b) REFERENCES c (tenant_id, b));
    CREATE UNIQUE INDEX a_b ON a USING btree (tenant_id, lower(b)) WHERE b <> '';`
  const rules = (sql: string) => lintMigration('0009_x.sql', sql).map(one => one.rule)

  test('that keeps the rules passes', () => {
    expect(rules(GOOD)).toEqual([])
    expect(rules(`-- no triggers: CREATE TRIGGER\n${GOOD}`)).toEqual([])
    expect(rules('CREATE INDEX a_d ON a USING gin (grams(tenant_id, b));')).toEqual([])
  })

  test.each([
    ['tenant-first', GOOD.replace('tenant_id text NOT NULL, b text', 'b text, tenant_id text')],
    ['tenant-first', GOOD.replace('PRIMARY KEY (tenant_id, b)', 'PRIMARY KEY (b)')],
    ['tenant-first', GOOD.replace('REFERENCES c (tenant_id, b)', 'REFERENCES c (b)')],
    ['tenant-first', GOOD.replace('btree (tenant_id, lower(b))', 'btree (lower(b), tenant_id)')],
    ['tenant-first', GOOD.replace('btree (tenant_id, lower(b))', 'gin (grams(b, tenant_id))')],
    ['primary-key', GOOD.replace('PRIMARY KEY', 'UNIQUE')],
    ['constraint-name', GOOD.replace('CONSTRAINT a_pk ', '')],
    ['constraint-name', GOOD.replace('b text NOT NULL', "b text NOT NULL CHECK (b <> '')")],
    ['constraint-name', GOOD.replace('a_pk', 'a'.repeat(51))],
    ['constraint-name', GOOD.replace('INDEX a_b ON', 'INDEX ON')],
    ['constraint-name', GOOD.replace('INDEX a_b', `INDEX ${'a'.repeat(51)}`)],
    ['no-set-null', GOOD.replace('c (tenant_id, b)', 'c (tenant_id, b) ON DELETE SET NULL')],
    ['no-sequence', GOOD.replace('b text', 'b bigserial')],
    ['no-unlogged', GOOD.replace('CREATE TABLE', 'CREATE UNLOGGED TABLE')],
    ['time-is-a-parameter', GOOD.replace('b text NOT NULL', 'b timestamptz DEFAULT now()')],
    ['no-trigger', `${GOOD} CREATE TRIGGER t BEFORE INSERT ON a EXECUTE FUNCTION f();`],
    ['no-merge', `${GOOD} MERGE INTO a USING c ON true WHEN MATCHED THEN DELETE;`],
    ['serves-the-release-before', 'ALTER TABLE a DROP COLUMN b;'],
    ['serves-the-release-before', 'ALTER TABLE a RENAME COLUMN b TO c;'],
    ['serves-the-release-before', 'ALTER TABLE a ALTER COLUMN b TYPE bigint;'],
    ['serves-the-release-before', 'ALTER TABLE a ALTER COLUMN b SET NOT NULL;'],
    ['serves-the-release-before', 'ALTER TABLE a ADD COLUMN b text NOT NULL;'],
  ])('%s', (rule, sql) => {
    expect(rules(sql)).toEqual([rule])
  })

  test('adds what the release before need not know', () => {
    const sql = `ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT '', ADD COLUMN c integer;`
    expect(rules(sql)).toEqual([])
    expect(lintMigration('0003_x.sql', 'ALTER TABLE a DROP COLUMN b;')).toEqual([])
  })
})
