// Totals of the list of events, beside plain counting over the rows.
import { expect } from 'vitest'
import { DAY, dayOf } from '../src/platform/clock.ts'
import type { Service, Tenant } from './service.ts'

export type TotalFilter = {
  type?: string
  source?: string
  impact?: 'positive' | 'negative'
  from?: string
  to?: string
}

export async function askTotal({ call }: Tenant, filter: TotalFilter = {}): Promise<number> {
  const query = new URLSearchParams({ per_page: '1', ...filter })
  const { status, body } = await call('GET', `/v1/events?${query}`)
  expect(status).toBe(200)
  return body.pagination.total
}

async function countPlainly({ context }: Service, { tenant_id }: Tenant, filter: TotalFilter) {
  const { sql } = context.db
  const { type, source, impact, from, to } = filter
  const end = to?.length === 10 ? new Date(Date.parse(to) + DAY - 1) : to
  const [row] = await sql`SELECT count(*) AS n FROM events WHERE tenant_id = ${tenant_id}
    ${type ? sql`AND type = ${type}` : sql``} ${source ? sql`AND source = ${source}` : sql``}
    ${impact ? sql`AND sign(impact) = ${impact === 'positive' ? 1 : -1}` : sql``}
    ${from ? sql`AND timestamp >= ${from}` : sql``} ${end ? sql`AND timestamp <= ${end}` : sql``}`
  return row!.n
}

/** Every filter alone and some together, for whole days and for parts of them. */
function listFilters(now: number): TotalFilter[] {
  const [from, to] = [dayOf(now - 20 * DAY), dayOf(now - 2 * DAY)]
  const parts = {
    from: new Date(now - 12.3 * DAY).toISOString(),
    to: new Date(now - 0.7 * DAY).toISOString(),
  }
  return [
    {},
    { type: 'sim.reported' },
    { source: 'siem' },
    { impact: 'positive' },
    { impact: 'negative' },
    { from },
    { to },
    parts,
    { type: 'sim.link_clicked', source: 'siem', impact: 'negative', from, to },
  ]
}

export async function compareTotals(service: Service, tenant: Tenant): Promise<void> {
  for (const filter of listFilters(service.clock.now())) {
    const [ours, plain] = await Promise.all([
      askTotal(tenant, filter),
      countPlainly(service, tenant, filter),
    ])
    expect(ours, JSON.stringify(filter)).toBe(plain)
  }
}
