// The SQL rules of the house, as far as text can tell: one tenant, no clock, no session. Pure.
import { closingOf, lineOf, readSource } from './source-text.ts'
import { boundNames, isTenantValue, mainPart, tablesOf, targetOf, verbOf } from './sql-tables.ts'
import {
  commonTables,
  listStatements,
  type Query,
  type Statement,
  splitQueries,
} from './sql-text.ts'
import type { Violation } from './tidy.ts'

/** The statements that may look at several tenants, each with its reason. */
const ACROSS_TENANTS: Record<string, string> = {
  'server/src/tenants/tenants.queries.ts listTenants': 'the operator lists all tenants',
  'server/src/tenants/tenants.queries.ts listThose': 'which of the tenants that are named exist',
  'server/src/tenants/tenants.queries.ts countTenants': 'is the database still empty',
  'server/src/tenants/tenants.queries.ts listUnderWay': 'the catalog, for deleting a tenant',
  'server/src/platform/migrate.ts isCurrent': 'schema_migrations belongs to no tenant',
  'server/src/idempotency/answers.queries.ts tenantsWithOldAnswers': 'a scan for what is due',
  'server/src/endings/endings.queries.ts tenantsWithMadeWebhooks': 'a scan for what is due',
  'server/src/oauth/tokens.queries.ts tenantsWithOldTokens': 'a scan for what is due',
  'server/src/events/due-changes.queries.ts tenantsWithDue': 'a scan for what is due',
  'server/src/events/unmatched.queries.ts tenantsWithExpiredUnmatched': 'a scan for what is due',
  'server/src/webhooks/claims.queries.ts tenantsWithDueDeliveries': 'a scan for what is due',
  'server/src/webhooks/queue.queries.ts tenantsWithLaterDeliveries': 'a scan for what is due',
  'server/src/webhooks/queue.queries.ts tenantsWithFarDeliveries': 'a scan for what is due',
  'server/src/webhooks/far-notices.queries.ts tenantsWithFarNotices': 'a scan for what is due',
  'server/src/webhooks/retention.queries.ts tenantsWithOldMessages': 'a scan for what is due',
  'server/src/webhooks/webhooks.queries.ts tenantsWithRecoveries': 'a scan for what is due',
  'server/src/scores/close-days.queries.ts tenantsToClose': 'a scan for what is due',
  'server/src/scores/add-up-counts.queries.ts tenantsWithEntries': 'a scan for what is due',
  'server/src/scores/past.queries.ts tenantsToAge': 'a scan for what is due',
  'server/src/replays/jobs.queries.ts tenantsWithJobs': 'a scan for what is due',
  'server/src/replays/jobs.queries.ts tenantsWithFarJobs': 'a scan for what is due',
  'server/src/replays/jobs.queries.ts tenantsWithOldJobs': 'a scan for what is due',
  'server/src/actions/carry-out.queries.ts tenantsWithDueMail': 'a scan for what is due',
  'server/src/actions/carry-out.queries.ts tenantsWithFarMail': 'a scan for what is due',
  'server/src/actions/carry-out.queries.ts tenantsWithExpired': 'a scan for what is due',
  'server/src/events/retention.queries.ts tenantsWithOldEvents': 'a scan for what is due',
  'server/src/events/close-events.queries.ts tenantsToCloseEvents': 'a scan for what is due',
  'server/src/webhooks/inbox.queries.ts tenantsWithUnmailed': 'a scan for what is due',
  'server/src/webhooks/inbox.queries.ts tenantsWithDueDigests': 'a scan for what is due',
  'server/src/webhooks/inbox.queries.ts tenantsWithOldNotices': 'a scan for what is due',
  'server/src/verify/verify.queries.ts tenantsAfter':
    'the round of verification through all tenants',
  'server/src/queue-depths.queries.ts readDueDeliveries': 'how much is due, for metrics',
  'server/src/queue-depths.queries.ts readDueChanges': 'how much is due, for metrics',
  'server/src/queue-depths.queries.ts readDueActions': 'how much is due, for metrics',
  'server/src/queue-depths.queries.ts readOpenJobs': 'how much is to do, for metrics',
  'server/src/queue-depths.queries.ts readCountEntries': 'how much is to add up, for metrics',
}

