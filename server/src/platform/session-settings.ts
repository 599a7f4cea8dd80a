// How a session is set, so that no answer depends on how the server, the database or its user is set.
import type { DatabaseRoles } from './database-roles.ts'

/** Which version the server has is known after the first look at it. */
export type Patience = {
  version: number
  silence_ms?: number
  transaction_ms?: number
  deadline_ms?: number
}

type How = { prepare: boolean; roles?: DatabaseRoles | null; patience?: Patience }

/** A pooler as PgBouncer passes on these alone; with any other it refuses the session. */
const PASSED_ON = {
  application_name: 'bellwether',
  TimeZone: 'UTC',
  // The driver would take 04/03/2026 of another style for a day in April.
  DateStyle: 'ISO',
  // What is written in a migration is read as it is written.
  standard_conforming_strings: 'on',
}

/** Invariant: whatever a database or its user may be set to that changes an answer, or ends a session, stands here. */
const OUR_OWN = {
  statement_timeout: '30s',
  /** A process that stood still for minutes does not commit what it began before. */
  idle_in_transaction_session_timeout: '2min',
  // Numbers with all their digits, and bytes as the driver reads them.
  extra_float_digits: '1',
  bytea_output: 'hex',
  // In a list of texts nothing is not the text "NULL".
  array_nulls: 'on',
  // A search finds all there is, not a sample.
  gin_fuzzy_search_limit: '0',
  // How long a lock is waited for is said where it matters.
  lock_timeout: '0',
  row_security: 'on',
  // Every statement is served by an index; a plan cached while a table was empty must not scan it later.
  enable_seqscan: 'off',
  // One plan of a statement for any tenant and any filter, made once. For a tenant newer than its statistics, as after an
  // import, a plan of its own would expect a single row, and compare everything the tenant has with each row of a page.
  plan_cache_mode: 'force_generic_plan',
  // Where no index fits, a plan counts as so dear that it was compiled, on each new connection for a second.
  jit: 'off',
}

/** A session that rests is ours; behind a pooler it is the pooler's. */
const RESTING = { idle_session_timeout: '0' }

/** What a host that vanished has locked is free after a minute; the system's own default is two hours. */
const KEEPALIVE = { tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3 }

/** In the middle of a statement the limit on idle ones does not hold; this one does, on a server that knows it. */
const TRANSACTION_MS = 60_000
const TRANSACTION_TIMEOUT_SINCE = 17

/** Said when a connection is made. */
export function sessionSettings({ prepare, roles, patience }: How) {
  if (!prepare) return PASSED_ON
  return {
    ...PASSED_ON,
    ...OUR_OWN,
    ...RESTING,
    ...(roles ? { role: roles.tenant } : {}),
    ...(patience ? KEEPALIVE : {}),
    ...(endsTransactions({ prepare, patience })
      ? { transaction_timeout: patience?.transaction_ms ?? TRANSACTION_MS }
      : {}),
  }
}

/** Said at the beginning of each transaction: behind a pooler a connection is not ours alone. */
export function transactionSettings({ prepare }: How): string[] {
  if (prepare) return []
  return Object.entries(OUR_OWN).map(([name, value]) => `${name} = '${value}'`)
}

/** For one that may take longer. The limit that began with it goes on counting until there is none, whatever it is set to. */
export function longer(options: How, more_ms: number): string[] {
  if (!endsTransactions(options)) return []
  return ['transaction_timeout = 0', `transaction_timeout = ${TRANSACTION_MS + more_ms}`]
}

function endsTransactions({ prepare, patience }: How) {
  return prepare && patience !== undefined && patience.version >= TRANSACTION_TIMEOUT_SINCE
}
