// Proves that the tables of the limit can be made beside the service's own, whatever columns those have by now.
import { expect, it } from 'vitest'
import { hire, ingest } from '../server/test/scenario.ts'
import { START, startService } from '../server/test/service.ts'
import { fillSameRows } from './same-rows.ts'

it('the tables of the limit hold the same rows, computed columns included', async () => {
  const service = await startService()
  const tenant = await service.tenant()
  await hire(service, tenant, ['ada@example.com'])
  const type = 'sim.link_clicked'
  await ingest(service, tenant, [{ email: 'ada@example.com', type, at: START }])
  await fillSameRows(service.context)
  const { sql } = service.context.db
  const ours = await sql`SELECT * FROM events ORDER BY event_id`
  expect(ours).toHaveLength(1)
  expect(await sql`SELECT * FROM limit_events ORDER BY event_id`).toEqual(ours)
  expect(await sql`SELECT * FROM limit_shares`).toEqual(await sql`SELECT * FROM shares`)
})
