// How failures slow the next attempt down: pure arithmetic over a table of policy.
import { createHash } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { clientAddress, isIPv4, UNKNOWN_ADDRESS } from '../platform/client-address.ts'
import { DAY, HOUR, MINUTE, MOST_AHEAD_MS, SECOND } from '../platform/clock.ts'

/** `free` failures cost nothing; each further one doubles the pause; `forget` without failure clears all. */
export type ThrottleRule = { free: number; longest_ms: number; forget_ms: number }

export const THROTTLES = {
  /** One account from one address: where guessing happens. */
  pair: { free: 5, longest_ms: 15 * MINUTE, forget_ms: DAY },
  /** One address against many accounts. */
  address: { free: 30, longest_ms: 15 * MINUTE, forget_ms: HOUR },
  /** One account from many addresses; short, or anyone could lock anyone out. */
  account: { free: 50, longest_ms: MINUTE, forget_ms: DAY },
  /** Wrong codes and recovery codes of one person. */
  code: { free: 5, longest_ms: 15 * MINUTE, forget_ms: DAY },
  /** Links that a tenant sends to one person, and resets that are asked for: nobody's mailbox is flooded from here. */
  link: { free: 5, longest_ms: HOUR, forget_ms: DAY },
} as const satisfies Record<string, ThrottleRule>

export type ThrottleKind = keyof typeof THROTTLES
export type ThrottleState = { failures: number; last_failed_at: number; blocked_until: number }

/** Milliseconds to wait before the next attempt, 0 when it may be made now. */
export function waitOf(state: ThrottleState | undefined, now: number): number {
  return Math.max(0, (state?.blocked_until ?? 0) - now)
}

/** What a clock far ahead has written keeps nobody out until the others have come so far. */
export function believable(kind: ThrottleKind, state: ThrottleState, now: number): ThrottleState {
  if (state.last_failed_at <= now + MOST_AHEAD_MS) return state
  const blocked_until = Math.min(state.blocked_until, now + pauseOf(kind, state.failures))
  return { ...state, last_failed_at: now, blocked_until }
}

function pauseOf(kind: ThrottleKind, failures: number): number {
  const { free, longest_ms } = THROTTLES[kind]
  const over = failures - free
  return over < 0 ? 0 : Math.min(longest_ms, SECOND * 2 ** Math.min(over, 30))
}

export function countFailure(
  kind: ThrottleKind,
  state: ThrottleState | undefined,
  now: number,
): ThrottleState {
  const old = !state || now - state.last_failed_at > THROTTLES[kind].forget_ms
  const failures = old ? 1 : state.failures + 1
  return { failures, last_failed_at: now, blocked_until: now + pauseOf(kind, failures) }
}

/** Names hold no address in the clear, and unknown addresses are counted like known ones. */
export function throttleNames(
  email_key: string,
  address: string,
): Record<'pair' | 'address' | 'account', string> {
  const network = networkOf(address)
  return {
    pair: pairName(email_key, network),
    address: `address:${digest(network)}`,
    account: `account:${digest(email_key)}`,
  }
}

/** All browsers in which a person has logged in together: whoever once had the password may have many. */
export function browsersName(email_key: string): string {
  return `browsers:${digest(email_key)}`
}

/** Attempts of one kind on one account: from a network, in a browser, by a session. */
export function pairName(account: string, from: string): string {
  return `pair:${digest(`${account} ${from}`)}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

/** One subscriber of IPv6 holds at least a /64; what is no address is one bucket, or each text would have its own. */
export function networkOf(address: string): string {
  const plain = clientAddress(address)
  if (plain === UNKNOWN_ADDRESS || isIPv4(plain)) return plain
  return `${ipaddr.IPv6.parse(plain).parts.slice(0, 4).join(':')}/64`
}
