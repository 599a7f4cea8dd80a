// What each plan may do: the limits of the contract as a table.
import { HOUR } from '../platform/clock.ts'

export type Limits = {
  /** Requests per minute and the bucket's capacity. */
  readonly requests: number
  readonly burst: number
  /** Requests per minute on the score views. */
  readonly scores: number
  /** Events per minute through the inbound webhook. */
  readonly inbound: number
  /** Webhook deliveries per minute. */
  readonly outbound: number
  readonly recalculations: number
  readonly recalculation_window_ms: number
}

export const PLANS = {
  starter: {
    requests: 60,
    burst: 100,
    scores: 60,
    inbound: 20,
    outbound: 200,
    recalculations: 1,
    recalculation_window_ms: 24 * HOUR,
  },
  professional: {
    requests: 300,
    burst: 500,
    scores: 100,
    inbound: 100,
    outbound: 1000,
    recalculations: 1,
    recalculation_window_ms: HOUR,
  },
  enterprise: {
    requests: 1000,
    burst: 2000,
    scores: 1000,
    inbound: 1000,
    outbound: 10_000,
    recalculations: 4,
    recalculation_window_ms: HOUR,
  },
} as const satisfies Record<string, Limits>

export type Plan = keyof typeof PLANS
export const PLAN_NAMES = Object.keys(PLANS) as Plan[]

/** The limits an operator may set for an Enterprise tenant. */
export const SETTABLE_LIMITS = [
  'requests',
  'burst',
  'scores',
  'inbound',
  'outbound',
  'recalculations',
] as const
export type LimitOverrides = Partial<Record<(typeof SETTABLE_LIMITS)[number], number>>

export function limitsOf(plan: Plan, overrides: LimitOverrides): Limits {
  return plan === 'enterprise' ? { ...PLANS.enterprise, ...overrides } : PLANS[plan]
}
