// Journeys about what one may do and does once: closed pages, two windows, quick hands and lost answers.
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, hasBrowser, navigate } from '../support/browser.ts'
import { addOrganization, type Company, findPerson, seedCompany } from '../support/company.ts'
import { cutAnswer, delayResponse, loseAnswer, once } from '../support/network.ts'

const UNKNOWN = 'it may be done or not'

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

const submitTwice = (page: Page) =>
  page.evaluate(() => {
    const form = document.querySelector<HTMLFormElement>('[role="dialog"] form, main form')!
    form.requestSubmit()
    form.requestSubmit()
  })

describe.skipIf(!hasBrowser)('sessions', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  test('a link to a page of other roles says so instead of failing, and offers nothing', async () => {
    const page = await company.enter('viewer', null)
    for (const [path, title, offer] of [
      ['/keys', 'API keys', 'New API key'],
      ['/apps', 'OAuth apps', 'New OAuth app'],
      ['/users', 'Users', 'Invite a person'],
      ['/audit', 'Audit log', 'Verify'],
    ] as const) {
      await navigate(page, path)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await page.getByText('You are a viewer of Acme.').waitFor()
      expect(await page.getByRole('alert').count(), path).toBe(0)
      expect(await page.getByRole('button', { name: offer }).count(), path).toBe(0)
      expect(await page.locator('main .mantine-Skeleton-root').count(), path).toBe(0)
    }
    await expectNoErrors(page)
    await page.getByRole('link', { name: 'To the overview', exact: true }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const { id } = await findPerson(company, 'dan@acme.test')
    await navigate(page, `/employees/${id}?tab=changes`)
    await page.getByRole('table', { name: 'Events of this person' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('two quick submits make one adjustment, and one rule, which Enter sends', async () => {
    const { id } = await findPerson(company, 'finn@acme.test')
    const page = await company.enter('admin', `/employees/${id}`)
    const adjustments = await delayResponse(page, 'POST', /\/adjustments$/)
    await page.getByRole('button', { name: 'Adjust score' }).click()
    await page.getByRole('textbox', { name: 'Change' }).fill('-3')
    await page.getByLabel('Reason').fill('seen twice is once too often')
    await submitTwice(page)
    await expect.poll(() => adjustments.asked.length).toBe(1)
    adjustments.release()
    await page.getByText('See the event').waitFor()
    expect(adjustments.asked.length).toBe(1)

    await navigate(page, '/rules/new')
    const rules = await delayResponse(page, 'POST', /\/v1\/rules$/)
    await page.getByLabel('Name', { exact: true }).fill('Made once')
    await page.getByRole('combobox', { name: 'Type of event' }).fill('custom.made_once')
    const impact = page.getByRole('textbox', { name: 'Change of the score' })
    await impact.fill('-4')
    await impact.press('Enter')
    await submitTwice(page)
    rules.release()
    await page.waitForURL(/\/rules\/rule_/)
    expect(rules.asked.length).toBe(1)
  })

  test('a rule and a webhook whose answers were lost are asked for again, and made once', async () => {
    const page = await company.enter('admin', '/rules/new')
    await page.getByLabel('Name', { exact: true }).fill('Badge lent')
    await page.getByRole('combobox', { name: 'Type of event' }).fill('custom.badge_lent')
    await page.getByRole('textbox', { name: 'Change of the score' }).fill('-30')
    await once(page, 'POST', /\/v1\/rules$/, loseAnswer)
    const create = page.getByRole('button', { name: 'Create the rule' })
    await create.click()
    await page.getByRole('alert').getByText(UNKNOWN).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Badge lent')
    await expectNoErrors(page)
    await create.click()
    await page.waitForURL(/\/rules\/rule_/)
    const rules = (await company.api('GET', '/v1/rules?per_page=100')).body.data
    expect(rules.filter((rule: { name: string }) => rule.name === 'Badge lent')).toHaveLength(1)

    await navigate(page, '/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByLabel('Destination').fill('https://hooks.example.com/in')
    await once(page, 'POST', /\/v1\/webhooks$/, cutAnswer)
    await page.getByRole('button', { name: 'Create the webhook' }).click()
    await page.getByRole('alert').getByText(UNKNOWN).waitFor()
    await page.getByRole('button', { name: 'Create the webhook' }).click()
    await page.getByTestId('secret').getByText('whsec_').waitFor()
    expect((await company.api('GET', '/v1/webhooks')).body.data).toHaveLength(1)
  })

  test('one switches the organization; the other changes nothing there and says so', async () => {
    const { email } = await company.person('admin')
    await addOrganization(company, email, 'Beta')
    const here = await company.enterAs(email, '/employees')
    await here.getByRole('button', { name: 'Organization Acme, switch' }).waitFor()
    const there = await here.context().newPage()
    await there.goto('/employees')
    await unseen(here, async () => {
      await there.getByRole('button', { name: 'Organization Acme, switch' }).click()
      await there.getByRole('menuitem', { name: 'Beta' }).click()
      await there.getByRole('button', { name: 'Organization Beta, switch' }).waitFor()
      await addPerson(here, 'Lost')
    })
    const note = here.getByRole('dialog', { name: 'This window is out of date' })
    await note.getByText('in Beta').first().waitFor()
    await expectNoErrors(here)
    await note.getByRole('button', { name: 'Go on in Beta' }).click()
    await here.getByRole('button', { name: 'Organization Beta, switch' }).waitFor()
    await here.getByText('0 people').first().waitFor()
    const { status } = await company.api('GET', '/v1/employees/by-email/lost@twin.test')
    expect(status).toBe(404)
  })
})
