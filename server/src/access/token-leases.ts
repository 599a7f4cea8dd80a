// Tokens a process holds for a moment, so that a busy tenant does not ask the database for each of them.
import { type BucketSpec, type BucketState, refill, type Shown, show } from './token-bucket.ts'

export type Lease = {
  readonly spec: BucketSpec
  /** What the row held after the lease was taken from it. */
  readonly rest: BucketState
  readonly until: number
  tokens: number
}

const LEASE_MS = 1000
const LEAST_FILLED = 500
const SHARE = 0.02
const MOST_LEASES = 10_000

/** Only from a bucket that is far from empty: near its end every request is counted in the row. */
export function takeLease(state: BucketState, spec: BucketSpec, now: number): Lease | null {
  if (state.tokens < LEAST_FILLED || state.tokens < spec.capacity / 5) return null
  const tokens = Math.floor(state.tokens * SHARE)
  state.tokens -= tokens
  return { spec, rest: { ...state }, until: now + LEASE_MS, tokens }
}

type Asked = { readonly specs: readonly BucketSpec[] }

export function createLeases() {
  const held = new Map<string, Lease>()
  const keyOf = (tenant_id: string, bucket: string) => `${tenant_id} ${bucket}`

  return {
    /** What the headers show if the cost could be met from a lease; null where the row must be asked. */
    spend(
      tenant_id: string,
      specs: readonly BucketSpec[],
      cost: number,
      now: number,
    ): Shown | null {
      const [spec] = specs
      if (!spec || specs.length > 1 || cost <= 0) return null
      const lease = held.get(keyOf(tenant_id, spec.bucket))
      if (!lease || !isValid(lease, spec, now) || countLeft(lease, now) < cost) return null
      lease.tokens = countLeft(lease, now) - cost
      const row = refill(lease.rest, spec, now)
      return show({ ...row, tokens: row.tokens + lease.tokens }, spec)
    },
    /** What is left of the leases on these buckets; it is no longer ours. */
    giveBack(tenant_id: string, asks: readonly Asked[], now: number): Map<string, number> {
      const back = new Map<string, number>()
      for (const { bucket } of asks.flatMap(ask => ask.specs)) {
        const lease = held.get(keyOf(tenant_id, bucket))
        if (!lease) continue
        held.delete(keyOf(tenant_id, bucket))
        back.set(bucket, countLeft(lease, now))
      }
      return back
    },
    keep(tenant_id: string, leases: readonly Lease[]): void {
      if (held.size > MOST_LEASES) held.clear()
      for (const lease of leases) held.set(keyOf(tenant_id, lease.spec.bucket), lease)
    },
  }
}

/**
 * What is left of a lease. The row fills up as if the lease were spent; what of the two no longer fits into the
 * bucket has run over, so that a burst never passes the plan by what somebody held meanwhile.
 */
function countLeft({ spec, rest, tokens }: Lease, now: number): number {
  return Math.min(tokens, spec.capacity - refill(rest, spec, now).tokens)
}

/** A changed plan or a clock that jumped ends it. */
function isValid({ spec, rest, until }: Lease, asked: BucketSpec, now: number): boolean {
  const same = spec.per_minute === asked.per_minute && spec.capacity === asked.capacity
  return same && now < until && now >= rest.updated_at - LEASE_MS
}
