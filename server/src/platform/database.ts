// The doors to PostgreSQL: a transaction of one tenant, a still picture of one, or a read-only look across tenants.
import type pg from 'postgres'
import { arrayLiteral } from './array-literal.ts'
import { isAway, isRetryable } from './database-errors.ts'
import type { DatabaseRoles } from './database-roles.ts'
import { openSocket } from './database-socket.ts'
import { withDeadline } from './deadline.ts'
import { postgres } from './driver.ts'
import type { PostgresAddress } from './embedded-postgres.ts'
import { unavailable } from './errors.ts'
import { createFairGate } from './fair-gate.ts'
import { observeRunning, observeTransaction } from './observe-transactions.ts'
import { longer, type Patience, sessionSettings, transactionSettings } from './session-settings.ts'

export type Tx = pg.TransactionSql<Record<string, never>>
type Sql = pg.Sql<Record<string, never>>

export type Database = {
  /**
   * One transaction of one tenant. `work` may run again after a deadlock: no effects outside `tx`. One of many short
   * statements may be given more time in all.
   */
  inTenant<T>(tenant_id: string, work: (tx: Tx) => Promise<T>, deadline_ms?: number): Promise<T>
  /** A read-only transaction of one tenant in which all statements see the same moment; its time as above. */
  readTenant<T>(tenant_id: string, work: (tx: Tx) => Promise<T>, deadline_ms?: number): Promise<T>
  /** A read-only transaction that may look at several tenants; its statements stand on the lint's list. */
  acrossTenants<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Takes statistics of a table, which make its plans anew; they are of no tenant. A table that is locked is left out. */
  measure(table: string): Promise<void>
  /** Calls back on every NOTIFY of the channel: a hint only, polling must suffice. */
  listen(channel: string, heard: (payload: string) => void): Promise<void>
  /** The pool itself, for the migration runner. */
  sql: Sql
  close(): Promise<void>
}

type Wrap = <T>(tx: Tx, todo: (tx: Tx) => Promise<T>) => Promise<T>

export type DatabaseOptions = {
  address: PostgresAddress | string
  pool: number
  prepare: boolean
  /** The second lock: statements run as roles that row-level security holds to the transaction's tenant. */
  roles?: DatabaseRoles | null
  /** Of a pool that serves: neither side waits for ever for one that stands still. */
  patience?: Patience
  /** For tests alone: sees every statement of every transaction of a tenant, and may change it. */
  wrap?: Wrap
}

const TRANSACTION_DEADLINE_MS = 40_000
/** An answer takes no longer than its statement may. */
const SILENCE_MS = 35_000
const ATTEMPTS = 5
const PICTURE = 'isolation level repeatable read read only'
/** Each statement sees what was committed before it, whatever the database is set to: after a lock, what its holder did. */
const FRESH = 'isolation level read committed'

/** Rows of no tenant: users, sessions, throttles and buckets of addresses. */
export const RESERVED_TENANT = '_'

export function openDatabase(options: DatabaseOptions): Database {
  const sql = openPool(options)
  const gate = createFairGate(options.pool, () => performance.now())
  const { roles = null, wrap = (tx, todo) => todo(tx) } = options
  const usual_ms = options.patience?.deadline_ms ?? TRANSACTION_DEADLINE_MS
  // Behind a pooler a connection is not ours alone: the role is taken in each transaction.
  const role = roles && !options.prepare ? roles.tenant : null
  const common = transactionSettings(options)
  const begin = <T>(
    kind: string,
    settings: string[],
    todo: (tx: Tx) => Promise<T>,
    deadline_ms = usual_ms,
  ) => {
    // One message: what is set holds from the first statement on, and where it fails the transaction fails.
    const opening = [kind, ...[...common, ...settings].map(one => `SET LOCAL ${one}`)].join('; ')
    return guarded(() => runOnce(sql, opening, todo, deadline_ms), deadline_ms)
  }
  const work = <T>(
    kind: string,
    tenant_id: string,
    todo: (tx: Tx) => Promise<T>,
    deadline_ms?: number,
  ) => {
    const settings = [
      ...(role ? [`ROLE ${role}`] : []),
      ofTenant(tenant_id),
      ...(deadline_ms === undefined ? [] : longer(options, deadline_ms - TRANSACTION_DEADLINE_MS)),
    ]
    return begin(kind, settings, tx => wrap(tx, todo), deadline_ms)
  }
  return {
    sql,
    inTenant: (tenant_id, todo, deadline_ms) =>
      observeTransaction('tenant', () =>
        gate(tenant_id, () => work(FRESH, tenant_id, todo, deadline_ms)),
      ),
    readTenant: (tenant_id, todo, deadline_ms) =>
      // What was read holds whatever the COMMIT says, so nobody waits for it but the next on the connection.
      new Promise((resolve, reject) => {
        const read = async (tx: Tx) => resolve(await todo(tx))
        const run = () => work(PICTURE, tenant_id, read, deadline_ms)
        observeTransaction('picture', () => gate(tenant_id, run)).catch(reject)
      }),
    acrossTenants: todo => {
      const settings = roles ? [`ROLE ${roles.scan}`] : []
      // Invariant: those who look across tenants are few, and no caller is among them who were better off with a no.
      return observeTransaction('scan', () =>
        gate('', () => begin(`${FRESH} read only`, settings, todo), Infinity),
      )
    },
    measure: table =>
      gate('', () => begin(FRESH, ['ROLE NONE'], tx => analyze(tx, table)), Infinity),
    listen: async (channel, heard) => {
      await sql.listen(channel, heard)
    },
    close: () => sql.end({ timeout: 5 }),
  }
}