/** Statements that are neither a read nor a write of rows, and the migration runner's own. */
const APART: Record<string, string> = {
  'server/src/platform/migration-turns.ts inTurn': 'the runner: its mutex belongs to no tenant',
  'server/src/platform/migrate.ts listMissing': 'the runner: its table belongs to no tenant',
  'server/src/platform/migrate.ts runNext': 'the runner: its table belongs to no tenant',
  'server/src/platform/clock.queries.ts readDatabaseClock': 'what time the database has',
  'server/src/platform/measure-tables.queries.ts listGrown': 'the catalog, for the planner',
  'server/src/platform/database.ts analyze': 'statistics of the planner are of no tenant',
  'server/src/platform/secure-tenants.ts listRoleFaults': 'the catalog, for row-level security',
  'server/src/platform/secure-tenants.ts readUser': 'the catalog, for row-level security',
  'server/src/platform/secure-tenants.ts listTables': 'the catalog, for row-level security',
  'server/src/platform/secure-tenants.ts hasPolicy': 'the catalog, for row-level security',
  'server/src/platform/secure-tenants.ts listScanFaults': 'the catalog, for row-level security',
  'server/src/platform/secure-tenants.ts listSchemaFaults': 'the catalog, for row-level security',
  'server/src/platform/migrate.ts distribute':
    'the runner spreads the tables where Citus is present',
  'server/src/webhooks/webhooks.queries.ts listOnlookers': 'the catalog, for a recovery',
  'server/src/backup/backup.queries.ts unbind': 'a backup is of all tenants, as the owner',
  'server/src/backup/backup.queries.ts holdForms': 'a backup is of all tenants, as the owner',
  'server/src/backup/backup.queries.ts holdRows': 'a backup is of all tenants, as the owner',
  'server/src/backup/backup.queries.ts readVersions': 'schema_migrations belongs to no tenant',
  'server/src/backup/backup.queries.ts listTables': 'the catalog, for backups',
  'server/src/backup/backup.queries.ts hasRows': 'a backup is of all tenants, as the owner',
  'server/src/backup/backup.queries.ts countRows': 'a backup is of all tenants, as the owner',
  'server/src/backup/backup.queries.ts copyOut': 'a backup is of all tenants, as the owner',
  'server/src/backup/backup.queries.ts copyIn': 'a backup is of all tenants, as the owner',
  'server/src/backup/tombstones.queries.ts listTombstones':
    'what has ended, of all tenants, as the owner',
  'server/src/backup/tombstones.queries.ts listKeysInForce':
    'the keys of all tenants, as the owner',
  'server/src/backup/tombstones.queries.ts countInForce':
    'what is in force, of all tenants, as the owner',
  'server/src/backup/tombstones.queries.ts endSignIns': 'a restore is of all tenants, as the owner',
  'server/src/backup/backup.queries.ts refreshPlans': 'statistics of the planner are of no tenant',
  'server/src/demo/demo.queries.ts refreshStatistics': 'statistics of the planner are of no tenant',
}

const EVERYWHERE: readonly [rule: string, pattern: RegExp, message: string][] = [
  [
    'time-is-a-parameter',
    /\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid|uuidv[47]|nextval)\s*\(|\b(?:current_timestamp|current_date|current_time|localtime|localtimestamp)\b/i,
    'the clock and chance are asked in code and passed in',
  ],
  ['no-advisory-lock', /\bpg_(?:try_)?advisory_\w+/i, 'a row is the lock'],
  [
    'no-session-state',
    /^\s*SET\s+(?!LOCAL\b)|^\s*(?:PREPARE|LISTEN|UNLISTEN|DECLARE|DISCARD)\b|\bCREATE\s+TEMP|\bWITH\s+HOLD\b/i,
    'nothing outlives the transaction',
  ],
  ['no-merge', /^\s*(?:MERGE|TRUNCATE|LOCK|COPY)\b/i, 'this does not run on every cluster'],
]

