// An attempt is counted before it is judged, in a transaction of its own: parallel guesses cannot slip past,
// and what is rolled back later does not take the count with it.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import { sayWait } from '../platform/say-wait.ts'
import type { Session } from './identity.ts'
import {
  clearThrottles,
  forgiveThrottle,
  lockThrottles,
  saveThrottles,
} from './sessions.queries.ts'
import {
  believable,
  browsersName,
  countFailure,
  pairName,
  type ThrottleKind,
  throttleNames,
  waitOf,
} from './throttle.ts'

export type Attempt = Partial<Record<ThrottleKind, string>>

/** In a browser of theirs a person does not wait for what strangers try, who have none. */
export function loginAttempt(
  email_key: string,
  address: string,
  browser: string | null = null,
): Attempt {
  if (browser !== null)
    return { pair: pairName(email_key, browser), account: browsersName(email_key) }
  return throttleNames(email_key, address)
}

/** Counted apart from logins, of the account and of the address, so that neither keeps anybody from the other. */
export function resetAttempt(email_key: string, address: string): Attempt {
  const names = throttleNames(`reset ${email_key}`, address)
  return { ...names, address: `${names.address}:resets` }
}

/** Of whoever is logged in already: what strangers try does not keep them from it. */
export function proofAttempt({ session_id, user_id }: Session): Attempt {
  return { pair: pairName(user_id, session_id) }
}

/** Who has the password alone has no browser in which the person has logged in. */
export function codeAttempt(user_id: string, isKnownBrowser = false): Attempt {
  return { code: isKnownBrowser ? `code:${user_id}:browsers` : `code:${user_id}` }
}

/** Of this tenant alone: what others send is not told, and keeps nobody from being invited. */
export function linkAttempt(tenant_id: string, user_id: string): Attempt {
  return { link: `link:${tenant_id}:${user_id}` }
}

/** Counts one failure in advance, or refuses with the time to wait. */
export async function takeAttempt(
  context: Context,
  attempt: Attempt,
  what = 'failed attempts',
): Promise<void> {
  const now = context.clock.now()
  const kinds = Object.entries(attempt) as [ThrottleKind, string][]
  const wait = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const rows = await lockThrottles(tx, kinds.map(([, name]) => name).sort(), new Date(now))
    const states = kinds.map(([kind, name]) => {
      const row = rows.find(one => one.throttle === name)!
      const { failures, last_failed_at, blocked_until } = row
      const read = {
        failures,
        last_failed_at: last_failed_at.getTime(),
        blocked_until: blocked_until.getTime(),
      }
      return { kind, name, state: believable(kind, read, now) }
    })
    const longest = Math.max(...states.map(({ state }) => waitOf(state, now)))
    const counted = states.map(({ kind, name, state }) => {
      const next = longest > 0 ? state : countFailure(kind, state, now)
      return {
        throttle: name,
        failures: next.failures,
        last_failed_at: new Date(next.last_failed_at),
        blocked_until: new Date(next.blocked_until),
      }
    })
    await saveThrottles(tx, counted)
    return longest
  })
  if (wait > 0) throw tooMany(what, wait)
}

function tooMany(what: string, wait_ms: number): ApiError {
  const seconds = Math.ceil(wait_ms / 1000)
  const headers = { 'retry-after': String(seconds) }
  return new ApiError('RATE_LIMITED', `too many ${what}; try again in ${sayWait(seconds)}`, {
    headers,
  })
}

/** Invariant: one's own success never clears what the address has tried on others. */
export async function forgiveAttempt(tx: Tx, attempt: Attempt, at: Date): Promise<number> {
  const own = [attempt.pair, attempt.account, attempt.code].filter(name => name !== undefined)
  const failures = await clearThrottles(tx, own)
  if (attempt.address !== undefined) await forgiveThrottle(tx, attempt.address, at)
  return Math.max(0, failures - 1)
}
