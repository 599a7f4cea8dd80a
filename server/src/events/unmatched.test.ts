// Events that match nobody, when there are very many of them: keeping one more and showing the newest reads no others.
import { expect, it } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { startService } from '../../test/service.ts'
import { DAY } from '../platform/clock.ts'
import type { EventInput } from './event-input.ts'
import { keepUnmatched, listUnmatched } from './unmatched.queries.ts'

const service = await startService()
const { tenant_id } = await service.tenant()
const { db } = service.context
const now = service.clock.now()
const MANY = 2000

await db.inTenant(tenant_id, async tx => {
  await tx`INSERT INTO unmatched_events (tenant_id, unmatched_id, source, type, employee_email, timestamp, details,
      external_id, received_at, expires_at, actor)
    SELECT ${tenant_id}, 'unm_' || n, 'hr', 'hr.early', 'a@x.com', r.at, '{}', 'x' || n, r.at,
      r.at + interval '30 days', ''
    FROM generate_series(1, ${MANY}::int) n,
      LATERAL (SELECT ${new Date(now - DAY)}::timestamptz + n * interval '1 second' AS at) r`
})
await db.sql`ANALYZE unmatched_events`

it.each([null, 'new'])(
  'one more is kept without reading the others, external id %s',
  async external_id => {
    const input: EventInput = {
      type: 'hr.early',
      source: 'hr',
      employee_email: 'b@x.com',
      timestamp: null,
      details: {},
      external_id,
      keep_unmatched: true,
    }
    await db.inTenant(tenant_id, async tx => {
      const before = await countRead(tx, 'unmatched_events')
      await keepUnmatched(tx, tenant_id, now, [{ input, actor: '', repeatable: null }])
      expect((await countRead(tx, 'unmatched_events')) - before).toBeLessThan(5)
    })
  },
)

it.each(['asc', 'desc'] as const)('a page in the order %s reads no others', async order => {
  await db.inTenant(tenant_id, async tx => {
    const page = { per_page: 3, offset: 5 }
    const before = await countRead(tx, 'unmatched_events')
    const rows = await listUnmatched(
      tx,
      tenant_id,
      new Date(now),
      { sort: 'received_at', order },
      page,
    )
    expect((await countRead(tx, 'unmatched_events')) - before).toBeLessThan(30)
    const times = rows.map(row => row.received_at.getTime())
    expect(times).toEqual(times.toSorted((a, b) => (order === 'asc' ? a - b : b - a)))
  })
})
