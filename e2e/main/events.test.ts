// Journeys about events: explored live, explained, taken back, and unmatched ones replayed.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, hasBrowser } from '../support/browser.ts'
import { type Company, findPerson, seedCompany, sendEvent } from '../support/company.ts'

const PHONE = { width: 360, height: 740 }

describe.skipIf(!hasBrowser)('events', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  const click = (email: string, campaign: string) =>
    company.api('POST', '/v1/events/webhook', {
      source: 'simulator',
      event_type: 'sim.link_clicked',
      employee: { email },
      details: { campaign, metadata: { region: 'eu' } },
    })

  test('filters stand in the address, bars narrow the list, and it is live', async () => {
    const page = await company.enter('viewer', '/events?type=sim.link_clicked')
    await page.getByText('2 events in 30 days').waitFor()
    await page.getByRole('table').getByText('sim.link_clicked').nth(1).waitFor()
    expect(await page.getByRole('table').getByText('sim.link_clicked').count()).toBe(2)
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByText('6 events in 30 days').waitFor()
    await expectNoErrors(page)
    await sendEvent(company, 'finn@acme.test', 'email.phishing_reported')
    await page.getByText('7 events in 30 days').waitFor()
    await page.getByRole('link', { name: /^email\.phishing_reported 1/ }).click()
    await page.waitForURL(/type=email\.phishing_reported/)
    await page.getByText('1 event in 30 days').waitFor()
    await page.goBack()
    await page.getByText('7 events in 30 days').waitFor()
    await page.getByText('By department', { exact: true }).click()
    await page.getByRole('link', { name: /^No department 1/ }).waitFor()
  })

  test('one event: which rule fired, which kept still and why', async () => {
    const first = (await click('ben@acme.test', 'spring')).body
    const second = (await click('ben@acme.test', 'spring')).body
    const page = await company.enter('viewer', `/events/${second.id}`, PHONE)
    await page.getByText('Was cooling down').waitFor()
    await page.getByText(/rests for 24 h; its rest ends in 1 day/).waitFor()
    expect(await page.getByRole('button', { name: 'Retract' }).count()).toBe(0)
    await expectNoErrors(page)
    await page.getByRole('link', { name: /ago|now/ }).click()
    await page.waitForURL(`**/events/${first.id}`)
    await page.getByText(/Fired$/).waitFor()
    await page.getByText('region').waitFor()
    await expectNoErrors(page)
  })

  test('an event is retracted with a reason, and the score follows', async () => {
    const { id } = (await click('ada@acme.test', 'autumn')).body
    const before = (await findPerson(company, 'ada@acme.test')).score
    const page = await company.enter('analyst', `/events/${id}`)
    await page.getByRole('button', { name: 'Retract', exact: true }).click()
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: 'Retract the event' })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Why').fill('The mail scanner clicked')
    await confirm.click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(/^Retracted .*: The mail scanner clicked/).waitFor()
    await page.getByText('counts no more: retracted').waitFor()
    expect(await page.getByRole('button', { name: 'Retract', exact: true }).count()).toBe(0)
    expect((await findPerson(company, 'ada@acme.test')).score).toBeGreaterThan(before)
    await expectNoErrors(page)
  })

  test('an unmatched event is replayed once its person exists', async () => {
    const send = (email: string) =>
      company.api('POST', '/v1/events/webhook', {
        source: 'okta',
        event_type: 'auth.mfa_disabled',
        employee: { email },
      })
    expect((await send('new@acme.test')).status).toBe(404)
    expect((await send('nobody@acme.test')).status).toBe(404)
    const page = await company.enter('analyst', '/events/unmatched', PHONE)
    await page.getByText('2 events for an address that nobody has').waitFor()
    await expectNoErrors(page)
    const name = 'Replay auth.mfa_disabled of new@acme.test'
    await page.getByRole('button', { name }).click()
    await page.locator('[data-toast]').first().waitFor()
    await company.api('POST', '/v1/employees', {
      email: 'new@acme.test',
      first_name: 'Nia',
      last_name: 'West',
    })
    await page.getByRole('button', { name: 'Replay these 2' }).click()
    await page.getByText('1 replayed, 1 still match nobody').waitFor()
    await page.getByText('1 event for an address that nobody has').waitFor()
    expect((await findPerson(company, 'new@acme.test')).score).toBe(45)
    expect(await page.getByRole('button', { name: /^Add / }).count(), 'may not add').toBe(0)
  })
})
