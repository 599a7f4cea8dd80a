// Long lists of deliveries: every filter and order finds what a look at all of them finds, and reads little more.
import { expect, it } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { startService } from '../../test/service.ts'
import type { DeliveryStatus } from './deliveries.queries.ts'
import {
  countDeliveries,
  type DeliveryFilter,
  type DeliverySorting,
  listDeliveries,
} from './delivery-lists.queries.ts'

const service = await startService()
const { tenant_id } = await service.tenant()
const { db } = service.context
const MANY = 3000

type Row = { id: string; event: string; status: DeliveryStatus; attempts: number }

const SELDOM: Record<number, string> = {
  11: 'employee.created',
  23: 'webhook.test',
  31: 'action.triggered',
  47: 'later.kind',
}

/** `i` in a hundred decides, so that some things are frequent and others seldom. */
const LOGS: Record<string, (i: number) => Omit<Row, 'id'>> = {
  whk_busy: i => {
    const event = SELDOM[i % 100] ?? ['score.updated', 'event.ingested', 'score.updated'][i % 3]!
    const kind = i % 100 === 61 ? 'score.band_changed' : event
    if (i % 100 === 5) return { event: kind, status: 'failed', attempts: 5 }
    if (i % 100 === 6) return { event: kind, status: 'retrying', attempts: 1 + (i % 4) }
    if (i % 100 === 7) return { event: kind, status: 'pending', attempts: 0 }
    if (i % 100 === 8) return { event: kind, status: 'skipped', attempts: i % 3 }
    return { event: kind, status: 'delivered', attempts: i % 50 === 9 ? 2 : 1 }
  },
  whk_dead: i => ({
    event: i % 500 === 3 ? 'webhook.test' : 'score.updated',
    status: i % 500 === 4 ? 'delivered' : i % 7 === 0 ? 'failed' : 'skipped',
    attempts: i % 500 === 4 ? 1 : i % 7 === 0 ? 5 : 0,
  }),
  whk_off: i => ({
    event: 'score.updated',
    status: i % 1000 === 4 ? 'failed' : 'skipped',
    attempts: i % 1000 === 4 ? 5 : 0,
  }),
  whk_bands: i => ({ event: 'score.band_changed', status: 'delivered', attempts: 1 + (i % 2) }),
}

const rows = new Map<string, Row[]>()
for (const [webhook_id, make] of Object.entries(LOGS)) {
  const log = Array.from({ length: MANY }, (_, i) => ({
    id: `dlv_${String(i).padStart(6, '0')}`,
    ...make(i),
  }))
  rows.set(webhook_id, log)
  const column = <T>(read: (row: Row) => T) => log.map(read)
  const isToSend = (row: Row) => row.status === 'pending' || row.status === 'retrying'
  const now = new Date(service.clock.now())
  await db.inTenant(
    tenant_id,
    tx => tx`INSERT INTO webhook_deliveries (tenant_id, webhook_id, delivery_id, message_id, event, employee_id,
        position, status, attempts, most_attempts, next_attempt_at, created_at)
      SELECT ${tenant_id}, ${webhook_id}, u.id, u.id, u.event, '', 1, u.status, u.attempts, 5, u.next, ${now}
      FROM (SELECT unnest(${column(r => r.id)}::text[]) AS id, unnest(${column(r => r.event)}::text[]) AS event,
        unnest(${column(r => r.status)}::text[]) AS status, unnest(${column(r => r.attempts)}::int[]) AS attempts,
        unnest(${column(r => (isToSend(r) ? now : null))}::timestamptz[]) AS next) u`,
  )
}
await db.sql`ANALYZE webhook_deliveries`

/** What is found by looking at everything. */
function search(
  log: Row[],
  { status, event }: DeliveryFilter,
  { sort, order }: DeliverySorting,
): string[] {
  const found = log.filter(
    row =>
      (status === undefined || row.status === status) &&
      (event === undefined || row.event === event),
  )
  const by = sort === 'created_at' ? 'id' : sort
  const way = order === 'asc' ? 1 : -1
  const compare = (a: Row, b: Row) =>
    a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : a.id < b.id ? -1 : 1
  return found.toSorted((a, b) => way * compare(a, b)).map(row => row.id)
}

