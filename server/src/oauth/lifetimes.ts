// How long what comes of a consent lasts.
import { DAY, MINUTE, SECOND } from '../platform/clock.ts'

export const LIFETIMES = {
  code_ms: 60 * SECOND,
  access_ms: 900 * SECOND,
  /** How long an approval that no token came of is kept: far longer than its code works, by any clock. */
  unredeemed_ms: 10 * MINUTE,
  refresh_idle_ms: 30 * DAY,
  grant_ms: 365 * DAY,
  /** How long a refresh token that was used still works, for an answer that got lost. */
  leeway_ms: 60 * SECOND,
} as const

/** A grant used before the one, or approved before the other and never used, has nothing left that works. */
export function oldestOfUse(now: Date): { used_after: Date; approved_after: Date } {
  const before = (ms: number) => new Date(now.getTime() - ms)
  return {
    used_after: before(LIFETIMES.refresh_idle_ms),
    approved_after: before(LIFETIMES.code_ms),
  }
}
