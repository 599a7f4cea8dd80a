// scale: the same load on one, two and four server processes over one database, and limits that hold over all.
import { asOperator } from '../server/src/accounts/identity.ts'
import { createRandom } from '../server/src/demo/random.ts'
import { changeTenant } from '../server/src/manage-tenants.ts'
import { openTenant } from '../server/src/open-tenant.ts'
import { operatorOrigin } from '../server/src/platform/actor.ts'
import type { Context } from '../server/src/platform/context.ts'
import { type Bench, goal } from './bench.ts'
import { watchAccepted } from './check-rows.ts'
import { giveKey, newEvent, openCompany } from './company.ts'
import { getRequest, postRequest, putLoad, type Target } from './load.ts'
import { type Running, startService } from './processes.ts'
import { watchRefusals } from './refusals.ts'
import { type Check, median } from './rounds.ts'
import { NOWHERE, subscribe } from './subscribe.ts'

const COUNTS = [1, 2, 4]
const BURST = 500
const MOST_MS = 30_000

export const bench: Bench = {
  name: 'scale',
  about: 'POST /v1/events on two server processes over one database',
  bound:
    'the two cores: one process, its database and the load use nine tenths of them, so a second ' +
    'process can only take from the first',
  unit: 'events/s',
  size: { employees: 100_000, events: 1_000_000, connections: 256, seconds: 4 },
  grows: ['employees', 'events'],
  async open(size) {
    const { stage, company } = await openCompany(size, { compared: true })
    const { context } = stage
    const { connections = 256, seconds = 4 } = size
    await subscribe(context, company.tenant_id, NOWHERE)
    const services: Running[] = []
    for (let i = 0; i < Math.max(...COUNTS); i++) services.push(await startService(stage))
    const targets = (count: number) => services.slice(0, count).map(one => one.target)
    const accepted = await watchAccepted(context, company.tenant_id)
    const random = createRandom(12)
    const rates = new Map<number, number[]>(COUNTS.map(count => [count, []]))
    const refusals = watchRefusals()
    const run = async (count: number) => {
      const next = () => postRequest('/v1/events', company.key, newEvent(random, company))
      const asked = { connections, seconds, next, seen: accepted.note }
      const outcome = await putLoad(targets(count), asked)
      refusals.note(outcome)
      const rate = outcome.ok / outcome.seconds
      rates.get(count)!.push(rate)
      return rate
    }
    return {
      ways: {
        ours: async () => {
          await run(1)
          const two = await run(2)
          await run(4)
          return two
        },
      },
      also: async () =>
        Object.fromEntries(
          COUNTS.map(count => [`events/s with ${count} processes`, median(rates.get(count)!)]),
        ),
      checks: async () => [
        refusals.check(),
        await checkLimit(context, 1, targets(1)),
        await checkLimit(context, 2, targets(2)),
        await checkLimit(context, 4, targets(4)),
        ...(await accepted.check()),
      ],
      goals: (_, also) => {
        const gain = also['events/s with 2 processes']! / also['events/s with 1 processes']!
        return [goal('two processes at least 1.3 × one', gain >= 1.3, gain)]
      },
      close: async () => {
        for (const service of services) await service.stop()
        await stage.close()
      },
    }
  },
}

/** A full bucket that hardly refills: all processes together admit exactly what it holds. */
async function checkLimit(
  context: Context,
  count: number,
  targets: readonly Target[],
): Promise<Check> {
  const origin = operatorOrigin()
  const name = `limits ${count}`
  const { tenant_id } = await openTenant(context, origin, { name, plan: 'enterprise' })
  await asOperator(context, tenant_id, changeTenant, { limits: { requests: 1, burst: BURST } })
  const key = await giveKey(context, tenant_id)
  const start = performance.now()
  const next = () => getRequest('/v1/me', key)
  let [ok, refused] = [0, 0]
  while (refused === 0 && performance.now() - start < MOST_MS) {
    const outcome = await putLoad(targets, { connections: 64, seconds: 1, next })
    ok += outcome.ok
    refused += outcome.refused.length
  }
  const refilled = Math.ceil((performance.now() - start) / 60_000)
  return {
    name: `limits exact with ${count} processes`,
    ok: refused > 0 && ok >= BURST && ok <= BURST + refilled,
    detail: `${ok} of ${ok + refused} admitted, the bucket holds ${BURST}`,
  }
}
