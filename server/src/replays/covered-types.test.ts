// A dry run of a rule with a wildcard finds its types whichever order the database sorts by.
import { expect, it } from 'vitest'
import { hire, ingest } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'

it('200 covers the same types in a database that sorts by a language', async () => {
  const service = await startService()
  await service.context.db.sql`ALTER TABLE events ALTER COLUMN type TYPE text COLLATE "en-x-icu"`
  const tenant = await service.tenant()
  const email = 'ada@example.com'
  await hire(service, tenant, [email])
  // By a language `Sim.b` stands between the two that are covered.
  const types = ['sim.a', 'Sim.b', 'sim.c', 'sim_x.a', 'simulation.a']
  await ingest(
    service,
    tenant,
    types.map(type => ({ email, type })),
  )
  const rule = { name: 'Any simulation', category: 'email', event_type: 'sim.*', impact: -3 }
  const { body } = await tenant.call('POST', '/v1/rules/test', rule)
  expect(body).toMatchObject({ events_matched: 2, employees_affected: 1, average_impact: -6 })
})
