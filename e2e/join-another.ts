// Somebody who works in two organizations.
import { inviteUser } from '../server/src/accounts/invite-user.ts'
import { openTenant } from '../server/src/open-tenant.ts'
import { operatorOrigin } from '../server/src/platform/actor.ts'
import { openBrowser } from '../server/test/people.ts'
import type { Service } from '../server/test/service.ts'
import type { House } from './house.ts'

/** Joins by the link of the other organization, and goes back to the first. */
export async function joinAnother(house: House, email: string, name: string): Promise<void> {
  const { app, context } = house
  const { tenant_id } = await openTenant(context, operatorOrigin(), { name, plan: 'enterprise' })
  const input = { email, role: 'admin' } as const
  const { setup_url } = await inviteUser(context, tenant_id, operatorOrigin(), house.url, input)
  const browser = openBrowser({ app, context } as Service)
  await browser.logIn(email)
  const token = new URL(setup_url).searchParams.get('token')!
  await browser.call('POST', '/session/link/accept', { token })
}
