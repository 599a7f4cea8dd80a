// Starts, renews and reads sessions: the cookie holds a random token, the database its hash.
import { HOUR, type Instant, MINUTE } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { hashToken, newToken } from '../platform/tokens.ts'
import { type Session, unauthorized, type Visit } from './identity.ts'
import {
  deleteOldestSessions,
  type FoundSession,
  findSessions,
  holdSession,
  insertSession,
  type Stage,
  touchSession,
} from './sessions.queries.ts'

export const SESSION = {
  idle_ms: 30 * MINUTE,
  longest_ms: 12 * HOUR,
  /** How long a password waits for its second factor. */
  code_ms: 5 * MINUTE,
  /** How long a proof of identity counts for sensitive changes. */
  fresh_ms: 5 * MINUTE,
  most_per_user: 10,
  touch_every_ms: MINUTE,
} as const

export type OpenedSession = { token: string; session_id: string; csrf_token: string; stage: Stage }

export async function openSession(
  tx: Tx,
  visit: Visit,
  now: Instant,
  session: { user_id: string; stage: Stage; active_tenant: string | null },
): Promise<OpenedSession> {
  const [token, csrf_token, session_id] = [newToken(), newToken(), newId('ses', now)]
  const at = new Date(now)
  const lifetime = session.stage === 'signed_in' ? SESSION.longest_ms : SESSION.code_ms
  await insertSession(tx, hashToken(token), {
    ...session,
    session_id,
    csrf_token,
    failed_codes: 0,
    address: visit.address,
    device: visit.device,
    created_at: at,
    last_seen_at: at,
    authenticated_at: at,
    expires_at: new Date(now + lifetime),
  })
  const { user_id, stage } = session
  await deleteOldestSessions(tx, user_id, stage, SESSION.most_per_user)
  return { token, session_id, csrf_token, stage }
}

/** Those that stand, by their token. Read anew for every request: a session that ended elsewhere has ended here. */
export async function readSessions(
  { db, clock }: Context,
  tokens: readonly string[],
): Promise<ReadonlyMap<string, Session>> {
  const now = clock.now()
  const seen_after = new Date(now - SESSION.idle_ms)
  const hashes = tokens.map(hashToken)
  const rows = await db.inTenant(RESERVED_TENANT, tx =>
    findSessions(tx, hashes, new Date(now), seen_after),
  )
  const found = new Map(rows.map(row => [row.token_hash.toString('hex'), describe(row)]))
  return new Map(
    tokens.flatMap((token, i) => {
      const session = found.get(hashes[i]!.toString('hex'))
      return session ? [[token, session] as const] : []
    }),
  )
}

/** Notes that it is used, now and then. */
export async function touchInTime({ db, clock }: Context, session: Session): Promise<void> {
  const now = clock.now()
  if (now - session.last_seen_at < SESSION.touch_every_ms) return
  await db.inTenant(RESERVED_TENANT, tx => touchSession(tx, session.session_id, new Date(now)))
}

function describe(row: FoundSession): Session {
  const { session_id, user_id, email, stage, active_tenant, csrf_token } = row
  return {
    session_id,
    user_id,
    email,
    stage,
    active_tenant,
    csrf_token,
    authenticated_at: row.authenticated_at.getTime(),
    created_at: row.created_at.getTime(),
    last_seen_at: row.last_seen_at.getTime(),
    expires_at: row.expires_at.getTime(),
    has_second_factor: row.totp_enabled_at !== null,
  }
}

/** For what an account must not suffer from a session that was ended while the request was under way. */
export async function requireSession(tx: Tx, { session_id }: Session): Promise<void> {
  if (!(await holdSession(tx, session_id)))
    throw unauthorized('the session has ended: log in again')
}

export function isFresh(session: Session, now: Instant): boolean {
  return now - session.authenticated_at < SESSION.fresh_ms
}

/** Before a sensitive change. */
export function requireFresh(session: Session, now: Instant): void {
  if (isFresh(session, now)) return
  throw new ApiError('REAUTHENTICATION_REQUIRED', 'confirm who you are first')
}