const IN_WRITES = /\bdate_trunc\s*\(|\binterval\s*''|::\s*interval\b|\bmake_interval\s*\(/i
/** Instants that are passed in as numbers, milliseconds since the epoch. */
const PASSED_IN = /timestamptz\s*''\s*\+\s*unnest\([^()]*::bigint\[\]\)\s*\*\s*interval\s*''/gi
const LOCKS = /\bFOR\s+(?:NO\s+KEY\s+UPDATE|UPDATE|KEY\s+SHARE|SHARE)\b/i
const ROWS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'WITH', 'VALUES']
/** A fragment: part of a condition, an order, a list of columns. */
const STATEMENT =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|VALUES|SET|MERGE|TRUNCATE|LOCK|COPY|CREATE|ALTER|DROP|ANALYZE|VACUUM|PREPARE|LISTEN|UNLISTEN|DECLARE|DISCARD|REINDEX|CLUSTER)\b/i

type Fault = { rule: string; message: string }

export function lintFile(file: string, text: string, tables: ReadonlySet<string>): Violation[] {
  return listStatements(file, text).flatMap(statement =>
    lintStatement(statement, tables).map(fault => ({
      file,
      line: lineOf(text, statement.at),
      ...fault,
    })),
  )
}

function lintStatement(statement: Statement, tables: ReadonlySet<string>): Fault[] {
  const place = `${statement.file} ${statement.within}`
  if (place in APART) return []
  const queries = splitQueries(statement.sql)
  const common = commonTables(queries)
  const writes = queries.some(query => targetOf(query) !== null)
  const faults = EVERYWHERE.filter(([, pattern]) => pattern.test(statement.sql)).map(
    ([rule, , message]) => ({ rule, message }),
  )
  if (writes && IN_WRITES.test(statement.sql.replace(PASSED_IN, ''))) {
    faults.push({ rule: 'time-is-a-parameter', message: 'a write computes no time' })
  }
  if (place in ACROSS_TENANTS) return [...faults, ...lintScan(statement, writes)]
  if (STATEMENT.test(statement.sql) && !ROWS.includes(verbOf(queries[0]!)))
    faults.push(...lintOther(queries[0]!))
  return [...faults, ...queries.flatMap(query => lintQuery(query, common, tables))]
}

function lintScan({ sql }: Statement, writes: boolean): Fault[] {
  const faults: Fault[] = []
  if (writes || LOCKS.test(sql)) {
    faults.push({ rule: 'across-tenants-reads-only', message: 'it writes or locks' })
  }
  if (/\btenants t\b/.test(sql) && !/\bt\.status\b/.test(sql)) {
    const message = 'one that is being deleted has no work and is counted nowhere'
    faults.push({ rule: 'across-tenants-by-status', message })
  }
  return faults
}

function lintOther(query: Query): Fault[] {
  const verb = verbOf(query)
  if (verb === 'SET') return []
  return [{ rule: 'rows-only', message: `${verb} stands on no list` }]
}

/** A query inside brackets in a fragment counts as well; a fragment alone has no verb and no tables. */
function lintQuery(query: Query, common: ReadonlySet<string>, known: ReadonlySet<string>): Fault[] {
  if (!ROWS.includes(verbOf(query))) return []
  const tables = tablesOf(query, common)
  const bound = boundNames(query, tables)
  const target = targetOf(query)
  const inserts = verbOf(query) === 'INSERT'
  const loose = tables.filter(table => !bound.has(table.alias) && !(inserts && table === tables[0]))
  const unknown = tables.filter(({ name }) => !name.startsWith('⟨') && !known.has(name))
  return [
    ...unknown.map(({ name }) => ({ rule: 'known-table', message: `no migration makes ${name}` })),
    ...loose.map(({ name, alias }) => ({
      rule: 'names-its-tenant',
      message: `${name === alias ? name : `${name} ${alias}`} is not bound by tenant_id = \${tenant_id}`,
    })),
    ...(inserts && target ? lintInsert(query, bound) : []),
    ...(tables.length > 0 ? lintOr(query) : []),
  ]
}

