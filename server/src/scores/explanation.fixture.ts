// Asks for explanations and holds each of them to its sum.
import { expect } from 'vitest'
import type { Service, Tenant } from '../../test/service.ts'
import { type Company, get, type Random, readRecord } from './scores.fixture.ts'

const units = (value: number) => Math.round(value * 1e9)

/** An explanation whose parts add up to the last decimal and round to its score. */
export async function explain(tenant: Tenant, id: string, at?: number) {
  const query = at === undefined ? '' : `?at=${new Date(at).toISOString()}`
  const body = await get(tenant, `/v1/employees/${id}/explanation${query}`)
  const parts = [
    body.starting_score,
    ...body.shares.map((share: { current_impact: number }) => share.current_impact),
    body.rest.current_impact,
    body.older_than_retention,
    body.cap_adjustment,
    body.edge_adjustment,
  ]
  expect(parts.reduce((sum, part) => sum + units(part), 0)).toBe(units(body.exact_score))
  expect(Math.round(body.exact_score)).toBe(body.score)
  return body
}

/** At random instants, at rows and just before them: what is explained is what the record says. */
export async function expectExplanations(
  service: Service,
  { tenant, people }: Company,
  random: Random,
  times: number,
): Promise<void> {
  const record = await readRecord(service, tenant)
  const now = service.clock.now()
  for (let i = 0; i < times; i++) {
    const { id } = random.pick(people)
    const rows = record.byEmployee.get(id)!
    const created = rows[0]!.at.getTime()
    const row = random.pick(rows).at.getTime()
    const anywhere = created + Math.floor(random.next() * (now - created))
    const at = random.pick([anywhere, anywhere, row, Math.max(created, row - 1), now])
    const body = await explain(tenant, id, at)
    const stand = record.standOf(id, at)!
    expect([body.score, body.status]).toEqual([stand.score, stand.status])
    expect(body.older_than_retention).toBe(0)
  }
}
