// What people do takes several transactions; the database may go away before any of them.
import { expect, test } from 'vitest'
import { loseTransaction } from '../../test/lose-transaction.ts'
import { addPerson, ORIGIN, signIn } from '../../test/people.ts'
import { type Answer, startService } from '../../test/service.ts'
import { hire } from '../actions/actions.fixture.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { inviteUser } from './invite-user.ts'
import { listOpenLinks } from './links.queries.ts'
import { findUser } from './users.queries.ts'

const service = await startService()
const { context } = service

/** Calls with each of its transactions lost in turn; `look` sees what is left by each. */
async function cutOffEverywhere(
  prepare: () => Promise<() => Promise<Answer>>,
  look: (first: Answer, call: () => Promise<Answer>) => Promise<void>,
): Promise<void> {
  for (let nth = 1; ; nth++) {
    const call = await prepare()
    const loss = loseTransaction(service, nth)
    const first = await call().finally(loss.end)
    if (!loss.happened()) return
    await look(first, call)
  }
}

test('a removal that was cut off is brought to its end by the next, of members and of invited', async () => {
  const { tenant_id } = await service.tenant()
  const owner = await signIn(service, tenant_id)
  let guests = 0
  const invite = async () => {
    const input = { email: `guest${++guests}@example.test`, role: 'viewer' } as const
    return (await inviteUser(context, tenant_id, operatorOrigin(), ORIGIN, input)).id
  }
  const join = async () => (await addPerson(service, tenant_id, 'viewer')).user_id
  for (const add of [invite, join]) {
    let user_id = ''
    const prepare = async () => {
      user_id = await add()
      return () => owner.call('DELETE', `/admin/users/${user_id}`)
    }
    await cutOffEverywhere(prepare, async (first, call) => {
      expect(first.status).toBe(503)
      expect([204, 404]).toContain((await call()).status)
      const left = await context.db.inTenant(RESERVED_TENANT, async tx => ({
        hints: (await findUser(tx, user_id))!.tenant_ids,
        links: await listOpenLinks(tx, user_id, tenant_id),
      }))
      expect(left).toEqual({ hints: [], links: [] })
    })
  }
})

test('who is erased after a removal that was cut off leaves no account behind', async () => {
  const tenant = await service.tenant()
  const owner = await signIn(service, tenant.tenant_id)
  const prepare = async () => {
    const person = await addPerson(service, tenant.tenant_id, 'viewer')
    const { id } = await hire(tenant, { email: person.email })
    const erase = () => tenant.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
    const remove = () => owner.call('DELETE', `/admin/users/${person.user_id}`)
    return { ...person, erase, remove }
  }
  let person: Awaited<ReturnType<typeof prepare>>
  await cutOffEverywhere(
    async () => {
      person = await prepare()
      return person.remove
    },
    async () => {
      if ((await person.erase()).status === 409) {
        expect((await person.remove()).status).toBe(204)
        expect((await person.erase()).status).toBe(200)
      }
      const account = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, person.user_id))
      expect(account).toBeUndefined()
    },
  )
})
