// Waits, for a bounded time, until the database answers, says in plain words why it does not, and whether it may be used.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.ts'
import { errorCode, isAway } from './database-errors.ts'

const PATIENCE_MS = 5_000
/** On a busy machine the time is over before anything was tried. */
const LEAST_ATTEMPTS = 4
const PAUSE_MS = 200
const OLDEST_VERSION = 15

/** All that ids are made of. */
const LETTERS = [...'0123456789abcdefghijklmnopqrstuvwxyz']

const STRANGE =
  'nobody known here vouches for its certificate: NODE_EXTRA_CA_CERTS names the file of an authority of your own'

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused: is PostgreSQL running there?',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up',
  CONNECT_TIMEOUT: 'it does not answer',
  DEADLINE: 'it does not answer',
  EARLY_END: 'it closes the connection at once',
  NO_TLS: 'it offers no TLS: switch it on there, or take sslmode out of DATABASE_URL',
  DEPTH_ZERO_SELF_SIGNED_CERT: STRANGE,
  SELF_SIGNED_CERT_IN_CHAIN: STRANGE,
  UNABLE_TO_GET_ISSUER_CERT: STRANGE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: STRANGE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: STRANGE,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host name or address than the one that was given',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  '28P01': 'user or password is wrong',
  '3D000': 'there is no such database',
  '53300': 'it has no connection left',
}

/** It may be the user, or from where it comes, or without TLS: the database itself says which. */
const NOT_LET_IN = '28000'

function sayReason(error: Error): string {
  const code = errorCode(error)
  if (code === NOT_LET_IN)
    return `${error.message}: see its users, its pg_hba.conf, or add ?sslmode=verify-full`
  return REASONS[code] ?? error.message
}

/** Returns its version, or fails with the reason alone; the caller knows which setting named the database. */
export async function reachDatabase(db: Database): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await ask(db, Math.max(1000, deadline - performance.now()))
      requireFit(found)
      return found.version
    } catch (error) {
      if (isAway(error) && (performance.now() + PAUSE_MS < deadline || attempt < LEAST_ATTEMPTS)) {
        await sleep(PAUSE_MS)
        continue
      }
      throw new Error(sayReason(error as Error), { cause: error })
    }
  }
}

/**
 * Ids are found by their time, which is in their letters; where "ch" comes after "h", some would not be. And a name may
 * have letters that another encoding does not know, or counts and folds otherwise.
 */
type Found = { version: number; encoding: string; sorted: boolean }

const CREATE =
  "create it with ENCODING 'UTF8' LOCALE_PROVIDER libc LC_COLLATE 'C' TEMPLATE template0"

function requireFit({ version, encoding, sorted }: Found): void {
  if (version < OLDEST_VERSION)
    throw new Error(`it is PostgreSQL ${version}; ${OLDEST_VERSION} or newer is needed`)
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, not UTF8: ${CREATE}`)
  if (!sorted) throw new Error(`it sorts letters in the order of a language: ${CREATE}`)
}

/**
 * The driver can wait for ever on a peer that is no PostgreSQL, so the limit is outside it; its own timers do not
 * keep the process alive, so this one does.
 */
async function ask(db: Database, limit: number): Promise<Found> {
  const over = new AbortController()
  const late = sleep(limit, undefined, { signal: over.signal }).then(() => {
    throw Object.assign(new Error('no answer in time'), { code: 'DEADLINE' })
  })
  const asked = db.sql<Found[]>`
    SELECT current_setting('server_version_num')::int / 10000 AS version,
      current_setting('server_encoding') AS encoding,
      array_agg('a_' || a || b ORDER BY 'a_' || a || b)
        = array_agg('a_' || a || b ORDER BY 'a_' || a || b COLLATE "C") AS sorted
    FROM unnest(${LETTERS}::text[]) a, unnest(${LETTERS}::text[]) b`
  try {
    const [row] = await Promise.race([asked, late])
    return row!
  } finally {
    late.catch(() => {})
    over.abort()
  }
}

/** What is granted on one table is granted on all. */
export async function mayUseTables(db: Database): Promise<boolean> {
  const [row] = await db.sql<{ may: boolean }[]>`
    SELECT bool_and(has_table_privilege('tenants', r)) AS may
    FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) r`
  return row?.may === true
}
