// A long audit log: every filter, window and order finds what a look at all of it finds, and reads little more.
import { expect, it } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { startService } from '../../test/service.ts'
import { type AuditFilter, type AuditSorting, countEntries, listEntries } from './audit.queries.ts'

const service = await startService()
const { tenant_id } = await service.tenant()
const { db } = service.context
const MANY = 4000
const START = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const NONE: AuditFilter = { actor_id: null, action: null, subject_id: null, from: null, to: null }

type Entry = { seq: number; at: number; action: string; actor_id: string; subject_id: string }

/** A minute apart; every tenth was asked for five minutes before its turn in the chain came. */
const log: Entry[] = Array.from({ length: MANY }, (_, i) => ({
  seq: i + 1,
  at: START + (i % 10 === 9 ? i - 5 : i) * MINUTE,
  action: i % 400 === 7 ? 'key.created' : ['rule.changed', 'employee.created'][i % 2]!,
  actor_id: i % 40 === 3 ? 'usr_seldom' : `usr_${i % 3}`,
  subject_id: `rule_${i % 5}`,
}))

await db.inTenant(tenant_id, async tx => {
  const column = <T>(read: (entry: Entry) => T) => log.map(read)
  await tx`DELETE FROM audit_entries WHERE tenant_id = ${tenant_id}`
  await tx`INSERT INTO audit_entries (tenant_id, seq, at, actor_kind, actor_id, action, subject_kind, subject_id,
      request_id, values_hash, prev_hash, hash)
    SELECT ${tenant_id}, unnest(${column(e => e.seq)}::bigint[]),
      unnest(${column(e => new Date(e.at))}::timestamptz[]), 'user', unnest(${column(e => e.actor_id)}::text[]),
      unnest(${column(e => e.action)}::text[]), 'rule', unnest(${column(e => e.subject_id)}::text[]), '', '', '', ''`
  await tx`INSERT INTO audit_heads (tenant_id, seq, hash) VALUES (${tenant_id}, ${MANY}, '')
    ON CONFLICT (tenant_id) DO UPDATE SET seq = ${MANY}`
})
await db.sql`ANALYZE audit_entries`

/** What is found by looking at everything. */
function search(filter: AuditFilter, { sort, order }: AuditSorting): number[] {
  const { from, to } = filter
  const found = log.filter(
    entry =>
      (['actor_id', 'action', 'subject_id'] as const).every(
        key => filter[key] === null || filter[key] === entry[key],
      ) &&
      (from === null || entry.at >= from.getTime()) &&
      (to === null || entry.at <= to.getTime()),
  )
  const way = order === 'asc' ? 1 : -1
  const by = sort === 'at' ? 'seq' : sort
  const compare = (a: Entry, b: Entry) => (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : a.seq - b.seq)
  return found.toSorted((a, b) => way * compare(a, b)).map(entry => entry.seq)
}

const at = (minute: number) => new Date(START + minute * MINUTE)
const WINDOWS = [
  [null, null],
  [5, 3990],
  [2000, null],
  [null, 2004],
  [3, 3],
  [1000, 1100],
  [3999, 9000],
  [null, -1],
  [9000, null],
  [1100, 1000],
] as const
const KEPT = [
  {},
  { action: 'key.created' },
  { action: 'rule.changed' },
  { actor_id: 'usr_seldom' },
  { action: 'rule.changed', actor_id: 'usr_1' },
  { subject_id: 'rule_3', action: 'nothing' },
]

it.each(WINDOWS)(
  'from minute %s to %s: pages and totals, by every filter and order',
  async (first, last) => {
    const from = first === null ? null : at(first)
    const to = last === null ? null : at(last)
    await db.inTenant(tenant_id, async tx => {
      for (const kept of KEPT) {
        const filter = { ...NONE, ...kept, from, to }
        const total = search(filter, { sort: 'at', order: 'asc' }).length
        expect(await countEntries(tx, tenant_id, filter)).toBe(total)
        for (const sort of ['at', 'action', 'actor_id', 'subject_id'] as const) {
          for (const order of ['asc', 'desc'] as const) {
            const expected = search(filter, { sort, order })
            for (const offset of [0, Math.max(0, total - 4)]) {
              const page = { per_page: 7, offset }
              const rows = await listEntries(tx, tenant_id, filter, { sort, order }, page)
              expect(rows.map(row => row.seq)).toEqual(expected.slice(offset, offset + 7))
            }
          }
        }
      }
    })
  },
)

it.each([
  ['a seldom action', { action: 'key.created' }, 60],
  ['somebody who acts seldom', { actor_id: 'usr_seldom' }, 400],
  ['a window', { from: at(1000), to: at(1020) }, 100],
  ['the beginning', { to: at(30) }, 150],
  ['all but the beginning', { from: at(30) }, 150],
  ['an action in a window', { action: 'rule.changed', from: at(100), to: at(120) }, 150],
] as const)('of %s little more than what is found is read', async (_, some, most) => {
  const filter = { ...NONE, ...some }
  await db.inTenant(tenant_id, async tx => {
    const page = { per_page: 5, offset: 0 }
    const before = await countRead(tx, 'audit_entries')
    await listEntries(tx, tenant_id, filter, { sort: 'at', order: 'desc' }, page)
    await countEntries(tx, tenant_id, filter)
    expect((await countRead(tx, 'audit_entries')) - before).toBeLessThan(most)
  })
})

it.each(['action', 'actor_id', 'subject_id'] as const)('by %s no others are read', async sort => {
  await db.inTenant(tenant_id, async tx => {
    const page = { per_page: 5, offset: 0 }
    const before = await countRead(tx, 'audit_entries')
    await listEntries(tx, tenant_id, NONE, { sort, order: 'desc' }, page)
    expect((await countRead(tx, 'audit_entries')) - before).toBeLessThan(30)
  })
})

it.each([
  [{ action: 'key.created' }, 'subject_id', 0, 60],
  [{ action: 'key.created' }, 'actor_id', 0, 60],
  [{ action: 'key.created' }, 'subject_id', 1000, 60],
  [{ action: 'nothing' }, 'subject_id', 0, 10],
  [{ actor_id: 'usr_seldom' }, 'action', 0, 400],
  // What others do often is counted, to see that it is not the shorter way.
  [{ action: 'key.created', actor_id: 'usr_1', from: at(30) }, 'subject_id', 0, 3000],
  [{ action: 'employee.created', from: at(1000), to: at(1020) }, 'subject_id', 0, 150],
] as const)(
  'what %o finds seldom is not looked for along the order by %s',
  async (some, sort, offset, most) => {
    const filter = { ...NONE, ...some }
    await db.inTenant(tenant_id, async tx => {
      const before = await countRead(tx, 'audit_entries')
      await listEntries(tx, tenant_id, filter, { sort, order: 'desc' }, { per_page: 5, offset })
      await countEntries(tx, tenant_id, filter)
      expect((await countRead(tx, 'audit_entries')) - before).toBeLessThan(most)
    })
  },
)
