// Rate limits across all processes: buckets are rows, and requests that arrive while a statement is in flight
// are counted together in the next one, so a lone request never waits and a thousand cost a few statements.
// A process may hold a few tokens of a well-filled bucket for a second: they are taken from the row before they
// are spent, so that all processes together admit what the plan allows.
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database.ts'
import { relaxCommit } from '../platform/relax-commit.ts'
import { addBuckets, type BucketRow, lockBuckets, saveBuckets } from './access.queries.ts'
import {
  type BucketSpec,
  type BucketState,
  fullBucket,
  holds,
  refill,
  type Shown,
  secondsUntil,
  show,
} from './token-bucket.ts'
import { createLeases, takeLease } from './token-leases.ts'

export type Taken = { admitted: boolean; shown: Shown; retry_after: number }

type Ask = {
  specs: readonly BucketSpec[]
  cost: number
  resolve(taken: Taken): void
  reject(error: unknown): void
}

export type Limiter = {
  /** Takes `cost` from every bucket or from none. */
  take(tenant_id: string, specs: readonly BucketSpec[], cost: number): Promise<Taken>
}

const MOST_AT_ONCE = 1000

export function createLimiter(db: Database, clock: Clock): Limiter {
  const waiting = new Map<string, Ask[]>()
  const leases = createLeases()

  async function drain(tenant_id: string, queue: Ask[]): Promise<void> {
    while (queue.length > 0) {
      const asks = queue.splice(0, MOST_AT_ONCE)
      try {
        const now = clock.now()
        const back = leases.giveBack(tenant_id, asks, now)
        const { answers, leased } = await takeTogether(db, tenant_id, asks, now, back)
        leases.keep(tenant_id, leased)
        asks.forEach((ask, i) => {
          ask.resolve(answers[i]!)
        })
      } catch (error) {
        for (const ask of asks) ask.reject(error)
      }
    }
    waiting.delete(tenant_id)
  }

  return {
    take: (tenant_id, specs, cost) =>
      new Promise((resolve, reject) => {
        const held = leases.spend(tenant_id, specs, cost, clock.now())
        if (held) return resolve({ admitted: true, shown: held, retry_after: 0 })
        const ask = { specs, cost, resolve, reject }
        const queue = waiting.get(tenant_id)
        if (queue) return void queue.push(ask)
        const fresh = [ask]
        waiting.set(tenant_id, fresh)
        void drain(tenant_id, fresh)
      }),
  }
}

async function takeTogether(
  db: Database,
  tenant_id: string,
  asks: readonly Ask[],
  now: number,
  back: ReadonlyMap<string, number>,
) {
  const specs = new Map(asks.flatMap(ask => ask.specs.map(spec => [spec.bucket, spec] as const)))
  return db.inTenant(tenant_id, async tx => {
    const names = [...specs.keys()].sort()
    const [, locked] = await Promise.all([relaxCommit(tx), lockBuckets(tx, tenant_id, names)])
    const rows = locked.length === names.length ? locked : await lockMissing()
    const states = new Map<string, BucketState>()
    for (const row of rows) {
      const state = { tokens: row.tokens, updated_at: row.updated_at.getTime() }
      state.tokens += back.get(row.bucket) ?? 0
      states.set(row.bucket, refill(state, specs.get(row.bucket)!, now))
    }
    const answers = asks.map(ask => takeOne(ask, states))
    const leased = [...states].flatMap(([name, state]) => {
      const lease = takeLease(state, specs.get(name)!, now)
      return lease ? [lease] : []
    })
    await saveBuckets(tx, tenant_id, [...states].map(toRow))
    return { answers, leased }

    async function lockMissing(): Promise<BucketRow[]> {
      const known = new Set(locked.map(row => row.bucket))
      const missing = names.filter(name => !known.has(name))
      const fresh = missing.map(name => toRow([name, fullBucket(specs.get(name)!, now)]))
      await addBuckets(tx, tenant_id, fresh)
      const kept = await lockBuckets(tx, tenant_id, names)
      // Of a tenant that was just deleted none is kept.
      return kept.length === 0 ? fresh : kept
    }
  })
}

function toRow([bucket, state]: [string, BucketState]): BucketRow {
  return { bucket, tokens: state.tokens, updated_at: new Date(state.updated_at) }
}

/** Headers show the bucket with the least remaining; on refusal the one that refused. */
function takeOne(ask: Ask, states: Map<string, BucketState>): Taken {
  const refusing = ask.specs.find(spec => !holds(states.get(spec.bucket)!, ask.cost))
  if (refusing) {
    const state = states.get(refusing.bucket)!
    const retry_after = secondsUntil(state, refusing, ask.cost)
    return { admitted: false, shown: show(state, refusing), retry_after }
  }
  for (const spec of ask.specs) states.get(spec.bucket)!.tokens -= ask.cost
  const shown = ask.specs.map(spec => show(states.get(spec.bucket)!, spec))
  shown.sort((a, b) => a.remaining - b.remaining)
  return { admitted: true, shown: shown[0]!, retry_after: 0 }
}