/**
 * A transaction with this setting sees the rows of this tenant alone.
 * Invariant: an id is letters, digits and _; anything else becomes '', a tenant without rows.
 */
function ofTenant(tenant_id: string): string {
  return `bellwether.tenant_id = '${/^\w+$/.test(tenant_id) ? tenant_id : ''}'`
}

/**
 * Whether the tenant exists, for writes that read nothing else of it; the reserved one has no row but always does.
 */
export function isThere(tx: Tx, tenant_id: string) {
  if (tenant_id === RESERVED_TENANT) return tx`true`
  return tx`EXISTS (SELECT 1 FROM tenants tn WHERE tn.tenant_id = ${tenant_id})`
}

async function analyze(tx: Tx, table: string): Promise<void> {
  await tx`ANALYZE (SKIP_LOCKED) ${tx(table)}`
}

/** Goes out with the next statement; where it fails the transaction fails. */
export function enterTenant(tx: Tx, tenant_id: string): void {
  tx.unsafe(`SET LOCAL ${ofTenant(tenant_id)}`).execute()
}

function openPool(options: DatabaseOptions): Sql {
  const { address, pool, prepare, patience } = options
  const common = {
    max: pool,
    prepare,
    idle_timeout: 0,
    connect_timeout: 5,
    // The default back-off grows to 20 s and every query waits for it.
    backoff: () => 0.25,
    onnotice: () => {},
    // Without the types a list would be read as text; the address cannot say otherwise.
    fetch_types: true,
    connection: sessionSettings(options),
    types: {
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
      day: { to: 1082, from: [1082], parse: (text: string) => text, serialize: String },
    },
    socket: openSocket(patience ? (patience.silence_ms ?? SILENCE_MS) : null),
  }
  if (typeof address === 'string') {
    const bare = leaveOut(address, Object.keys(common.connection))
    return postgres(bare, { ...common, ...readPlace(address) } as never) as unknown as Sql
  }
  const { host, port, user, database, password } = address
  const place = { path: `${host}/.s.PGSQL.${port}`, user, database, password }
  return postgres({ ...common, ...place } as never) as unknown as Sql
}

/** The driver would take what an address says of a session over what we say. */
function leaveOut(address: string, settings: readonly string[]): string {
  const ours = new Set(settings.map(name => name.toLowerCase()))
  const url = new URL(address)
  for (const name of [...url.searchParams.keys()]) {
    if (ours.has(name.toLowerCase()) && name !== 'application_name') url.searchParams.delete(name)
  }
  return url.href
}

type Place = { path?: string; host?: string[]; port?: number[]; database?: string }

/**
 * The host of a URL may be a percent-encoded folder, that of a unix socket, or [::1], and its path a percent-encoded
 * name; the driver reads none of them so.
 */
function readPlace(address: string): Place {
  const { hostname, port, pathname } = new URL(address)
  const at = Number(port || 5432)
  const name = decodeURIComponent(pathname.slice(1))
  const database = name === '' ? {} : { database: name }
  if (hostname.startsWith('[')) return { host: [hostname.slice(1, -1)], port: [at], ...database }
  const folder = decodeURIComponent(hostname)
  return { ...(folder.startsWith('/') ? { path: `${folder}/.s.PGSQL.${at}` } : {}), ...database }
}

/**
 * The driver declares an array of dates, booleans or bytes as one date, boolean or bytea. Without a
 * declared type it takes the one the statement asks for, as it does for text.
 */
export function withArrays(tx: Tx, isOver = () => false): Tx {
  const bare = (value: unknown) =>
    Array.isArray(value) ? (arrayLiteral(value) ?? tx.typed(value as never, 0)) : value
  const tagged = (first: TemplateStringsArray, ...values: unknown[]) => {
    // Invariant: the connection of a transaction that is over may be in another one, of another tenant. A long one that
    // was given up comes to its end here.
    if (isOver()) throw itIsOver()
    if (!first.raw) return tx(first as never, ...(values as never[]))
    return tx(first, ...(values.map(bare) as never[]))
  }
  return Object.assign(tagged, tx) as unknown as Tx
}

/**
 * Invariant: of a transaction whose caller was told that it failed nothing is kept. Its COMMIT is not sent after the
 * deadline: the server's own limit is later, and some servers know none.
 */
async function runOnce<T>(
  sql: Sql,
  opening: string,
  todo: (tx: Tx) => Promise<T>,
  deadline_ms: number,
): Promise<T> {
  const last = performance.now() + deadline_ms
  let ended = false
  const isOver = () => ended || performance.now() > last
  const work = async (tx: Tx) => {
    const done = await todo(withArrays(tx, isOver))
    if (isOver()) throw itIsOver()
    return done
  }
  const run = sql.begin(opening, tx => observeRunning(work(tx))) as Promise<T>
  return run.finally(() => {
    ended = true
  })
}

function itIsOver(): Error {
  return Object.assign(new Error('it is over'), { code: 'CONNECTION_CLOSED' })
}

async function guarded<T>(run: () => Promise<T>, deadline_ms: number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withDeadline(run(), deadline_ms)
    } catch (error) {
      if (isRetryable(error) && attempt < ATTEMPTS) continue
      if (isAway(error) || isRetryable(error)) {
        throw Object.assign(unavailable(), { cause: error })
      }
      throw error
    }
  }
}
