// Journeys about what all dialogs and forms have in common: one closes at a time, one request is sent, focus is kept.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  expectAccessible,
  expectNoErrors,
  hasBrowser,
  navigate,
  settle,
} from '../support/browser.ts'
import { expireReauthentication } from '../support/clock.ts'
import { type Company, findPerson, seedCompany } from '../support/company.ts'
import { delayResponse } from '../support/network.ts'

const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: at } = document
    return at?.getAttribute('aria-label') || at?.id || at?.textContent
  })

const submitTwice = (page: Page) =>
  page.evaluate(() => {
    const form = document.querySelector<HTMLFormElement>('[role="dialog"] form, main form')!
    form.requestSubmit()
    form.requestSubmit()
  })

describe.skipIf(!hasBrowser)('dialogs', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  /** A search, opened over a form in which something is typed. */
  async function searchFromForm() {
    const page = await company.enter('admin', '/employees')
    await page.getByRole('button', { name: 'Add a person' }).click()
    const form = page.getByRole('dialog', { name: 'Add a person' })
    await form.getByLabel('First name').fill('Typed')
    await page.keyboard.press('Control+k')
    const search = page.getByRole('combobox', { name: 'Search' })
    return { page, form, search }
  }

  test('every dialog with a form is read as easily as a page, in light and in dark', async () => {
    const { id } = await findPerson(company, 'ada@acme.test')
    const page = await company.enter('owner', '/profile')
    const dialog = page.getByRole('dialog')
    for (const [path, press] of [
      ['/profile', 'Set it up'],
      ['/users', 'Invite a person'],
      ['/keys', 'New API key'],
      ['/apps', 'New OAuth app'],
      ['/webhooks', 'New webhook'],
      ['/actions', 'New action'],
      ['/actions?tab=policies', 'New policy'],
      ['/employees', 'Add a person'],
      [`/employees/${id}`, 'Adjust score'],
      ['/audit', 'Verify'],
      ['/', /^Notifications/],
      ['/', 'Search'],
    ] as const) {
      await navigate(page, path)
      await page.getByRole('button', { name: press }).first().click()
      await dialog.first().waitFor()
      // A list that opens with its dialog has come.
      await page.waitForFunction(() => !document.querySelector('[role=listbox]:empty'))
      await settle(page)
      await expectAccessible(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
      await expectAccessible(page, 'contrast')
      await page.emulateMedia({ colorScheme: 'light' })
      await page.locator('html[data-mantine-color-scheme=light]').waitFor()
      // One that waits for an answer stays until it has come.
      const close = () => page.keyboard.press('Escape').then(() => dialog.count())
      await expect.poll(close).toBe(0)
    }
  })

  test('Escape closes the dialog on top alone', async () => {
    const { page, form, search } = await searchFromForm()
    await search.fill('ada')
    await page.keyboard.press('Escape')
    await search.waitFor({ state: 'detached' })
    expect(await form.getByLabel('First name').inputValue()).toBe('Typed')
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
  })

  test('a double click on what opens a dialog leaves it open; a click beside it closes it', async () => {
    const page = await company.enter('admin', '/employees')
    await page.getByRole('button', { name: 'Add a person' }).dblclick()
    const form = page.getByRole('dialog', { name: 'Add a person' })
    await form.getByLabel('First name').fill('Typed')
    await page.mouse.click(20, 500)
    await form.waitFor({ state: 'detached' })
  })

  test('a dialog in which something is typed is not left without being asked', async () => {
    const page = await company.enter('owner', '/actions')
    await page.getByRole('tab', { name: 'Policies' }).click()
    const form = page.getByRole('dialog', { name: 'New policy' })
    const name = form.getByRole('textbox', { name: 'Name' })
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    const open = () => page.getByRole('button', { name: 'New policy' }).click()
    await open()
    await name.fill('Half written')
    // The tab it lies on is a part of the address alone.
    await page.evaluate(() => history.back())
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await name.inputValue()).toBe('Half written')
    await page.evaluate(() => history.back())
    await question.getByRole('button', { name: 'Leave', exact: true }).click()
    await form.waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: 'Policies' }).click()
    // Whoever closes it, or has typed nothing, is not asked.
    await open()
    await name.fill('Given up')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByRole('dialog', { name: 'New webhook' }).waitFor()
    await page.evaluate(() => history.back())
    await page.getByRole('tab', { name: 'Policies' }).waitFor()
    expect(await question.count()).toBe(0)
  })

  test('a choice from a list alone is asked about too', async () => {
    const page = await company.enter('owner', '/rules')
    await page.getByRole('link', { name: 'Actions', exact: true }).click()
    await page.getByRole('tab', { name: 'Policies' }).click()
    await page.getByRole('button', { name: 'New policy' }).click()
    const form = page.getByRole('dialog', { name: 'New policy' })
    await form.getByLabel('Then').first().click()
    await page.getByRole('option').last().click()
    await page.evaluate(() => history.back())
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Leave', exact: true }).click()
    await form.waitFor({ state: 'detached' })
  })

  test('who stays after all, having searched from a dialog, goes on typing there', async () => {
    const { page, form, search } = await searchFromForm()
    await search.fill('Webhooks')
    await page.getByRole('option', { name: /Webhooks/ }).waitFor()
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    await page.keyboard.type(' on')
    await expect.poll(() => form.getByLabel('First name').inputValue()).toBe('Typed on')
  })

  test('a dialog about one thing does not come along to another', async () => {
    const rule = { event_type: 'custom.desk', category: 'custom', impact: -1 }
    const add = async (path: string, body: unknown) =>
      (await company.api('POST', path, body)).body.id
    const rules = [
      await add('/v1/rules', { ...rule, name: 'Desk left open' }),
      await add('/v1/rules', { ...rule, name: 'Lamp left on' }),
    ]
    const event = { employee_email: 'ada@acme.test' }
    const events = [
      await add('/v1/events', { ...event, type: 'custom.first' }),
      await add('/v1/events', { ...event, type: 'custom.second' }),
    ]
    const page = await company.enter('admin', '/events')
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
    const jump = async (id: string) => {
      await page.keyboard.press('Control+k')
      const search = page.getByRole('combobox', { name: 'Search' })
      await search.fill(id)
      await page.getByRole('option', { name: id }).waitFor()
      await search.press('Enter')
      await search.waitFor({ state: 'detached' })
    }
    for (const [ids, press, names] of [
      [events, 'Retract', ['custom.first', 'custom.second']],
      [rules, 'Delete', ['Desk left open', 'Lamp left on']],
    ] as const) {
      for (const [i, id] of ids.entries()) {
        await jump(id)
        await page.getByRole('heading', { level: 1, name: names[i]! }).waitFor()
      }
      await page.getByRole('button', { name: press, exact: true }).click()
      await page.getByRole('dialog').waitFor()
      await jump(ids[0]!)
      await page.getByRole('heading', { level: 1, name: names[0]! }).waitFor()
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    }
  })

  test('what lies over a page closes when one goes back with it open', async () => {
    const page = await company.enter('owner', '/employees', { width: 390, height: 800 })
    const menu = page.getByRole('button', { name: 'Menu', exact: true })
    const openRules = async () => {
      await menu.click()
      await page.getByRole('navigation').getByRole('link', { name: 'Rules', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor()
    }
    for (const [open, over] of [
      [() => menu.click(), page.getByRole('button', { name: 'Close the menu' })],
      [() => page.keyboard.press('Control+k'), page.getByRole('combobox', { name: 'Search' })],
      [
        () => page.getByRole('button', { name: /^Notifications/ }).click(),
        page.getByRole('dialog', { name: 'Notifications' }),
      ],
      [
        () => page.getByRole('button', { name: /^Account of/ }).click(),
        page.getByRole('menuitem', { name: 'Log out' }),
      ],
    ] as const) {
      await openRules()
      await open()
      await over.waitFor()
      await page.evaluate(() => window.history.back())
      await page.getByRole('heading', { level: 1, name: 'Employees' }).waitFor()
      await over.waitFor({ state: 'hidden' })
    }
  })

  test('who goes back instead of saying who they are does nothing', async () => {
    const { email, user_id } = await company.person('owner')
    const page = await company.enterAs(email, '/employees')
    await page.getByRole('link', { name: 'Ben Okoro' }).click()
    await page.getByRole('button', { name: 'Adjust score' }).click()
    const form = page.getByRole('dialog', { name: 'Adjust the score of Ben Okoro' })
    await form.getByLabel('Change').fill('-5')
    await form.getByLabel('Reason').fill('Lent the badge to a visitor')
    await expireReauthentication(company, user_id)
    await form.getByRole('button', { name: 'Adjust', exact: true }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await proof.waitFor()
    await page.evaluate(() => window.history.back())
    await page.getByRole('heading', { level: 1, name: 'Employees' }).waitFor()
    await proof.waitFor({ state: 'detached' })
    await page.getByText('On “Ben Okoro”: confirm who you are first').waitFor()
    expect((await findPerson(company, 'ben@acme.test')).score).toBe(75)
  })

  test('what is scrolled in a dialog is seen below its title only', async () => {
    const page = await company.enter('owner', '/actions?tab=policies', { width: 390, height: 500 })
    await page.getByRole('button', { name: 'New policy' }).click()
    await page.getByRole('dialog', { name: 'New policy' }).waitFor()
    const above = await page.evaluate(() => {
      const dialog = document.querySelector<HTMLElement>('.mantine-Modal-content')!
      dialog.scrollTop = dialog.scrollHeight
      const { x, y } = dialog.getBoundingClientRect()
      const steps = Array.from({ length: 8 }, (_, i) => y + 2 + 2 * i)
      return steps.map(at => document.elementFromPoint(x + 60, at)!.closest('header')?.tagName)
    })
    expect(new Set(above)).toEqual(new Set(['HEADER']))
  })

  test('a verdict is given up without the drawer beneath it being closed', async () => {
    const { id } = await findPerson(company, 'ada@acme.test')
    const { body } = await company.api('POST', '/v1/actions', {
      employee_id: id,
      type: 'restrict_access',
    })
    const page = await company.enter('admin', `/actions?open=${body.id}`)
    const drawer = page.getByRole('dialog').filter({ hasText: 'Set off by' })
    await drawer.getByRole('button', { name: 'Reject' }).click()
    const note = page.getByLabel('Note')
    await note.fill('Not yet')
    await page.keyboard.press('Escape')
    await note.waitFor({ state: 'detached' })
    await drawer.waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
  })

  test('a dialog whose request runs stays open and tells what went wrong', async () => {
    const page = await company.enter('admin', '/employees')
    const held = await delayResponse(page, 'POST', /\/v1\/employees$/)
    await page.getByRole('button', { name: 'Add a person' }).click()
    const form = page.getByRole('dialog', { name: 'Add a person' })
    await form.getByLabel('First name').fill('Gil')
    await form.getByLabel('Last name').fill('Novak')
    await form.getByRole('textbox', { name: 'Email', exact: true }).fill('gil@acme.test')
    await submitTwice(page)
    await expect.poll(() => held.asked.length).toBe(1)
    for (const name of ['Cancel', 'Close'])
      await expect.poll(() => form.getByRole('button', { name }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    held.refuse()
    await form.getByText('The service is busy.').waitFor()
    expect(held.asked.length).toBe(1)
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
  })

  test('a refusal comes into sight, stands at its field, and is said once', async () => {
    const page = await company.enter('admin', '/apps', { height: 420 })
    await page.getByRole('button', { name: 'New OAuth app' }).first().click()
    await page.getByLabel('Name').fill('Plain')
    await page.getByLabel('Redirect URIs').fill('http://app.example.com/back')
    await page.getByLabel('Read the score views').check()
    await page.getByLabel('Redirect URIs').focus()
    await submitTwice(page)
    const note = page.getByRole('alert')
    await note.getByText('Look at “Redirect URIs”.').waitFor()
    const seen = () => note.evaluate(one => one.getBoundingClientRect().bottom <= innerHeight)
    await expect.poll(seen).toBe(true)
    expect(await page.getByText(/http:\/\/app\.example\.com\/back/).count()).toBe(2)
    expect(await page.getByLabel('Redirect URIs').getAttribute('aria-invalid')).toBe('true')
    expect(await note.getByText('redirect_uris').count()).toBe(0)
    await expectNoErrors(page)
  })

  test('focus goes back to where a dialog or a secret came from, and outlives its button', async () => {
    const page = await company.enter('owner', '/apps')
    await page.getByRole('button', { name: 'New OAuth app' }).first().click()
    await page.getByLabel('Name').fill('Kept')
    await page.getByLabel('Redirect URIs').fill('https://app.example.com/back')
    await page.getByLabel('Read the score views').check()
    await page.getByRole('button', { name: 'Create the app' }).click()
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await expect.poll(() => focused(page)).toBe('New OAuth app')

    await page.getByRole('button', { name: 'More about Kept' }).click()
    await page.getByRole('menuitem', { name: 'Change it' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => focused(page)).toBe('More about Kept')

    await page.getByRole('button', { name: 'More about Kept' }).click()
    await page.getByRole('menuitem', { name: 'Delete it' }).click()
    await page.getByLabel(/to confirm/).fill('Kept')
    await page.getByRole('button', { name: 'Delete the app' }).click()
    await page.getByText('No app yet').waitFor()
    await expect.poll(() => focused(page)).toBe('content')

    await page.goto('/audit')
    const held = await delayResponse(page, 'GET', /\/audit\/verdict/)
    const verify = page.getByRole('button', { name: 'Verify' })
    await verify.press('Enter')
    held.refuse()
    await page.getByText('The service is busy.').waitFor()
    await expect.poll(() => focused(page)).toBe('Verify')
  })

  test('a condition that is removed leaves focus among the conditions', async () => {
    const page = await company.enter('admin', '/rules/new')
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByRole('button', { name: 'Remove this condition' }).press('Enter')
    await expect.poll(() => focused(page)).toBe('Conditions')
    await page.keyboard.press('Tab')
    await expect.poll(() => focused(page)).toBe('Add a condition')
  })

  test('a failure told by a toast stays, with the id of its request to copy', async () => {
    const page = await company.enterApart('admin', '/webhooks')
    await company.api('POST', '/v1/webhooks', {
      url: 'https://hooks.example.com/a',
      events: ['score.band_changed'],
    })
    await page.clock.install()
    await page.reload()
    await page
      .getByRole('link', { name: /hooks\.example\.com/ })
      .first()
      .click()
    const held = await delayResponse(page, 'POST', /\/test$/)
    await page.getByRole('button', { name: 'Send a test' }).click()
    held.refuse()
    await page.getByText('The service is busy.').waitFor()
    await page.clock.runFor(60_000)
    await page.getByRole('button', { name: 'Copy request id' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('req_held')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('The service is busy.').waitFor({ state: 'detached' })
  })
})