const FILTERS: DeliveryFilter[] = [
  {},
  ...(['delivered', 'failed', 'pending', 'retrying', 'skipped'] as const).map(status => ({
    status,
  })),
  ...['score.updated', 'event.ingested', 'employee.created', 'none'].map(event => ({ event })),
  { status: 'delivered', event: 'score.updated' },
  { status: 'failed', event: 'event.ingested' },
  { status: 'delivered', event: 'webhook.test' },
]
const SORTINGS = (['created_at', 'event', 'status', 'attempts'] as const).flatMap(sort =>
  (['asc', 'desc'] as const).map(order => ({ sort, order })),
)

it.each(SORTINGS)('by $sort $order: pages and totals, by every filter', async sorting => {
  await db.readTenant(tenant_id, async tx => {
    for (const [webhook_id, log] of rows) {
      for (const filter of FILTERS) {
        const expected = search(log, filter, sorting)
        expect(await countDeliveries(tx, tenant_id, webhook_id, filter)).toBe(expected.length)
        const turns = expected.flatMap((id, i) => {
          const value = (one: string | undefined) => log[Number(one?.slice(4))]?.[sortedBy(sorting)]
          return value(id) === value(expected[i + 1]) ? [] : [i]
        })
        // At the ends, and wherever one value is followed by another.
        const offsets = new Set([
          0,
          Math.floor(expected.length / 2),
          Math.max(0, expected.length - 7),
          Math.max(0, expected.length - 3),
          expected.length,
          ...turns.slice(0, 8).map(i => Math.max(0, i - 2)),
        ])
        for (const offset of offsets) {
          const page = { per_page: 5, offset }
          const found = await listDeliveries(tx, tenant_id, webhook_id, filter, sorting, page)
          expect(found.map(row => row.id)).toEqual(expected.slice(offset, offset + 5))
        }
      }
    }
  })
})

const sortedBy = ({ sort }: DeliverySorting) => (sort === 'created_at' ? 'status' : sort)

it.each([
  ['status', 'asc', 200],
  ['status', 'desc', 200],
  ['attempts', 'desc', 200],
  ['attempts', 'asc', 400],
  ['event', 'asc', 1200],
  ['event', 'desc', 1200],
] as const)('a page by %s %s does not read all others', async (sort, order, most) => {
  await db.readTenant(tenant_id, async tx => {
    const page = { per_page: 5, offset: 0 }
    const before = await countRead(tx, 'webhook_deliveries')
    await listDeliveries(tx, tenant_id, 'whk_busy', {}, { sort, order }, page)
    expect((await countRead(tx, 'webhook_deliveries')) - before).toBeLessThan(most)
  })
})

it.each(['asc', 'desc'] as const)('the last page %s is read from the end', async order => {
  await db.readTenant(tenant_id, async tx => {
    const page = { per_page: 5, offset: MANY - 8 }
    const sorting = { sort: 'created_at', order } as const
    const count = async () => MANY
    const before = await countRead(tx, 'webhook_deliveries')
    const found = await listDeliveries(tx, tenant_id, 'whk_busy', {}, sorting, page, count)
    expect((await countRead(tx, 'webhook_deliveries')) - before).toBeLessThan(100)
    const expected = search(rows.get('whk_busy')!, {}, sorting).slice(-8, -3)
    expect(found.map(row => row.id)).toEqual(expected)
  })
})

it.each([
  ['whk_busy', { status: 'retrying' }],
  ['whk_busy', { status: 'pending' }],
  ['whk_busy', { event: 'employee.created' }],
  ['whk_busy', { event: 'action.completed' }],
  ['whk_off', { status: 'failed' }],
] as const)(
  '%s: what is seldom is found and counted without reading the rest: %o',
  async (id, filter) => {
    await db.readTenant(tenant_id, async tx => {
      const page = { per_page: 5, offset: 0 }
      const before = await countRead(tx, 'webhook_deliveries')
      const sorting = { sort: 'created_at', order: 'desc' } as const
      await listDeliveries(tx, tenant_id, id, filter, sorting, page)
      await countDeliveries(tx, tenant_id, id, filter)
      expect((await countRead(tx, 'webhook_deliveries')) - before).toBeLessThan(300)
    })
  },
)
