// Journeys about people who use the dashboard: invited, given a role, guarded by a second factor.
import { generateSync } from 'otplib'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  expectGoodPage,
  expectLoggedOut,
  type House,
  hasBrowser,
  logInByForm,
  openHouse,
  PASSWORD,
} from './house.ts'
import { readQrCode } from './read-qr-code.ts'

/** A step works once, and the one after is taken as well. */
const codeOf = (secret: string, ahead = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + ahead * 30 })

describe.skipIf(!hasBrowser)('accounts', () => {
  let house: House
  beforeAll(async () => {
    house = await openHouse()
  })

  test('someone is invited, joins by the link, gets another role and is removed', async () => {
    const page = await house.enter('owner', '/users')
    await page.getByRole('button', { name: 'Invite a person' }).click()
    await page.getByLabel('Email').fill('newcomer@acme.test')
    await page.getByLabel('Viewer').check()
    await expectGoodPage(page)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = (await page.getByTestId('secret').textContent())!
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Invited', { exact: true }).waitFor()

    const path = link.slice(new URL(link).origin.length)
    const newcomer = await house.visit(path)
    await expectGoodPage(newcomer)
    await newcomer.fill('[name=password]', PASSWORD)
    await newcomer.keyboard.press('Enter')
    await newcomer.waitForURL(url => url.pathname === '/login')
    await logInByForm(newcomer, 'newcomer@acme.test')
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
    await newcomer.context().close()

    await page.getByRole('button', { name: 'More about newcomer@acme.test' }).click()
    await page.getByRole('menuitem', { name: 'Remove from the organization' }).click()
    await page.getByLabel(/to confirm/).fill('newcomer@acme.test')
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('newcomer@acme.test is removed').waitFor()
    await expectGoodPage(page)
    await page.context().close()
  })

  test('a second factor is set up by its secret, and asked for at the next login', async () => {
    const { email } = await house.person('analyst')
    const page = await house.visit('/profile')
    await page.waitForURL(url => url.pathname === '/login')
    await logInByForm(page, email)
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
    await expectGoodPage(page)
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
    await logInByForm(page, email)
    await page.locator('[name=code]').waitFor()
    await expectGoodPage(page)
    await page.locator('[name=code]').fill(codeOf(secret, 1))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.context().close()
  })

  test('a password is changed, and a session elsewhere is ended', async () => {
    const { email } = await house.person('viewer')
    const there = await house.visit('/login')
    await logInByForm(there, email)
    await there.getByRole('heading', { name: 'Overview' }).waitFor()
    const page = await house.visit('/profile')
    await page.waitForURL(url => url.pathname === '/login')
    await logInByForm(page, email)
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
    await expectGoodPage(page)
    await page.context().close()
    await there.context().close()
  })

  test.each([
    '/login',
    '/forgot',
    '/invitation?token=none',
    '/reset?token=none',
    '/oauth/authorize?client_id=none',
  ])('%s shuts nobody out, on a phone, in light and in dark', async path => {
    const page = await house.visit(path, { width: 360 })
    await expectGoodPage(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectGoodPage(page, 'contrast')
    await page.context().close()
  })

  test('/docs shuts nobody out, on a phone', async () => {
    const page = await house.visit('/docs', { width: 360 })
    await expectGoodPage(page)
    await page.context().close()
  })
})
