// The address of somebody who was erased is free again, but not while it is still looked for: what is written of whoever
// has it next would be taken for what is left of the person before.
import { beforeEach, expect, test } from 'vitest'
import { seeBlocked } from '../../test/locks.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { hire } from '../actions/actions.fixture.ts'
import { aliasOf, emailKey } from '../employees/email-address.ts'
import { eraseProfile } from '../employees/person.queries.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { replayJobsJob } from '../replays/run-replay-jobs.job.ts'
import { insertErasure } from './erasures.queries.ts'
import { sweepErasedJob } from './sweep-erased.job.ts'
import { sealTraces } from './sweep-person.ts'

const EMAIL = 'Lead@example.com'
const NEXT = { email: 'lead@Example.com', first_name: 'Max', last_name: 'Next' }
const OTHER = {
  email: 'bo@example.com',
  first_name: 'Bo',
  last_name: 'Other',
  manager_email: 'nobody@example.com',
}
const NOT_YET = {
  code: 'CONFLICT',
  message:
    'this email belonged to somebody whose erasure is not complete yet; try again when it is',
}

const service = await startService()
const { context } = service
let tenant: Tenant
let id: string

beforeEach(async () => {
  tenant = await service.tenant()
  const person = await hire(tenant, { email: EMAIL, first_name: 'Zelda', last_name: 'Quirk' })
  id = person.id
})

/** A job that names the person goes first, so the search has not begun. */
async function eraseWithoutEnd() {
  const filter = { type: 'custom.none', conditions: { user: EMAIL } }
  await tenant.call('POST', '/v1/events/retract', { filter, reason: 'a test' })
  const { body } = await tenant.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
  expect(body.search.status).toBe('running')
}

const endSearch = () => runDueJobs(context, [replayJobsJob(), sweepErasedJob()])

test('409 while it is looked for; afterwards it is free, and what is told of whoever has it stays', async () => {
  await eraseWithoutEnd()
  const once = { 'idempotency-key': 'next' }
  const early = await tenant.call('POST', '/v1/employees', NEXT, once)
  expect(early).toMatchObject({ status: 409, body: { error: NOT_YET } })
  await endSearch()
  const made = await tenant.call('POST', '/v1/employees', NEXT, once)
  expect(made).toMatchObject({ status: 201, body: { email: NEXT.email } })
  await endSearch()
  const { body } = await tenant.call('GET', `/v1/audit?subject_id=${made.body.id}`)
  expect(body.data).toMatchObject([{ action: 'employee.created', after: NEXT }])
})

test('207 of a batch only whoever would have it is refused', async () => {
  await eraseWithoutEnd()
  const employees = [NEXT, OTHER]
  const { status, body } = await tenant.call('POST', '/v1/employees/batch', { employees })
  expect(status).toBe(207)
  expect(body.data).toMatchObject([
    { index: 0, status: 409, error: NOT_YET },
    { index: 1, status: 201, employee: { email: OTHER.email } },
  ])
  const { body: all } = await tenant.call('GET', '/v1/employees')
  expect(all.data.map((one: { email: string }) => one.email)).toContain(OTHER.email)
  expect(all.data).toHaveLength(2)
})

test('409 for whoever waited for the erasure itself', async () => {
  const { tenant_id } = tenant
  const at = new Date(service.clock.now())
  const waited = await context.db.inTenant(tenant_id, async tx => {
    const traces = sealTraces(context, tenant_id, id, { email: EMAIL, name: null, ids: [] })
    await insertErasure(tx, tenant_id, { employee_id: id, traces, started_at: at })
    await eraseProfile(tx, tenant_id, id, emailKey(EMAIL), aliasOf(id), at)
    const created = tenant.call('POST', '/v1/employees', NEXT)
    await seeBlocked(tx)
    return { created }
  })
  expect(await waited.created).toMatchObject({ status: 409, body: { error: NOT_YET } })
})
