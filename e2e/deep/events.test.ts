// Journeys about events: dates typed, campaigns taken back, rules that are gone, unmatched ones added and replayed.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, hasBrowser, navigate } from '../support/browser.ts'
import { type Company, findPerson, seedCompany, sendEvent } from '../support/company.ts'
import { delayResponse } from '../support/network.ts'

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

  test('a date of an own span is typed key by key, and only whole dates reach the address', async () => {
    const page = await company.enter('viewer', '/events?range=own&from=2026-10-01&to=2026-10-31')
    const from = page.getByLabel('From', { exact: true })
    await from.press('0')
    await page.getByLabel('To', { exact: true }).waitFor()
    expect(page.url()).toContain('from=2026-10-01')
    await from.pressSequentially('9152025')
    await page.waitForURL(/from=2025-09-15&to=2026-10-31/)
    await page
      .getByText(/from 2025-09-15 to 2026-10-31/)
      .first()
      .waitFor()
  })

  test.each(['/actions', '/events/retract'])('a day on %s is typed key by key', async path => {
    const page = await company.enter('analyst', `${path}?from=2026-02-30`)
    const from = page.getByLabel('From', { exact: true })
    await from.pressSequentially('09152025', { delay: 100 })
    await page.waitForURL(/from=2025-09-15$/)
    expect(await from.inputValue()).toBe('2025-09-15')
    expect(await page.getByText('This did not work').count()).toBe(0)
    await from.clear()
    await page.waitForURL(url => !url.searchParams.has('from'))
    await expectNoErrors(page)
  })

  test('after an outage the page looks again by itself', async () => {
    const page = await company.enterApart('viewer', '/events')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.context().route(/\/(v1|admin)\//, route => route.abort())
    company.app.server.server.closeAllConnections()
    await page.getByRole('link', { name: 'Employees' }).click()
    await page.getByText('This did not work').waitFor()
    await page.context().unroute(/\/(v1|admin)\//)
    await page.getByRole('link', { name: 'Ada Moss' }).waitFor()
  })

  test('a rule that cannot be read is not said to be deleted, only one that is', async () => {
    const rule = (
      await company.api('POST', '/v1/rules', {
        ...{ name: 'Tea spilt', event_type: 'custom.spill', category: 'custom', impact: -3 },
        ...{ cooldown: '1h', conditions: {} },
      })
    ).body
    const spill = { type: 'custom.spill', employee_email: 'cleo@acme.test' }
    const first = (await company.api('POST', '/v1/events', spill)).body
    const second = (await company.api('POST', '/v1/events', spill)).body
    const page = await company.enter('viewer', '/')
    await page.route(/\/v1\/rules\?/, route => route.abort())
    await navigate(page, `/events/${first.id}`)
    await page.getByRole('link', { name: 'Tea spilt' }).waitFor()
    await navigate(page, `/events/${second.id}`)
    await page.getByText('Was cooling down').waitFor()
    expect(await page.getByText('A rule that is deleted').count()).toBe(0)
    await page.unroute(/\/v1\/rules\?/)
    await company.api('DELETE', `/v1/rules/${rule.id}`)
    for (const { id } of [first, second]) {
      await page.goto(`/events/${id}`)
      await page.getByText('A rule that is deleted').waitFor()
    }
  })

  test('an event no rule is about leads to a rule for it', async () => {
    const body = { type: 'custom.tea', employee_email: 'ada@acme.test' }
    const { id } = (await company.api('POST', '/v1/events', body)).body
    const page = await company.enter('admin', `/events/${id}`)
    await page.getByRole('link', { name: 'Make a rule for custom.tea' }).click()
    await page.getByText('When custom.tea happens, −10').waitFor()
    await expectNoErrors(page)
  })

  test('a campaign is retracted: previewed, confirmed by its name, done', async () => {
    const { id } = (await click('cleo@acme.test', 'winter')).body
    await click('finn@acme.test', 'winter')
    const page = await company.enter('analyst', `/events/${id}`, { dark: true })
    await page.getByRole('link', { name: 'Retract the campaign' }).click()
    await page.getByLabel('Why').fill('The mail scanner clicked')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('2 events of 2 people: The mail scanner clicked').waitFor()
    await page.getByRole('row', { name: /Finn Berg/ }).waitFor()
    await expectNoErrors(page)
    await page.getByRole('button', { name: 'Retract 2 events' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Type winter/).fill('winter')
    await dialog.getByRole('button', { name: 'Retract them' }).click()
    await page.getByRole('heading', { name: 'Retraction', exact: true }).waitFor()
    await page.getByText(/Ended .* ago|Ended just now/).waitFor()
    expect((await company.api('GET', `/v1/events/${id}`)).body.retracted_at).toBeDefined()
  })

  test('a preview opened again shows the reason and the conditions it was made of', async () => {
    for (const name of ['spring', 'autumn']) {
      const filter = { type: 'sim.link_clicked', conditions: { campaign: name } }
      const body = { reason: `Clicks of ${name}`, filter }
      // One at a time: the one before may still run.
      const preview = () => company.api('POST', '/v1/events/retract?dry_run=true', body)
      await expect.poll(async () => (await preview()).status).toBe(202)
    }
    const page = await company.enter('analyst', '/events/retract')
    for (const name of ['spring', 'autumn']) {
      await page.getByRole('link', { name: new RegExp(`Clicks of ${name}`) }).click()
      await expect.poll(() => page.getByRole('combobox', { name: 'Value' }).inputValue()).toBe(name)
      await expect.poll(() => page.getByLabel('Why').inputValue()).toBe(`Clicks of ${name}`)
    }
    await page.goBack()
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Value' }).inputValue())
      .toBe('spring')
  })

  test('what was replayed elsewhere meanwhile is not said to match nobody', async () => {
    for (const email of ['late@acme.test', 'never@acme.test']) {
      const event = { source: 'okta', event_type: 'auth.mfa_disabled', employee: { email } }
      await company.api('POST', '/v1/events/webhook', event)
    }
    const page = await company.enter('analyst', '/events/unmatched')
    const all = page.getByRole('button', { name: /^Replay these/ })
    await all.waitFor()
    const before = Number(/\d+/.exec((await all.textContent()) ?? ''))
    await delayResponse(page, 'GET', /\/v1\/events\/unmatched/)
    const person = { email: 'late@acme.test', first_name: 'Late', last_name: 'Comer' }
    await company.api('POST', '/v1/employees', person)
    const { data } = (await company.api('GET', '/v1/events/unmatched')).body
    const { id } = data.find((one: any) => one.employee.email === 'late@acme.test')
    await company.api('POST', `/v1/events/unmatched/${id}/replay`)
    await all.click()
    const words = `0 replayed, ${before - 1} still match nobody, 1 replayed elsewhere meanwhile`
    await page.getByText(words).waitFor()
  })

  test('whom an unmatched event is about is added from there, and what came in is replayed', async () => {
    for (const [event_type, email] of [
      ['auth.mfa_disabled', 'nina@acme.test'],
      ['sim.link_clicked', 'Nina@acme.test'],
      ['sim.link_clicked', 'stranger@acme.test'],
    ]) {
      const event = { source: 'okta', event_type, employee: { email } }
      expect((await company.api('POST', '/v1/events/webhook', event)).status).toBe(404)
    }
    const page = await company.enter('admin', '/events/unmatched', PHONE)
    await page.getByRole('button', { name: 'Add nina@acme.test as a person', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a person' })
    await dialog.getByText('2 events shown here for this address').waitFor()
    await dialog.getByLabel('First name').fill('Nina')
    await dialog.getByLabel('Last name').fill('Holt')
    expect(await dialog.getByLabel('Email', { exact: false }).first().inputValue()).toMatch(
      /^nina@acme.test$/i,
    )
    await expectNoErrors(page)
    await dialog.getByRole('button', { name: 'Add and replay' }).click()
    await page.getByText('Nina Holt is added, 2 events replayed: 20').waitFor()
    expect((await findPerson(company, 'nina@acme.test')).score).toBe(20)
    await page.getByText('stranger@acme.test').waitFor()
    expect(await page.getByText('nina@acme.test').count()).toBe(0)
    await page.goto('/events')
    await page.getByText('Nina Holt').first().waitFor()
  })

  test('people are called by name, and by address where the names cannot be read', async () => {
    await sendEvent(company, 'ben@acme.test', 'training.completed')
    const page = await company.enter('viewer', '/events')
    const table = page.getByRole('table', { name: 'Events' })
    await table.getByRole('link', { name: 'Ben Okoro' }).first().waitFor()
    expect(await table.getByText('ben@acme.test').count()).toBe(0)
    await page.route(/\/admin\/employees\/names/, route => route.abort())
    await page.reload()
    await table.getByRole('link', { name: 'ben@acme.test' }).first().waitFor()
  })
})
