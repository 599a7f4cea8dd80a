// How much of the plan's rates is in use at this moment, read from the buckets without drawing on them.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { Limits } from '../tenants/plans.ts'
import { readBuckets } from './access.queries.ts'
import { type BucketSpec, fullBucket, refill } from './token-bucket.ts'

export type Usage = { per_minute: number; capacity: number; used: number }

const RATES = ['requests', 'scores', 'inbound', 'outbound'] as const
export type Rate = (typeof RATES)[number]

export async function readUsage(
  tx: Tx,
  tenant_id: string,
  limits: Limits,
  now: Instant,
): Promise<Record<Rate, Usage>> {
  const rows = await readBuckets(tx, tenant_id, [...RATES])
  const usages = RATES.map(bucket => {
    const per_minute = limits[bucket]
    const capacity = bucket === 'requests' ? limits.burst : per_minute
    const spec: BucketSpec = { bucket, per_minute, capacity }
    const row = rows.find(one => one.bucket === bucket)
    const state = row
      ? refill({ tokens: row.tokens, updated_at: row.updated_at.getTime() }, spec, now)
      : fullBucket(spec, now)
    return [bucket, { per_minute, capacity, used: Math.ceil(capacity - state.tokens) }] as const
  })
  return Object.fromEntries(usages) as Record<Rate, Usage>
}
