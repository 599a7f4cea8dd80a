// Journeys about who comes in, and with what: people with their roles and second factors, API keys and OAuth apps.
import { createHash, randomBytes } from 'node:crypto'
import { generateSync } from 'otplib'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  expectAccessible,
  expectNoErrors,
  fillLogin,
  hasBrowser,
  navigate,
} from '../support/browser.ts'
import { type Company, PASSWORD, startCompany } from '../support/company.ts'
import { readQrCode } from '../support/read-qr-code.ts'

/** A step works once, and the one after is taken as well. */
const codeOf = (secret: string, ahead = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + ahead * 30 })

describe.skipIf(!hasBrowser)('access', () => {
  let company: Company
  beforeAll(async () => {
    company = await startCompany()
  })

  const read = (key: string, path: string) =>
    fetch(`${company.url}${path}`, { headers: { authorization: `Bearer ${key}` } })

  test('someone is invited, joins by the link, gets another role and is removed', async () => {
    const page = await company.enter('owner', '/users')
    await page.getByRole('button', { name: 'Invite a person' }).click()
    await page.getByLabel('Email').fill('newcomer@acme.test')
    await page.getByLabel('Viewer').check()
    await expectNoErrors(page)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = (await page.getByTestId('secret').textContent())!
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Invited', { exact: true }).waitFor()

    const path = link.slice(new URL(link).origin.length)
    const newcomer = await company.visit(path)
    await expectAccessible(newcomer)
    await newcomer.fill('[name=password]', PASSWORD)
    await newcomer.keyboard.press('Enter')
    await newcomer.waitForURL(url => url.pathname === '/login')
    await fillLogin(newcomer, 'newcomer@acme.test')
    await newcomer.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await newcomer.getByRole('link', { name: 'Users' }).count()).toBe(0)

    await page.reload()
    await page.getByRole('button', { name: 'More about newcomer@acme.test' }).click()
    await page.getByRole('menuitem', { name: 'Change the role' }).click()
    await page.getByLabel('Admin').check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('newcomer@acme.test is admin now').waitFor()
    await newcomer.reload()
    await newcomer.getByRole('link', { name: 'API keys' }).waitFor()

    await page.getByRole('button', { name: 'More about newcomer@acme.test' }).click()
    await page.getByRole('menuitem', { name: 'Remove from the organization' }).click()
    await page.getByLabel(/to confirm/).fill('newcomer@acme.test')
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('newcomer@acme.test is removed').waitFor()
    await expectNoErrors(page)
  })

  test('a second factor is set up by its secret, and asked for at the next login', async () => {
    const { email } = await company.person('analyst')
    const page = await company.visit('/profile')
    await page.waitForURL(url => url.pathname === '/login')
    await fillLogin(page, email)
    await page.getByRole('button', { name: 'Set it up' }).click()
    const drawn = page.getByRole('img', { name: 'QR code for the authenticator app' })
    const shown = (await page.locator('.copy-value code').first().textContent())!
    expect(shown).toMatch(/^(?:\w{4} )+\w{1,4}$/)
    await page.getByRole('button', { name: 'Copy secret' }).click()
    const secret = await page.evaluate(() => navigator.clipboard.readText())
    expect(secret).toBe(shown.replaceAll(' ', ''))
    const told = new URL(await readQrCode(await drawn.screenshot()))
    expect([told.protocol, told.host]).toEqual(['otpauth:', 'totp'])
    expect(told.searchParams.get('secret')).toBe(secret)
    expect(decodeURIComponent(told.pathname)).toContain(email)
    await expectNoErrors(page)
    await page.getByLabel(/six digits/).fill(codeOf(secret))
    await page.getByRole('button', { name: 'Confirm' }).click()
    const codes = (await page.getByTestId('secret').textContent())!.split('\n')
    expect(codes).toHaveLength(10)
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('10 of 10 recovery codes left').waitFor()
    await page.getByRole('button', { name: `Account of ${email}` }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.waitForURL(url => url.pathname === '/login')
    await fillLogin(page, email)
    await page.locator('[name=code]').waitFor()
    await expectAccessible(page)
    await page.locator('[name=code]').fill(codeOf(secret, 1))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  test('a key is made, works within its scopes, and is revoked by name', async () => {
    const page = await company.enter('admin', '/keys')
    await page.getByRole('button', { name: 'New API key' }).first().click()
    const create = page.getByRole('button', { name: 'Create the key' })
    expect(await create.isDisabled()).toBe(true)
    await page.getByLabel('Name').fill('Reporting')
    const scopes = page.getByRole('group', { name: 'It may' })
    await scopes.getByText('scores:read', { exact: true }).waitFor()
    await scopes.getByLabel('Read the score views').check()
    await expectNoErrors(page)
    await create.click()
    const key = (await page.getByTestId('secret').textContent())!
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('webhooks')
    await page.getByRole('option', { name: /Webhooks/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Search' }).waitFor({ state: 'detached' })
    expect(await page.getByTestId('secret').textContent()).toBe(key)
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    expect((await read(key, '/v1/scores/summary')).status).toBe(200)
    expect((await read(key, '/v1/employees')).status).toBe(403)
    await page.getByText('Reporting', { exact: true }).waitFor()
    await expect.poll(() => page.getByText(key).count()).toBe(0)
    await page.getByRole('button', { name: 'Revoke Reporting' }).click()
    await page.getByLabel(/to confirm/).fill('Reporting')
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await page.getByText('The key Reporting is revoked').waitFor()
    await expect.poll(async () => (await read(key, '/v1/scores/summary')).status).toBe(401)
    await page.getByLabel('Show also 1 revoked or expired').check()
    await page.waitForURL(/show=all/)
    await page.getByText('Revoked', { exact: true }).waitFor()
    await expectNoErrors(page)
  })

  test('an OAuth app is made, a viewer consents, and the consent is ended', async () => {
    const back = `${company.url}/profile`
    const page = await company.enter('admin', '/apps')
    await page.getByText('No app yet').waitFor()
    await expectNoErrors(page)
    await page.getByRole('button', { name: 'New OAuth app' }).first().click()
    await page.getByLabel('Name').fill('Board report')
    await page.getByLabel('Redirect URIs').fill(back)
    const scopes = page.getByRole('group', { name: 'It may' })
    await scopes.getByLabel('Read the score views').check()
    await page.getByRole('button', { name: 'Create the app' }).click()
    const client_secret = (await page.getByTestId('secret').textContent())!
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Board report', exact: true }).click()
    await page.waitForURL(/open=/)
    await page.getByText('Nobody has allowed it yet').waitFor()
    await expectNoErrors(page)
    const client_id = (await page.locator('code', { hasText: /^app_/ }).textContent())!
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'More about Board report' }).click()
    await page.getByRole('menuitem', { name: 'Change it' }).click()
    await page.getByLabel('Read security events').check()
    const sent = page.waitForRequest(request => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect((await sent).postDataJSON(), 'only what was changed').toEqual({
      scopes: ['scores:read', 'events:read'],
    })
    await page.getByText('Board report is changed').waitFor()

    const code_verifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      client_id,
      redirect_uri: back,
      response_type: 'code',
      scope: 'scores:read',
      state: 's',
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const viewer = await company.enter('viewer', `/oauth/authorize?${query}`)
    await viewer.getByText('Board report').first().waitFor()
    await viewer.getByRole('button', { name: 'Allow', exact: true }).click()
    await viewer.waitForURL(/code=/)
    const code = new URL(viewer.url()).searchParams.get('code')!
    const answer = await fetch(`${company.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: back,
        client_id,
        client_secret,
        code_verifier,
      }),
    })
    const { access_token } = (await answer.json()) as { access_token: string }
    expect((await read(access_token, '/v1/scores/summary')).status).toBe(200)

    await page.goto(`/apps?open=${client_id}`)
    const end = page.getByRole('button', { name: /^End what .+ was allowed$/ })
    await end.waitFor()
    const cut = await end
      .locator('*')
      .evaluateAll(all => all.map(one => one.scrollWidth - one.clientWidth))
    expect(Math.max(...cut), 'the button is as wide as its word').toBe(0)
    await page.getByRole('button', { name: 'Close' }).click()

    await navigate(viewer, '/profile')
    await viewer.getByText('Board report').waitFor()
    await viewer.getByRole('button', { name: 'End what Board report was allowed' }).click()
    await viewer.getByText('None. An app appears here once you allow it.').waitFor()
    await expect.poll(async () => (await read(access_token, '/v1/scores/summary')).status).toBe(401)

    await page.getByRole('button', { name: 'More about Board report' }).click()
    await page.getByRole('menuitem', { name: 'Delete it' }).click()
    await page.getByLabel(/to confirm/).fill('Board report')
    await page.getByRole('button', { name: 'Delete the app' }).click()
    await page.getByText('No app yet').waitFor()
  })
})