/** `a AND b OR c` would undo the tenant's condition. */
function lintOr(query: Query): Fault[] {
  const condition = /\bWHERE\b([\s\S]*)$/i.exec(mainPart(query))?.[1] ?? ''
  const isLoose = /\bOR\b/i.test(condition.replaceAll(/\bCASE\b[\s\S]*?\bEND\b/gi, ''))
  return isLoose ? [{ rule: 'or-in-brackets', message: 'put OR in brackets' }] : []
}

function lintInsert(query: Query, bound: ReadonlySet<string>): Fault[] {
  const text = mainPart(query)
  const group = (marker: string | undefined) => query.groups[Number(marker)] ?? ''
  const first = (list: string) => list.split(',')[0]!.trim()
  const faults: Fault[] = []
  const columns = /^\s*INSERT\s+INTO\s+\S+(?:\s+AS\s+\w+)?\s*\(#(\d+)\)/i.exec(text)?.[1]
  if (first(group(columns)) !== 'tenant_id') {
    faults.push({ rule: 'names-its-tenant', message: 'the first column of an INSERT is tenant_id' })
  }
  const values = /\bVALUES\b((?:\s*,?\s*\(#\d+\))+)/i.exec(text)?.[1]
  const given = values
    ? [...values.matchAll(/#(\d+)/g)].map(match => first(group(match[1])))
    : [first(/\bSELECT\b([\s\S]*)$/i.exec(text)?.[1] ?? '')]
  const fits = (value: string) => {
    const column = /^(\w+)\.tenant_id\b/.exec(value)?.[1]
    return isTenantValue(value) || (column !== undefined && bound.has(column))
  }
  if (!given.every(fits)) {
    faults.push({ rule: 'names-its-tenant', message: 'the first value of an INSERT is the tenant' })
  }
  const conflict = /\bON\s+CONFLICT\s*\(#(\d+)\)/i.exec(text)?.[1]
  if (conflict !== undefined && first(group(conflict)) !== 'tenant_id') {
    faults.push({ rule: 'names-its-tenant', message: 'a conflict is told by tenant_id first' })
  }
  return faults
}

/** Entries of the lists that no longer name a statement, and scans called without acrossTenants. */
export function lintLists(texts: ReadonlyMap<string, string>): Violation[] {
  const places = new Set(
    [...texts].flatMap(([file, text]) =>
      listStatements(file, text).map(one => `${file} ${one.within}`),
    ),
  )
  const stale = [...Object.keys(ACROSS_TENANTS), ...Object.keys(APART)]
    .filter(place => !places.has(place))
    .map(place => ({
      file: place.split(' ')[0]!,
      line: 1,
      rule: 'stale-list',
      message: `${place} names no statement any more`,
    }))
  const queries = Object.keys(ACROSS_TENANTS).filter(place => place.includes('.queries.ts '))
  const scans = new Set(queries.map(place => place.split(' ')[1]!))
  return [...stale, ...[...texts].flatMap(([file, text]) => lintCalls(file, text, scans))]
}

function lintCalls(file: string, text: string, scans: ReadonlySet<string>): Violation[] {
  const { code } = readSource(text)
  const doors = [...code.matchAll(/\bacrossTenants\s*(?=\()/g)].map(match => {
    const open = code.indexOf('(', match.index)
    return [open, closingOf(code, open)] as const
  })
  return [...code.matchAll(/(?<!function\s+)\b(\w+)\s*\(/g)]
    .filter(match => scans.has(match[1]!))
    .filter(({ index }) => !doors.some(([from, to]) => index > from && index < to))
    .map(match => ({
      file,
      line: lineOf(text, match.index),
      rule: 'across-tenants-door',
      message: `${match[1]} is called only through acrossTenants`,
    }))
}
