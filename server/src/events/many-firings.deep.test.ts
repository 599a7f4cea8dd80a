// Somebody for whom a rule has fired very often: an event reads few of the firings, and is judged as by all of them.
import { expect, it } from 'vitest'
import { coolingUntil } from '../../../scoring/rules.ts'
import { hire, ingest } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import { HOUR, MINUTE } from '../platform/clock.ts'
import { readFirings } from './ingest.queries.ts'

const service = await startService()
const { context, clock } = service
const tenant = await service.tenant()
const { tenant_id } = tenant
const [email, type] = ['noisy@example.com', 'custom.noise']
const rule = { name: 'noise', event_type: type, category: 'custom', impact: -1 }
const { id: rule_id } = (await tenant.call('POST', '/v1/rules', rule)).body
const [who] = await hire(service, tenant, [email])
/** Close together, with gaps of one, two and nearly two hours between. */
const firings = Array.from({ length: 600 }, (_, i) => {
  const gap = Math.floor(i / 150) * HOUR + Math.floor(i / 300) * (HOUR - MINUTE)
  return clock.now() - 12 * HOUR + i * 20_000 + gap
})
await ingest(
  service,
  tenant,
  firings.map(at => ({ email, type, at })),
)

it.each([10 * MINUTE, HOUR, 24 * HOUR])('of a cooldown of %i ms', async cooldown_ms => {
  const after = firings[0]! - cooldown_ms - 1
  const before = clock.now() + cooldown_ms
  const asked = [{ who: who!, rule_id, after, before, cooldown_ms }]
  const byEmail = [{ ...asked[0]!, who: email }]
  const [found, same] = await context.db.inTenant(tenant_id, tx =>
    Promise.all([readFirings(tx, tenant_id, asked), readFirings(tx, tenant_id, byEmail, 'email')]),
  )
  expect(same).toEqual(found)
  const few = found.get(who!)!.get(rule_id)!
  expect(few.length).toBeLessThanOrEqual(2 * ((12 * HOUR) / cooldown_ms + 2))
  for (let at = firings[0]! - 2 * HOUR; at < clock.now(); at += 7 * MINUTE + 1) {
    expect(coolingUntil(few, cooldown_ms, at)).toBe(coolingUntil(firings, cooldown_ms, at))
  }
})

it('the next event is cooled by them', async () => {
  await tenant.call('PATCH', `/v1/rules/${rule_id}`, { cooldown: '24h' })
  const [outcome] = await ingest(service, tenant, [{ email, type }])
  expect(outcome).toMatchObject({ kind: 'scored', event: { impact: 0, rules_matched: [] } })
})
