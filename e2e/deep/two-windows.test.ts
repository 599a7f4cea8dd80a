// Journeys with two windows of one browser: what one does to the session, the other notices before it does harm.
import { generateSync } from 'otplib'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  expectLoggedOut,
  expectNoErrors,
  fillLogin,
  focusWindow,
  hasBrowser,
  logIn,
  navigate,
} from '../support/browser.ts'
import { addOrganization, type Company, startCompany } from '../support/company.ts'

async function logOut(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: `Account of ${email}` }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.waitForURL(url => url.pathname === '/login')
}

/** A window that looks for news meanwhile would tell of it itself; what it does when asked to goes through. */
async function unseen(page: Page, act: () => Promise<void>): Promise<void> {
  const mayBeNews = (url: URL) => /^\/(?:v1|admin)\//.test(url.pathname)
  await page.route(mayBeNews, (route, request) => {
    const isAsked = request.method() !== 'GET' || /[?&]per_page=1$/.test(request.url())
    return isAsked ? route.continue() : route.abort()
  })
  await act()
  await page.unroute(mayBeNews)
}

async function fillPerson(page: Page, first_name: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Add a person' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add a person' })
  await dialog.getByLabel('First name').fill(first_name)
  await dialog.getByLabel('Last name').fill('Twin')
  await dialog.getByLabel(/^Email/).fill(`${first_name.toLowerCase()}@twin.test`)
  return dialog.getByRole('button', { name: 'Add', exact: true })
}

async function addPerson(page: Page, first_name: string): Promise<void> {
  const add = await fillPerson(page, first_name)
  await add.click()
}

/** The form is the first to hear that the session is no more: a page without a form would go to the login. */
async function addAfterTheEnd(page: Page, first_name: string): Promise<void> {
  const add = await fillPerson(page, first_name)
  await unseen(page, async () => {
    await page.context().clearCookies()
    await add.click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  })
}

/** The recovery codes, which need no clock. */
async function setUpFactor(company: Company, email: string): Promise<string[]> {
  const browser = await company.callAs(email)
  const { secret } = (await browser.call('POST', '/session/totp')).body
  const code = generateSync({ secret })
  return (await browser.call('POST', '/session/totp/confirm', { code })).body.recovery_codes
}

describe.skipIf(!hasBrowser)('two windows', () => {
  let company: Company
  beforeAll(async () => {
    company = await startCompany()
  })

  test('one switches the organization; the other does not save the log of the new one', async () => {
    const { email } = await company.person('admin')
    await addOrganization(company, email, 'Gamma')
    const here = await company.enterAs(email, '/audit')
    const save = here.getByRole('button', { name: 'Export NDJSON' })
    await save.waitFor()
    const there = await here.context().newPage()
    await there.goto('/')
    let saved = 0
    here.on('download', () => {
      saved += 1
    })
    await unseen(here, async () => {
      await there.getByRole('button', { name: 'Organization Acme, switch' }).click()
      await there.getByRole('menuitem', { name: 'Gamma' }).click()
      await there.getByRole('button', { name: 'Organization Gamma, switch' }).waitFor()
      await save.click()
    })
    const note = here.getByRole('dialog', { name: 'This window is out of date' })
    await note.getByText('in Gamma').first().waitFor()
    expect(saved).toBe(0)
  })

  test('a session ends over a form: one logs in beside it and goes on with what was typed', async () => {
    const { email } = await company.person('admin')
    const here = await company.enterAs(email, '/employees')
    await addAfterTheEnd(here, 'Kept')
    const note = here.getByRole('dialog', { name: 'Your session has ended' })
    await expectNoErrors(here)
    const opened = here.context().waitForEvent('page')
    await note.getByRole('link', { name: 'Log in again' }).click()
    await logIn(await opened, email)
    await here.bringToFront()
    await here.evaluate(() => window.dispatchEvent(new Event('focus')))
    await note.waitFor({ state: 'hidden' })
    const dialog = here.getByRole('dialog', { name: 'Add a person' })
    await dialog.getByText('The session had ended; nothing was changed.').waitFor()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await here.getByText('Kept Twin begins at 75').waitFor()
  })

  test('a session ends over a form: with a second factor one is back after its code, not before', async () => {
    const { email } = await company.person('admin')
    const codes = await setUpFactor(company, email)
    const giveCode = async (page: Page) => {
      await page.locator('[name=code]').fill(codes.pop()!)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
    }
    const here = await company.visit('/login')
    await fillLogin(here, email)
    await giveCode(here)
    await navigate(here, '/employees')
    await addAfterTheEnd(here, 'Guarded')
    const note = here.getByRole('dialog', { name: 'Your session has ended' })
    const opened = here.context().waitForEvent('page')
    await note.getByRole('link', { name: 'Log in again' }).click()
    const there = await opened
    await fillLogin(there, email)
    await there.locator('[name=code]').waitFor()
    expect((await focusWindow(here)).stage).toBe('second_factor')
    expect(await note.isVisible()).toBe(true)
    await giveCode(there)
    expect((await focusWindow(here)).stage).toBe('signed_in')
    await note.waitFor({ state: 'hidden' })
    const dialog = here.getByRole('dialog', { name: 'Add a person' })
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await here.getByText('Guarded Twin begins at 75').waitFor()
  })

  test('a session ends while a new key is shown: it stays to be stored', async () => {
    const { email } = await company.person('admin')
    const here = await company.enterAs(email, null)
    await here.clock.install()
    await here.goto('/keys')
    await here.getByRole('button', { name: 'New API key' }).first().click()
    const dialog = here.getByRole('dialog', { name: 'New API key' })
    await dialog.getByLabel('Name').fill('Kept key')
    await dialog.getByRole('button', { name: 'Read only' }).click()
    await dialog.getByRole('button', { name: 'Create the key' }).click()
    const key = await here.getByTestId('secret').textContent()
    await here.context().clearCookies()
    // The bell looks for news now and then, and is refused.
    await here.clock.fastForward(31_000)
    const note = here.getByRole('dialog', { name: 'Your session has ended' })
    await note.waitFor()
    await note.getByRole('button', { name: 'Close' }).click()
    await note.waitFor({ state: 'hidden' })
    expect(await here.getByTestId('secret').textContent()).toBe(key)
  })

  test('one logs out and in again; the other still changes things, and logs out for good', async () => {
    const { email } = await company.person('admin')
    const here = await company.enterAs(email, '/employees')
    await here.getByRole('button', { name: 'Add a person' }).first().waitFor()
    const there = await here.context().newPage()
    await there.goto('/')
    const logInAgain = async () => {
      await logOut(there, email)
      await logIn(there, email)
    }
    await unseen(here, logInAgain)
    await addPerson(here, 'Found')
    await here.getByText('Found Twin begins at 75').waitFor()
    await unseen(here, logInAgain)
    await logOut(here, email)
    await expectLoggedOut(there)
  })

  test('one logs in as somebody else; the other does nothing in that name', async () => {
    const [first, second] = [await company.person('admin'), await company.person('admin')]
    const here = await company.enterAs(first.email, '/employees')
    await here.getByRole('button', { name: 'Add a person' }).first().waitFor()
    const there = await here.context().newPage()
    await there.goto('/')
    await unseen(here, async () => {
      await logOut(there, first.email)
      await logIn(there, second.email)
      await addPerson(here, 'Blamed')
    })
    await here.getByText(`as ${second.email}`).first().waitFor()
    const { status } = await company.api('GET', '/v1/employees/by-email/blamed@twin.test')
    expect(status).toBe(404)
  })
})
