// Journeys about accounts: passwords and sessions elsewhere, and the pages of who is not signed in.
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { asOperator } from '../../server/src/accounts/identity.ts'
import { createApp } from '../../server/src/oauth/manage-apps.ts'
import {
  expectAccessible,
  expectLoggedOut,
  expectNoErrors,
  fillLogin,
  hasBrowser,
} from '../support/browser.ts'
import { type Company, startCompany } from '../support/company.ts'

describe.skipIf(!hasBrowser)('accounts', () => {
  let company: Company
  beforeAll(async () => {
    company = await startCompany()
  })

  test('a password is changed, and a session elsewhere is ended', async () => {
    const { email } = await company.person('viewer')
    const there = await company.visit('/login')
    await fillLogin(there, email)
    await there.getByRole('heading', { name: 'Overview' }).waitFor()
    const page = await company.visit('/profile')
    await page.waitForURL(url => url.pathname === '/login')
    await fillLogin(page, email)
    await page.getByText('this one', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^End the session in / }).click()
    await page.getByText(/has ended/).waitFor()
    await expectLoggedOut(there)
    await page.getByLabel('New password').fill('short')
    const change = page.getByRole('button', { name: 'Change the password' })
    expect(await change.isDisabled()).toBe(true)
    await page.getByLabel('New password').fill('four brown kettles hum')
    await page.getByLabel('Once more').fill('four brown kettles hum')
    await change.click()
    await page.getByText('The password is changed').waitFor()
    await expectNoErrors(page)
  })

  test.each([
    '/login',
    '/forgot',
    '/invitation?token=none',
    '/reset?token=none',
    '/oauth/authorize?client_id=none',
  ])('%s shuts nobody out, on a phone, in light and in dark', async path => {
    const page = await company.visit(path, { width: 360 })
    await expectNoErrors(page)
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(page, 'contrast')
  })

  test('/docs shuts nobody out, on a phone', async () => {
    const page = await company.visit('/docs', { width: 360 })
    await expectNoErrors(page)
    await expectAccessible(page)
  })

  test('an app named by one long word widens the page of consent by nothing', async () => {
    const redirect_uri = `${company.url}/profile`
    const { client_id } = await asOperator(company.context, company.tenant_id, createApp, {
      name: 'N'.repeat(200),
      redirect_uris: [redirect_uri],
      scopes: ['scores:read'] as const,
    })
    const query = new URLSearchParams({
      client_id,
      redirect_uri,
      response_type: 'code',
      scope: 'scores:read',
      state: 's',
      code_challenge: createHash('sha256').update('v').digest('base64url'),
      code_challenge_method: 'S256',
    })
    const page = await company.enter('viewer', `/oauth/authorize?${query}`, { width: 360 })
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
    await expectNoErrors(page)
    await expectAccessible(page)
  })
})
