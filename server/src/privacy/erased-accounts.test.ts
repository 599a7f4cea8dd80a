// The account for the dashboard of somebody who is erased: it goes where no organization knows it any more.
import { expect, test } from 'vitest'
import { addPerson, ORIGIN, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { inviteUser } from '../accounts/invite-user.ts'
import { removeMember } from '../accounts/manage-members.ts'
import { setUserEnabled } from '../accounts/rescue-user.ts'
import { findUser } from '../accounts/users.queries.ts'
import { hire } from '../actions/actions.fixture.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { RESERVED_TENANT } from '../platform/database.ts'

const service = await startService()
const { context } = service
const acme = await service.tenant()
await signIn(service, acme.tenant_id)

const accountOf = (user_id: string) =>
  context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, user_id))

async function engage() {
  const person = await addPerson(service, acme.tenant_id, 'viewer')
  const { id } = await hire(acme, { email: person.email })
  const erase = async () =>
    (await acme.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })).status
  const leave = () => removeMember(context, acme.tenant_id, operatorOrigin(), person.user_id)
  return { ...person, erase, leave }
}

test('200 and the account goes with the person, once they were removed as a user', async () => {
  const { user_id, erase, leave } = await engage()
  expect(await erase()).toBe(409)
  expect(await accountOf(user_id)).toBeDefined()
  await leave()
  expect(await erase()).toBe(200)
  expect(await accountOf(user_id)).toBeUndefined()
})

test('200 and it stays where another organization has invited them', async () => {
  const other = await service.tenant()
  const { user_id, email, erase, leave } = await engage()
  const input = { email, role: 'viewer' } as const
  await inviteUser(context, other.tenant_id, operatorOrigin(), ORIGIN, input)
  await leave()
  expect(await erase()).toBe(200)
  expect(await accountOf(user_id)).toBeDefined()
})

test('200 and it stays where the operator has shut it out, so that nobody lets it in anew', async () => {
  const { user_id, erase, leave } = await engage()
  await setUserEnabled(context, operatorOrigin(), (await accountOf(user_id))!, false)
  await leave()
  expect(await erase()).toBe(200)
  expect(await accountOf(user_id)).toMatchObject({ status: 'disabled' })
})
