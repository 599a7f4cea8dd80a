// Somebody about whom there is very much to tell: what is held of it is not searched for once for each of the others.
import { expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { MINUTE } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { claimDeliveries } from './claim-deliveries.ts'
import { message, tell } from './receiver.fixture.ts'

// One connection: what it has searched is counted once it has told it.
const { context, clock, tenant } = await startService({ pool: 1 })
const { db } = context

/** How often the order of somebody's messages was searched up to now. */
async function countSearches(): Promise<number> {
  await db.inTenant(RESERVED_TENANT, tx => tx`SELECT pg_stat_force_next_flush()`)
  const [row] = await db.sql<{ n: number }[]>`
    SELECT pg_stat_get_numscans('webhook_deliveries_order'::regclass) AS n`
  return row!.n
}

test('while one of thousands about a person is being sent, the others behind them are found quickly, in order', async () => {
  const { tenant_id, call } = await tenant({ plan: 'enterprise' })
  for (const path of ['a', 'b']) {
    const url = `https://hooks.example.com/${path}`
    await call('POST', '/v1/webhooks', { url, events: ['score.updated'] })
  }
  const say = (...people: string[]) =>
    tell(
      context,
      tenant_id,
      people.map((one, n) => message(one, clock.now(), n)),
    )
  const room = { all: 8, tenant: 8, of: () => 4, kept: () => 2 }
  const claim = async () => {
    const { deliveries } = await claimDeliveries(context, tenant_id, room, MINUTE)
    return deliveries.map(one => one.employee_id)
  }
  for (const loud of ['emp_1', 'emp_2']) {
    await say(...Array<string>(2000).fill(loud))
    clock.advance(1)
  }
  await say('emp_3', 'emp_3', 'emp_4')
  expect(new Set(await claim())).toEqual(new Set(['emp_1']))
  const before = await countSearches()
  expect(new Set(await claim())).toEqual(new Set(['emp_2']))
  const last = await claim()
  expect(last.toSorted()).toEqual(['emp_3', 'emp_3', 'emp_3', 'emp_3', 'emp_4', 'emp_4'])
  expect(await claim()).toEqual([])
  expect((await countSearches()) - before).toBeLessThan(4000)
})
