// Two changes of one membership meet, statement by statement in many orders: the second sees the first.
import { expect, test } from 'vitest'
import { interleave, listOrders, type Side } from '../../test/interleave.ts'
import { ORIGIN, PASSWORD } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { acceptLink } from './accept-link.ts'
import { inviteUser } from './invite-user.ts'
import { changeMember } from './manage-members.ts'
import { findMembership } from './memberships.queries.ts'

const service = await startService({ pool: 12 })
const { context } = service
const { tenant_id } = await service.tenant()
const visit = { address: '192.0.2.1', request_id: 'req_x', device: '' }

let people = 0

test('an invitation accepted while it is withdrawn: who was disabled is out', async () => {
  const run = async (first: number, second: number) => {
    const email = `invited${people++}@example.com`
    const input = { email, role: 'viewer' as const }
    const invited = await inviteUser(context, tenant_id, operatorOrigin(), ORIGIN, input)
    const token = new URL(invited.setup_url).searchParams.get('token')!
    const accept: Side<unknown> = own => acceptLink(own, visit, null, { token, password: PASSWORD })
    const disable: Side<unknown> = own =>
      changeMember(own, tenant_id, operatorOrigin(), invited.id, { status: 'disabled' })
    const ended = await interleave(service, accept, disable, { first, second })
    if (ended.second.status === 'rejected') throw ended.second.reason
    const membership = await context.db.inTenant(tenant_id, tx =>
      findMembership(tx, tenant_id, invited.id),
    )
    const out = ended.first.status === 'rejected' ? 'withdrawn' : 'disabled'
    expect(membership!.status).toBe(out)
    return ended.counts
  }
  const counts = await run(Number.POSITIVE_INFINITY, 0)
  for (const { first, second } of listOrders(counts, 60, 1)) await run(first, second)
}, 120_000)
