// The limiter of two processes against an exact token bucket: small buckets to the token, large ones to a lease.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkModel, command } from '../../test/model.ts'
import { startService } from '../../test/service.ts'
import { createLimiter, type Limiter, type Taken } from './take-tokens.ts'
import type { BucketSpec } from './token-bucket.ts'

const service = await startService()
const { tenant_id } = await service.tenant()

/** In parts of a token, so that the model counts in whole numbers: a minute's refill of one a minute is one. */
const PARTS = 60_000

type Model = { parts: Map<string, number>; at: number }
type Real = { limiters: Limiter[]; specs: BucketSpec[] }

let opened = 0

/** Buckets of their own for each run; `leases` are only taken from well-filled buckets of 500 and more. */
async function open(sizes: readonly [capacity: number, per_minute: number][]) {
  opened++
  const specs = sizes.map(([capacity, per_minute], i) => {
    return { bucket: `model${opened}.${i}`, capacity, per_minute }
  })
  const parts = new Map(specs.map(spec => [spec.bucket, spec.capacity * PARTS]))
  const { db } = service.context
  const limiters = [0, 1].map(() => createLimiter(db, service.clock))
  return { model: { parts, at: service.clock.now() }, real: { limiters, specs } }
}

function refillAll(model: Model, specs: readonly BucketSpec[]): void {
  const now = service.clock.now()
  for (const { bucket, capacity, per_minute } of specs) {
    const grown = model.parts.get(bucket)! + (now - model.at) * per_minute
    model.parts.set(bucket, Math.min(capacity * PARTS, grown))
  }
  model.at = now
}

function draw(model: Model, { bucket }: BucketSpec, tokens: number): void {
  model.parts.set(bucket, model.parts.get(bucket)! - tokens * PARTS)
}

const wait = fc.constantFrom(1, 250, 999, 1000, 7000, 60_000).map(ms =>
  command<Model, Real>(`wait ${ms}`, async () => {
    service.clock.advance(ms)
  }),
)

it('small buckets: every answer is that of the exact bucket, all buckets or none', async () => {
  const take = fc
    .record({
      who: fc.nat(1),
      cost: fc.integer({ min: 1, max: 6 }),
      which: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ who, cost, which }) =>
      command<Model, Real>(`take ${cost} of ${which} by ${who}`, async (model, real) => {
        const specs = real.specs.filter((_, i) => which & (1 << i))
        refillAll(model, real.specs)
        const left = (spec: BucketSpec) => model.parts.get(spec.bucket)! / PARTS
        const refusing = specs.find(spec => left(spec) < cost)
        const taken = await real.limiters[who]!.take(tenant_id, specs, cost)
        expect(taken.admitted).toBe(refusing === undefined)
        if (refusing) return expectRefusal(taken, refusing, cost - left(refusing))
        for (const spec of specs) draw(model, spec, cost)
        const shown = specs.map(spec => left(spec) - (spec.capacity - spec.per_minute))
        expect(taken.shown.remaining).toBe(Math.max(0, Math.floor(Math.min(...shown))))
      }),
    )
  const rush = fc.integer({ min: 2, max: 40 }).map(count =>
    command<Model, Real>(`rush of ${count}`, async (model, real) => {
      refillAll(model, real.specs)
      const [spec] = real.specs
      const asks = Array.from({ length: count }, (_, i) =>
        real.limiters[i % 2]!.take(tenant_id, [spec!], 1),
      )
      const admitted = (await Promise.all(asks)).filter(taken => taken.admitted).length
      const whole = Math.floor(model.parts.get(spec!.bucket)! / PARTS)
      expect(admitted).toBe(Math.min(count, whole))
      draw(model, spec!, admitted)
    }),
  )
  const sizes: [number, number][] = [
    [20, 12],
    [30, 30],
  ]
  await checkModel([take, take, rush, wait], () => open(sizes), { runs: 40, most: 40 })
})

/** The first whole second at which it would be let through. */
function expectRefusal(taken: Taken, { per_minute }: BucketSpec, missing: number): void {
  expect(taken.shown.limit).toBe(per_minute)
  const parts = Math.round(missing * PARTS)
  expect(taken.retry_after).toBe(Math.ceil(parts / (per_minute * 1000)))
}

it('large buckets: never more than the plan, and no less but for what the processes hold', async () => {
  const [capacity, per_minute] = [2000, 1000]
  const lease = capacity * 0.02
  const take = fc
    .record({ who: fc.nat(1), cost: fc.constantFrom(1, 1, 1, 20, 400, 1500) })
    .map(({ who, cost }) =>
      command<Model, Real>(`take ${cost} by ${who}`, async (model, real) => {
        refillAll(model, real.specs)
        const [spec] = real.specs
        const before = model.parts.get(spec!.bucket)! / PARTS
        const { admitted } = await real.limiters[who]!.take(tenant_id, [spec!], cost)
        if (admitted) {
          expect(before - cost).toBeGreaterThanOrEqual(-1e-6)
          draw(model, spec!, cost)
        } else expect(before).toBeLessThan(cost + real.limiters.length * lease)
      }),
    )
  await checkModel([take, take, take, wait], () => open([[capacity, per_minute]]), {
    runs: 40,
    most: 60,
  })
})

it('what a process holds while the bucket fills up lets no burst pass the plan', async () => {
  const { real } = await open([[2000, 1000]])
  const [one, other] = real.limiters.map(limiter => {
    return async (cost: number) => (await limiter.take(tenant_id, real.specs, cost)).admitted
  })
  // 39 of the 1,999 left are the first one's from here on; after seven seconds the row is full without them.
  expect(await one!(1)).toBe(true)
  service.clock.advance(7000)
  expect(await other!(2000)).toBe(true)
  expect(await one!(1)).toBe(false)
  expect(await other!(1)).toBe(false)
})
