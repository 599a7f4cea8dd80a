// Journeys about what ends with whom: a webhook with the app that made it, keys with their creator.
import { beforeAll, describe, expect, test } from 'vitest'
import { asOperator } from '../../server/src/accounts/identity.ts'
import { changeMember } from '../../server/src/accounts/manage-members.ts'
import { addApp } from '../../server/test/oauth.ts'
import { caller, type Service } from '../../server/test/service.ts'
import { expectNoErrors, hasBrowser } from '../support/browser.ts'
import { type Company, startCompany } from '../support/company.ts'

describe.skipIf(!hasBrowser)('credentials', () => {
  let company: Company
  beforeAll(async () => {
    company = await startCompany()
  })

  test('a webhook that an app made ends with the app, and goes on once an owner adopts it', async () => {
    const { app: server, context, tenant_id } = company
    const { email } = await company.person('admin')
    const browser = await company.callAs(email)
    const app = await addApp({ app: server, context } as Service, tenant_id, ['webhooks:write'])
    const { tokens } = await app.connect(browser)
    const hook = { url: 'https://hooks.example.com/x', events: ['event.ingested'] }
    const made = await caller(server, tokens.access_token)('POST', '/v1/webhooks', hook)
    await browser.call('DELETE', `/admin/apps/${app.client_id}`)
    const page = await company.enter('owner', `/webhooks/${made.body.id}`)
    await page.getByText(/the access of the app that made it has ended/).waitFor()
    expect(await page.getByRole('button', { name: 'Enable' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Adopt', exact: true }).click()
    await page.getByRole('button', { name: 'Adopt the webhook' }).click()
    await page.getByText(/is yours and enabled/).waitFor()
    await page.getByRole('button', { name: 'Disable' }).waitFor()
    expect(await page.getByRole('button', { name: 'Adopt' }).count()).toBe(0)
    await expectNoErrors(page)
  })

  test('keys of somebody who leaves are marked, and revoked once the settings say so', async () => {
    const { context, tenant_id } = company
    const makeKey = async (name: string) => {
      const { email, user_id } = await company.person('admin')
      const browser = await company.callAs(email)
      await browser.call('POST', '/admin/keys', { name, scopes: ['scores:read'] })
      return () => asOperator(context, tenant_id, changeMember, user_id, { status: 'disabled' })
    }
    const [first, second] = [await makeKey('Left behind'), await makeKey('Taken along')]
    await first()
    const page = await company.enter('owner', '/keys')
    const left = page.getByRole('row').filter({ hasText: 'Left behind' })
    await left.getByText('Creator has left').waitFor()
    const other = page.getByRole('row').filter({ hasText: 'Taken along' })
    expect(await other.getByText('Creator has left').count()).toBe(0)
    await page.goto(`${company.url}/settings`)
    await page.getByRole('switch', { name: /^Revoke the keys/ }).click()
    await page.getByText('Keys are revoked when their creator leaves').waitFor()
    await second()
    await page.goto(`${company.url}/keys`)
    await left.waitFor()
    expect(await other.count()).toBe(0)
    await expectNoErrors(page)
  })
})
