// Many actions: every filter and order finds what a look at all of them finds, and what is seldom is found by itself.
import { expect, it } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { hire } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import { idFloor } from '../platform/ids.ts'
import {
  type ActionFilter,
  type ActionSorting,
  countActions,
  listActions,
} from './action-lists.queries.ts'

const service = await startService()
const tenant = await service.tenant()
const { tenant_id } = tenant
const { db } = service.context
const MANY = 4000
const START = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const NONE: ActionFilter = { employee_id: null, type: null, status: null, from: null, to: null }

await hire(service, tenant, ['c@example.com', 'a@example.com', 'b@example.com'])
const people = await db.inTenant(
  tenant_id,
  tx => tx<{ employee_id: string; email: string }[]>`
    SELECT employee_id, email FROM employees WHERE tenant_id = ${tenant_id} ORDER BY email`,
)

type Action = {
  id: string
  at: number
  type: string
  status: string
  employee_id: string
  email: string
}

const list: Action[] = Array.from({ length: MANY }, (_, i) => {
  const at = START + i * MINUTE
  return {
    id: `${idFloor('act', at)}${String(i).padStart(13, '0')}`,
    at,
    type: i % 400 === 7 ? 'restrict_access' : ['open_ticket', 'assign_training'][i % 2]!,
    status: i % 200 === 7 ? 'awaiting_approval' : ['completed', 'failed'][i % 2]!,
    ...people[i % 500 === 11 ? 0 : 1 + (i % 2)]!,
  }
})

await db.inTenant(tenant_id, async tx => {
  const column = (read: (action: Action) => string) => list.map(read)
  await tx`INSERT INTO actions (tenant_id, action_id, policy_id, employee_id, type, status, parameters, transition,
      reason, trigger_event, note, outcome, outcome_note, requested_by, occurred_at, created_at, attempts)
    SELECT ${tenant_id}, unnest(${column(a => a.id)}::text[]), '', unnest(${column(a => a.employee_id)}::text[]),
      unnest(${column(a => a.type)}::text[]), unnest(${column(a => a.status)}::text[]), '{}'::jsonb, '', '', '', '',
      '', '', '', ${new Date(START)}::timestamptz, ${new Date(START)}::timestamptz, 0`
})
await db.sql`ANALYZE actions`

/** What is found by looking at everything. */
function search(filter: ActionFilter, { sort, order }: ActionSorting): string[] {
  const found = list.filter(
    one =>
      (['employee_id', 'type', 'status'] as const).every(
        key => filter[key] === null || filter[key] === one[key],
      ) &&
      (filter.from === null || one.at >= filter.from) &&
      (filter.to === null || one.at <= filter.to),
  )
  const by = sort === 'created_at' ? 'id' : sort
  const way = order === 'asc' ? 1 : -1
  const compare = (a: Action, b: Action) =>
    a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : a.id < b.id ? -1 : 1
  return found.toSorted((a, b) => way * compare(a, b)).map(one => one.id)
}

const at = (minute: number) => START + minute * MINUTE
const FILTERS: Partial<ActionFilter>[] = [
  {},
  { type: 'restrict_access' },
  { type: 'open_ticket' },
  { type: 'webhook_only' },
  { status: 'completed' },
  { status: 'awaiting_approval' },
  { type: 'restrict_access', status: 'awaiting_approval' },
  { type: 'assign_training', status: 'failed' },
  { employee_id: people[0]!.employee_id },
  { employee_id: people[1]!.employee_id, status: 'completed' },
  { from: at(1000), to: at(1100) },
  { from: at(10) },
  { type: 'assign_training', from: at(1000), to: at(1100) },
  { type: 'restrict_access', status: 'awaiting_approval', from: at(100) },
]
const SORTS = ['created_at', 'type', 'status', 'email'] as const

it.each(FILTERS)('by %o: pages and totals in every order', async some => {
  const filter = { ...NONE, ...some }
  await db.inTenant(tenant_id, async tx => {
    const total = search(filter, { sort: 'created_at', order: 'asc' }).length
    expect(await countActions(tx, tenant_id, filter)).toBe(total)
    for (const sort of SORTS) {
      for (const order of ['asc', 'desc'] as const) {
        const expected = search(filter, { sort, order })
        for (const offset of [0, Math.max(0, total - 4)]) {
          const page = { per_page: 7, offset }
          const rows = await listActions(tx, tenant_id, filter, { sort, order }, page)
          expect(rows.map(row => row.id)).toEqual(expected.slice(offset, offset + 7))
        }
      }
    }
  })
})

it.each([
  [{}, 'type', 30],
  [{}, 'status', 30],
  [{ type: 'restrict_access' }, 'status', 60],
  [{ type: 'restrict_access' }, 'email', 60],
  [{ type: 'webhook_only' }, 'email', 10],
  [{ status: 'awaiting_approval' }, 'type', 100],
  [{ from: at(1000), to: at(1020) }, 'type', 100],
] as const)('of what %o finds little more is read for a page by %s', async (some, sort, most) => {
  const filter = { ...NONE, ...some }
  await db.inTenant(tenant_id, async tx => {
    const before = await countRead(tx, 'actions')
    await listActions(tx, tenant_id, filter, { sort, order: 'desc' }, { per_page: 5, offset: 0 })
    expect((await countRead(tx, 'actions')) - before).toBeLessThan(most)
  })
})
