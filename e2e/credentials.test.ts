// Journeys about what programs come in with: API keys and OAuth apps.
import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { asOperator } from '../server/src/accounts/identity.ts'
import { changeMember } from '../server/src/accounts/manage-members.ts'
import { createApp } from '../server/src/oauth/manage-apps.ts'
import { addApp } from '../server/test/oauth.ts'
import { openBrowser } from '../server/test/people.ts'
import { caller, type Service } from '../server/test/service.ts'
import { expectGoodPage, type House, hasBrowser, openHouse } from './house.ts'

describe.skipIf(!hasBrowser)('credentials', () => {
  let house: House
  beforeAll(async () => {
    house = await openHouse()
  })

  const read = (key: string, path: string) =>
    fetch(`${house.url}${path}`, { headers: { authorization: `Bearer ${key}` } })

  test('a key is made, works within its scopes, and is revoked by name', async () => {
    const page = await house.enter('admin', '/keys')
    await page.getByRole('button', { name: 'New API key' }).first().click()
    const create = page.getByRole('button', { name: 'Create the key' })
    expect(await create.isDisabled()).toBe(true)
    await page.getByLabel('Name').fill('Reporting')
    const scopes = page.getByRole('group', { name: 'It may' })
    await scopes.getByText('scores:read', { exact: true }).waitFor()
    await scopes.getByLabel('Read the score views').check()
    await expectGoodPage(page)
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
    await expectGoodPage(page)
    await page.context().close()
  })

  test('an OAuth app is made, a viewer consents, and the consent is ended', async () => {
    const back = `${house.url}/profile`
    const page = await house.enter('admin', '/apps')
    await page.getByText('No app yet').waitFor()
    await expectGoodPage(page)
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
    await expectGoodPage(page)
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
    const viewer = await house.enter('viewer', `/oauth/authorize?${query}`)
    await viewer.getByText('Board report').first().waitFor()
    await viewer.getByRole('button', { name: 'Allow', exact: true }).click()
    await viewer.waitForURL(/code=/)
    const code = new URL(viewer.url()).searchParams.get('code')!
    const answer = await fetch(`${house.url}/oauth/token`, {
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

    await viewer.goto('/profile')
    await viewer.getByText('Board report').waitFor()
    await viewer.getByRole('button', { name: 'End what Board report was allowed' }).click()
    await viewer.getByText('None. An app appears here once you allow it.').waitFor()
    await expect.poll(async () => (await read(access_token, '/v1/scores/summary')).status).toBe(401)
    await viewer.context().close()

    await page.getByRole('button', { name: 'More about Board report' }).click()
    await page.getByRole('menuitem', { name: 'Delete it' }).click()
    await page.getByLabel(/to confirm/).fill('Board report')
    await page.getByRole('button', { name: 'Delete the app' }).click()
    await page.getByText('No app yet').waitFor()
    await page.context().close()
  })

  test('a webhook that an app made ends with the app, and goes on once an owner adopts it', async () => {
    const service = { app: house.app, context: house.context } as Service
    const { email } = await house.person('admin')
    const browser = openBrowser(service)
    await browser.logIn(email)
    const app = await addApp(service, house.tenant_id, ['webhooks:write'])
    const { tokens } = await app.connect(browser)
    const hook = { url: 'https://hooks.example.com/x', events: ['event.ingested'] }
    const made = await caller(house.app, tokens.access_token)('POST', '/v1/webhooks', hook)
    await browser.call('DELETE', `/admin/apps/${app.client_id}`)
    const page = await house.enter('owner', `/webhooks/${made.body.id}`)
    await page.getByText(/the access of the app that made it has ended/).waitFor()
    expect(await page.getByRole('button', { name: 'Enable' }).count()).toBe(0)
    await expectGoodPage(page)
    await page.getByRole('button', { name: 'Adopt', exact: true }).click()
    await page.getByRole('button', { name: 'Adopt the webhook' }).click()
    await page.getByText(/is yours and enabled/).waitFor()
    await page.getByRole('button', { name: 'Disable' }).waitFor()
    expect(await page.getByRole('button', { name: 'Adopt' }).count()).toBe(0)
    await page.context().close()
  })

  test('keys of somebody who leaves are marked, and revoked once the settings say so', async () => {
    const service = { app: house.app, context: house.context } as Service
    const makeKey = async (name: string) => {
      const { email, user_id } = await house.person('admin')
      const browser = openBrowser(service)
      await browser.logIn(email)
      await browser.call('POST', '/admin/keys', { name, scopes: ['scores:read'] })
      return () =>
        asOperator(house.context, house.tenant_id, changeMember, user_id, { status: 'disabled' })
    }
    const [first, second] = [await makeKey('Left behind'), await makeKey('Taken along')]
    await first()
    const page = await house.enter('owner', '/keys')
    const left = page.getByRole('row').filter({ hasText: 'Left behind' })
    await left.getByText('Creator has left').waitFor()
    const other = page.getByRole('row').filter({ hasText: 'Taken along' })
    expect(await other.getByText('Creator has left').count()).toBe(0)
    await expectGoodPage(page)
    await page.goto('/settings')
    await page.getByRole('switch', { name: /^Revoke the keys/ }).click()
    await page.getByText('Keys are revoked when their creator leaves').waitFor()
    await expectGoodPage(page)
    await second()
    await page.goto('/keys')
    await left.waitFor()
    expect(await other.count()).toBe(0)
    await page.context().close()
  })

  test('an app named by one long word widens the page of consent by nothing', async () => {
    const redirect_uri = `${house.url}/profile`
    const { client_id } = await asOperator(house.context, house.tenant_id, createApp, {
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
    const page = await house.enter('viewer', `/oauth/authorize?${query}`, { width: 360 })
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
    await expectGoodPage(page)
    await page.context().close()
  })
})
