// The arithmetic of a token bucket: pure, in whole milliseconds of a passed-in clock.
import { MOST_AHEAD_MS } from '../platform/clock.ts'

export type BucketSpec = {
  readonly bucket: string
  /** Refill per minute, and what X-RateLimit-Limit shows. */
  readonly per_minute: number
  readonly capacity: number
}

export type BucketState = { tokens: number; updated_at: number }

export function fullBucket(spec: BucketSpec, now: number): BucketState {
  return { tokens: spec.capacity, updated_at: now }
}

/**
 * A clock that runs behind another process's never refills twice. But what a wrong clock has written must not keep
 * the bucket from filling until the others have come so far.
 */
export function refill(state: BucketState, spec: BucketSpec, now: number): BucketState {
  const elapsed = Math.max(0, now - state.updated_at)
  const tokens = Math.min(spec.capacity, state.tokens + (elapsed * spec.per_minute) / 60_000)
  const isWrong = state.updated_at > now + MOST_AHEAD_MS
  return { tokens, updated_at: isWrong ? now : Math.max(now, state.updated_at) }
}

/** Sums of fractions fall short of a whole token by less than this. */
const ROUNDING = 1e-9

export function holds({ tokens }: BucketState, cost: number): boolean {
  return tokens + ROUNDING >= cost
}

export type Shown = { limit: number; remaining: number; reset: number }

/** What the headers show: the reserve for bursts is served but not advertised. */
export function show(state: BucketState, spec: BucketSpec): Shown {
  const reserve = spec.capacity - spec.per_minute
  const missing = spec.capacity - state.tokens
  return {
    limit: spec.per_minute,
    remaining: Math.max(0, Math.floor(state.tokens - reserve + ROUNDING)),
    reset: Math.ceil((state.updated_at + (missing * 60_000) / spec.per_minute) / 1000),
  }
}

/** Whole seconds until the bucket holds `cost` tokens, at least 1. */
export function secondsUntil(state: BucketState, spec: BucketSpec, cost: number): number {
  const missing = Math.max(0, cost - state.tokens - ROUNDING)
  return Math.max(1, Math.ceil((missing * 60) / spec.per_minute))
}
