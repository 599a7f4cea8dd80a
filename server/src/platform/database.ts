// The doors to PostgreSQL: a transaction of one tenant, a still picture of one, or a read-only look across tenants.
import { isAway, isRetryable } from './database-errors.ts'
import type { DatabaseRoles } from './database-roles.ts'
import { withDeadline } from './deadline.ts'
import type { PostgresAddress } from './embedded-postgres.ts'
import { unavailable } from './errors.ts'
import { createFairGate } from './fair-gate.ts'
import { observeRunning, observeTransaction } from './observe-transactions.ts'
import { openPool, type Pool } from './pool.ts'
import { longer, type Patience, sessionSettings, transactionSettings } from './session-settings.ts'
import type { TransactionTag } from './transaction.ts'

export type Tx = TransactionTag

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
  sql: Pool
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
  const { address, pool, prepare, patience } = options
  const sql = openPool({
    address,
    max: pool,
    prepare,
    settings: sessionSettings(options),
    silence_ms: patience ? (patience.silence_ms ?? SILENCE_MS) : null,
  })
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
    // What is set holds from the first statement on, and where it fails the transaction fails.
    const opening = [`BEGIN ${kind}`, ...[...common, ...settings].map(one => `SET LOCAL ${one}`)]
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
    close: () => sql.end(),
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

/** Its COMMIT is not sent after the deadline: the server's own limit is later, and some servers know none. */
async function runOnce<T>(
  sql: Pool,
  opening: readonly string[],
  todo: (tx: Tx) => Promise<T>,
  deadline_ms: number,
): Promise<T> {
  const last = performance.now() + deadline_ms
  return sql.begin(tx => observeRunning(todo(tx)), { opening, last })
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
