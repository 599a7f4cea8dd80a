// Journeys on a slow network: what one does while an answer is on its way is neither undone nor mistaken by it.
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, navigate, settle } from '../support/browser.ts'
import { expireReauthentication } from '../support/clock.ts'
import {
  addOrganization,
  type Company,
  PASSWORD,
  seedCompany,
  sendEvent,
} from '../support/company.ts'
import { answerLate, delayResponse, told } from '../support/network.ts'

const UNREAD = '/admin/notifications/unread'

describe.skipIf(!hasBrowser)('late answers', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  async function addRule(name: string, event_type: string): Promise<string> {
    const rule = { name, event_type, category: 'custom', impact: -1 }
    return (await company.api('POST', '/v1/rules', rule)).body.id
  }

  /** A page with a form, whose bell has asked before one leaves, and is answered after. */
  async function enterWithLateLook(method: string, path: string) {
    const { email } = await company.person('admin')
    await addOrganization(company, email, 'Beta')
    const page = await company.enterAs(email, null)
    const look = await delayResponse(page, 'GET', /\/unread$/)
    await page.goto('/rules/new')
    await expect.poll(() => look.asked.length).toBeGreaterThan(0)
    return { page, look, leave: await answerLate(page, method, path) }
  }

  test('what is chosen while a preview is asked for stays chosen', async () => {
    // An address that ends in a slash is the same page.
    const page = await company.enter('admin', '/events/retract/?type=sim.link_clicked')
    const held = await delayResponse(page, 'POST', /\/v1\/events\/retract/)
    const why = page.getByLabel('Why')
    await why.fill('Clicks of the scanner')
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect.poll(() => held.asked.length).toBe(1)
    await page.getByLabel('From').fill('2026-01-02')
    await why.fill('Clicks of the scanner in spring')
    held.release()
    await page.waitForURL(/[?&]job=/)
    await page.getByText('What it would do').waitFor()
    expect(await page.getByLabel('From').inputValue()).toBe('2026-01-02')
    expect(new URL(page.url()).searchParams.get('from')).toBe('2026-01-02')
    expect(await why.inputValue()).toBe('Clicks of the scanner in spring')
  })

  test('an answer that comes on another page leaves the filters there alone', async () => {
    const page = await company.enter('admin', '/events/retract?type=sim.link_clicked')
    const held = await delayResponse(page, 'POST', /\/v1\/events\/retract/)
    await page.getByLabel('Why').fill('Clicks of the scanner')
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect.poll(() => held.asked.length).toBe(1)
    await page.getByRole('link', { name: 'Employees' }).click()
    await page.getByText('6 people').first().waitFor()
    const answered = told(page, 'POST', '/v1/events/retract')
    held.release()
    await answered
    await page.getByRole('link', { name: 'Ada Moss' }).waitFor()
    await settle(page)
    expect(new URL(page.url()).search).toBe('')
  })

  test('types are not taken for departments while those are on their way', async () => {
    const page = await company.enter('viewer', '/events')
    const card = page.locator('section', { hasText: 'What came in' }).last()
    await card.getByRole('link', { name: /^sim\.link_clicked/ }).waitFor()
    const held = await delayResponse(page, 'GET', /group_by=department/)
    await card.getByText('By department', { exact: true }).click()
    await expect.poll(() => held.asked.length).toBe(1)
    const link = card.getByRole('link', { name: /^sim\.link_clicked/ })
    expect(await link.getAttribute('href')).toMatch(/^\/events\?.*type=sim\.link_clicked/)
    held.release()
    await card.getByRole('link', { name: /^Finance/ }).waitFor()
  })

  test('the median of everyone is not taken for that of a department which is on its way', async () => {
    const page = await company.enter('viewer', '/')
    const median = page.getByRole('link', { name: /^Median score/ }).locator('.figure-value')
    await expect.poll(() => median.textContent()).toMatch(/^\d/)
    const held = await delayResponse(page, 'GET', /trends\?.*department=Finance/)
    await page.getByRole('combobox', { name: 'Department' }).click()
    await page.getByRole('option', { name: 'Finance' }).click()
    await expect.poll(() => held.asked.length).toBe(1)
    await page.getByText(/^2 people,/).waitFor()
    expect(await median.textContent()).toBe('–')
    held.release()
    await expect.poll(() => median.textContent()).toMatch(/^\d/)
  })

  test('who went on to another page is not led away from it by what was deleted or made', async () => {
    await addRule('Desk left open', 'custom.desk')
    const page = await company.enter('admin', '/employees')
    const rail = (name: string) =>
      page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    const staysHere = async (done: string) => {
      await page.getByText(done).waitFor()
      await settle(page)
      expect(new URL(page.url()).pathname).toBe('/employees')
    }
    await rail('Rules')
    await page.getByRole('link', { name: 'Desk left open' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByLabel(/to confirm/).fill('Desk left open')
    const removal = await delayResponse(page, 'DELETE', /\/v1\/rules\//)
    await page.getByRole('button', { name: 'Delete the rule' }).click()
    await expect.poll(() => removal.asked.length).toBe(1)
    await page.goBack()
    await page.waitForURL('/rules')
    await page.goBack()
    await page.waitForURL('/employees')
    removal.release()
    await staysHere('“Desk left open” is deleted')

    await rail('Rules')
    await page.getByRole('link', { name: 'New rule' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Lamp left on')
    await page.getByRole('combobox', { name: 'Type of event' }).fill('custom.lamp')
    await page.getByRole('textbox', { name: 'Change of the score' }).fill('-1')
    const creation = await delayResponse(page, 'POST', /\/v1\/rules$/)
    await page.getByRole('button', { name: 'Create the rule' }).click()
    await expect.poll(() => creation.asked.length).toBe(1)
    await rail('Employees')
    creation.release()
    await staysHere('“Lamp left on” is saved')
  })

  test('who presses Back while a secret is being made stays, and sees it', async () => {
    const page = await company.enter('owner', '/employees')
    const rail = (name: string) =>
      page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    const staysFor = async (method: string, path: RegExp, press: string) => {
      const held = await delayResponse(page, method, path)
      const here = page.url()
      await page.getByRole('button', { name: press, exact: true }).click()
      await expect.poll(() => held.asked.length).toBe(1)
      await page.evaluate(() => window.history.back())
      await settle(page)
      held.release()
      await page.getByTestId('secret').waitFor()
      expect(page.url()).toBe(here)
      await page.getByLabel('I have stored it').check()
      await page.getByRole('button', { name: 'Done' }).click()
    }
    await rail('Webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByLabel('Destination').fill('https://receiver.example/hook')
    await staysFor('POST', /\/v1\/webhooks$/, 'Create the webhook')
    await page.waitForURL(/\/webhooks\/whk_/)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click()
    await staysFor('POST', /rotate-secret$/, 'Make a new secret')
    await rail('API keys')
    await page.getByRole('button', { name: 'New API key' }).first().click()
    await page.getByLabel('Name').fill('Reporting')
    await page.getByLabel('Read the score views').check()
    await staysFor('POST', /\/admin\/keys$/, 'Create the key')
    await page.goBack()
    await page.waitForURL(/\/webhooks\/whk_/)
  })

  test('what is refused after one has left the page is told with the name of that page', async () => {
    const page = await company.enter('owner', '/employees')
    await page.getByRole('link', { name: 'Ada Moss' }).click()
    await page.getByRole('button', { name: 'Adjust score' }).click()
    const form = page.getByRole('dialog', { name: 'Adjust the score of Ada Moss' })
    await form.getByLabel('Change').fill('-5')
    await form.getByLabel('Reason').fill('Lent the badge to a visitor')
    const adjustment = await delayResponse(page, 'POST', /\/adjustments$/)
    await form.getByRole('button', { name: 'Adjust', exact: true }).click()
    await expect.poll(() => adjustment.asked.length).toBe(1)
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Employees' }).waitFor()
    adjustment.refuse()
    await page.getByText('On “Ada Moss”: the service is busy').waitFor()

    await navigate(page, `/rules/${await addRule('Tie worn', 'custom.tie')}`)
    const change = await delayResponse(page, 'PATCH', /\/v1\/rules\//)
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await expect.poll(() => change.asked.length).toBe(1)
    await page.getByRole('link', { name: '← Rules' }).click()
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor()
    change.refuse()
    await page.getByText('On “Tie worn”: the service is busy').waitFor()
  })

  test('what began after one has left the page is told of there', async () => {
    const webhook = { url: 'http://127.0.0.1:9/hook', events: ['score.band_changed'] }
    const { id } = (await company.api('POST', '/v1/webhooks', webhook)).body
    await sendEvent(company, 'ben@acme.test', 'custom.scanned')
    const page = await company.enter('owner', null)
    /** Opens it with a page to go forward to, as dialogs cover all links. */
    const open = async (path: string) => {
      await page.goto(path)
      await page.getByRole('navigation').getByRole('link', { name: 'Employees' }).click()
      await page.waitForURL('/employees')
      await page.goBack()
    }
    const leave = async () => {
      await page.evaluate(() => window.history.forward())
      await page.waitForURL('/employees')
    }
    await open(`/webhooks/${id}`)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Recover what was missed' }).click()
    const recovery = await delayResponse(page, 'POST', /\/recover$/)
    await page.getByRole('button', { name: 'Send again' }).click()
    await expect.poll(() => recovery.asked.length).toBe(1)
    await leave()
    recovery.release()
    await page.getByText('What 127.0.0.1:9 missed is being sent again').waitFor()

    await open('/events/retract?type=custom.scanned&reason=Scanner')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Retract 1 event' }).click()
    await page.getByLabel(/to confirm/).fill('custom.scanned')
    const retraction = await delayResponse(page, 'POST', /\/v1\/events\/retract/)
    await page.getByRole('button', { name: 'Retract them' }).click()
    await expect.poll(() => retraction.asked.length).toBe(1)
    await leave()
    retraction.release()
    await page.getByText('The retraction of 1 event has begun').waitFor()
  })

  test('a rule that is typed on while it is saved was not saved elsewhere', async () => {
    const id = await addRule('Tea spilled', 'custom.tea')
    const page = await company.enter('admin', `/rules/${id}`)
    const impact = page.getByRole('textbox', { name: 'Change of the score' })
    const save = page.getByRole('button', { name: 'Save', exact: true })
    const held = await delayResponse(page, 'PATCH', /\/v1\/rules\//)
    await impact.fill('-3')
    await save.click()
    await expect.poll(() => held.asked.length).toBe(1)
    await impact.fill('-4')
    const looks = await delayResponse(page, 'GET', /\/v1\/rules\/rule_/)
    held.release()
    await page.getByText('“Tea spilled” is saved').waitFor()
    await expect.poll(() => looks.asked.length).toBe(1)
    const looked = told(page, 'GET', `/v1/rules/${id}`)
    looks.release()
    await looked
    await settle(page)
    expect(await page.getByText('saved elsewhere').count()).toBe(0)
    expect(await impact.inputValue()).toBe('-4')
    await page.getByRole('button', { name: 'Undo changes' }).click()
    await page.getByText('When custom.tea happens, −3').waitFor()
    expect(await save.isDisabled()).toBe(true)
  })

  test('a rule that is typed on while it is made keeps what was typed, not saved yet', async () => {
    const page = await company.enter('admin', '/rules/new')
    const impact = page.getByRole('textbox', { name: 'Change of the score' })
    await page.getByLabel('Name', { exact: true }).fill('Window left open')
    await page.getByRole('combobox', { name: 'Type of event' }).fill('custom.window')
    await impact.fill('-2')
    const held = await delayResponse(page, 'POST', /\/v1\/rules$/)
    await page.getByRole('button', { name: 'Create the rule' }).click()
    await expect.poll(() => held.asked.length).toBe(1)
    await impact.fill('-6')
    held.release()
    await page.waitForURL(/\/rules\/rule_/)
    await page.getByRole('heading', { level: 1, name: 'Window left open' }).waitFor()
    expect(await impact.inputValue()).toBe('-6')
    await page.getByRole('button', { name: 'Undo changes' }).click()
    await page.getByText('When custom.window happens, −2').waitFor()
    expect(await page.getByText('saved elsewhere').count()).toBe(0)
  })

  test('a rule that is saved is not offered for saving until it was looked at again', async () => {
    const id = await addRule('Cake eaten', 'custom.cake')
    const page = await company.enter('admin', `/rules/${id}`)
    await page.getByRole('textbox', { name: 'Change of the score' }).fill('-3')
    const looks = await delayResponse(page, 'GET', /\/v1\/rules\/rule_/)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('“Cake eaten” is saved').waitFor()
    await expect.poll(() => looks.asked.length).toBe(1)
    await page.getByRole('button', { name: 'Undo changes' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    looks.release()
  })

  test('a band that is moved while the bands are saved stays moved', async () => {
    const page = await company.enter('admin', '/settings')
    const held = await delayResponse(page, 'PATCH', /\/admin\/settings$/)
    await page.getByLabel('▲ Yellow from').fill('62')
    await page.getByRole('button', { name: 'Save the bands' }).click()
    await expect.poll(() => held.asked.length).toBe(1)
    await page.getByLabel('◆ Orange from').fill('41')
    held.release()
    await page.getByText('The bands are changed').waitFor()
    expect(await page.getByLabel('◆ Orange from').inputValue()).toBe('41')
    expect(await page.getByLabel('▲ Yellow from').inputValue()).toBe('62')
  })

  test('two changes that ask for the password at once are both done by one proof', async () => {
    const { email, user_id } = await company.person('viewer')
    for (let further = 0; further < 2; further++) {
      await company.enterAs(email, null)
    }
    const page = await company.enterAs(email, '/profile')
    const end = page.getByRole('button', { name: /^End the session in/ })
    await end.nth(1).waitFor()
    await expireReauthentication(company, user_id)
    const held = await delayResponse(page, 'DELETE', /\/session\/sessions\//)
    await end.nth(0).click()
    await end.nth(1).click()
    await expect.poll(() => held.asked.length).toBe(2)
    held.release()
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await proof.waitFor()
    await page.unroute(/\/session\/sessions\//)
    await proof.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await proof.getByRole('button', { name: 'Confirm' }).click()
    await proof.waitFor({ state: 'detached' })
    await expect.poll(() => end.count()).toBe(0)
  })

  test('one logs out: what is refused on the way is no news', async () => {
    const { page, look, leave } = await enterWithLateLook('DELETE', '/session')
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await leave.done
    const refused = told(page, 'GET', UNREAD)
    look.release()
    expect((await refused).status()).toBe(401)
    await settle(page)
    expect(await page.getByRole('dialog').count()).toBe(0)
    leave.answer()
    await page.waitForURL(url => url.pathname === '/login' && url.search === '')
  })

  test('one switches the organization: the window that does is not out of date', async () => {
    const { page, look, leave } = await enterWithLateLook('PUT', '/session/tenant')
    await page.getByRole('button', { name: 'Organization Acme, switch' }).click()
    await page.getByRole('menuitem', { name: 'Beta' }).click()
    await leave.done
    const moved = told(page, 'GET', '/session')
    look.release()
    await moved
    await settle(page)
    expect(await page.getByRole('dialog').count()).toBe(0)
    leave.answer()
    await page.getByRole('button', { name: 'Organization Beta, switch' }).waitFor()
  })
})
