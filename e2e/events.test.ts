// Journeys about events: explored, explained, taken back alone and by campaign; unmatched ones replayed.
import { beforeAll, describe, expect, test } from 'vitest'
import { holdBack } from './hold-back.ts'
import { expectGoodPage, type House, hasBrowser, openHouse } from './house.ts'
import { findPerson, sendEvent, tellStory } from './story.ts'

const PHONE = { width: 360, height: 740 }

describe.skipIf(!hasBrowser)('events', () => {
  let house: House
  beforeAll(async () => {
    house = await openHouse()
    await tellStory(house)
  })

  const click = (email: string, campaign: string) =>
    house.api('POST', '/v1/events/webhook', {
      source: 'simulator',
      event_type: 'sim.link_clicked',
      employee: { email },
      details: { campaign, metadata: { region: 'eu' } },
    })

  test('filters stand in the address, bars narrow the list, and it is live', async () => {
    const page = await house.enter('viewer', '/events?type=sim.link_clicked')
    await page.getByText('2 events in 30 days').waitFor()
    await page.getByRole('table').getByText('sim.link_clicked').nth(1).waitFor()
    expect(await page.getByRole('table').getByText('sim.link_clicked').count()).toBe(2)
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByText('6 events in 30 days').waitFor()
    await expectGoodPage(page)
    await sendEvent(house, 'finn@acme.test', 'email.phishing_reported')
    await page.getByText('7 events in 30 days').waitFor()
    await page.getByRole('link', { name: /^email\.phishing_reported 1/ }).click()
    await page.waitForURL(/type=email\.phishing_reported/)
    await page.getByText('1 event in 30 days').waitFor()
    await page.goBack()
    await page.getByText('7 events in 30 days').waitFor()
    await page.getByText('By department', { exact: true }).click()
    await page.getByRole('link', { name: /^No department 1/ }).waitFor()
    await page.context().close()
  })

  test('a date of an own span is typed key by key, and only whole dates reach the address', async () => {
    const page = await house.enter('viewer', '/events?range=own&from=2026-10-01&to=2026-10-31')
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
    await page.context().close()
  })

  test.each(['/actions', '/events/retract'])('a day on %s is typed key by key', async path => {
    const page = await house.enter('analyst', `${path}?from=2026-02-30`)
    const from = page.getByLabel('From', { exact: true })
    await from.pressSequentially('09152025', { delay: 100 })
    await page.waitForURL(/from=2025-09-15$/)
    expect(await from.inputValue()).toBe('2025-09-15')
    expect(await page.getByText('This did not work').count()).toBe(0)
    await from.clear()
    await page.waitForURL(url => !url.searchParams.has('from'))
    await expectGoodPage(page, 'none')
    await page.context().close()
  })

  test('after an outage the page looks again by itself', async () => {
    const page = await house.enter('viewer', '/events')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.context().route(/\/(v1|admin)\//, route => route.abort())
    house.app.server.server.closeAllConnections()
    await page.getByRole('link', { name: 'Employees' }).click()
    await page.getByText('This did not work').waitFor()
    await page.context().unroute(/\/(v1|admin)\//)
    await page.getByRole('link', { name: 'Ada Moss' }).waitFor()
    await page.context().close()
  })

  test('one event: which rule fired, which kept still and why', async () => {
    const first = (await click('ben@acme.test', 'spring')).body
    const second = (await click('ben@acme.test', 'spring')).body
    const page = await house.enter('viewer', `/events/${second.id}`, PHONE)
    await page.getByText('Was cooling down').waitFor()
    await page.getByText(/rests for 24 h; its rest ends in 1 day/).waitFor()
    expect(await page.getByRole('button', { name: 'Retract' }).count()).toBe(0)
    await expectGoodPage(page)
    await page.getByRole('link', { name: /ago|now/ }).click()
    await page.waitForURL(`**/events/${first.id}`)
    await page.getByText(/Fired$/).waitFor()
    await page.getByText('region').waitFor()
    await expectGoodPage(page)
    await page.context().close()
  })

  test('a rule that cannot be read is not said to be deleted, only one that is', async () => {
    const rule = (
      await house.api('POST', '/v1/rules', {
        ...{ name: 'Tea spilt', event_type: 'custom.spill', category: 'custom', impact: -3 },
        ...{ cooldown: '1h', conditions: {} },
      })
    ).body
    const spill = { type: 'custom.spill', employee_email: 'cleo@acme.test' }
    const first = (await house.api('POST', '/v1/events', spill)).body
    const second = (await house.api('POST', '/v1/events', spill)).body
    const page = await house.enter('viewer', '/')
    await page.route(/\/v1\/rules\?/, route => route.abort())
    await page.goto(`/events/${first.id}`)
    await page.getByRole('link', { name: 'Tea spilt' }).waitFor()
    await page.goto(`/events/${second.id}`)
    await page.getByText('Was cooling down').waitFor()
    expect(await page.getByText('A rule that is deleted').count()).toBe(0)
    await page.unroute(/\/v1\/rules\?/)
    await house.api('DELETE', `/v1/rules/${rule.id}`)
    for (const { id } of [first, second]) {
      await page.goto(`/events/${id}`)
      await page.getByText('A rule that is deleted').waitFor()
    }
    await page.context().close()
  })

  test('an event no rule is about leads to a rule for it', async () => {
    const body = { type: 'custom.tea', employee_email: 'ada@acme.test' }
    const { id } = (await house.api('POST', '/v1/events', body)).body
    const page = await house.enter('admin', `/events/${id}`)
    await page.getByRole('link', { name: 'Make a rule for custom.tea' }).click()
    await page.getByText('When custom.tea happens, −10').waitFor()
    await expectGoodPage(page)
    await page.context().close()
  })

  test('an event is retracted with a reason, and the score follows', async () => {
    const { id } = (await click('ada@acme.test', 'autumn')).body
    const before = (await findPerson(house, 'ada@acme.test')).score
    const page = await house.enter('analyst', `/events/${id}`)
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
    expect((await findPerson(house, 'ada@acme.test')).score).toBeGreaterThan(before)
    await expectGoodPage(page)
    await page.context().close()
  })

  test('a campaign is retracted: previewed, confirmed by its name, done', async () => {
    const { id } = (await click('cleo@acme.test', 'winter')).body
    await click('finn@acme.test', 'winter')
    const page = await house.enter('analyst', `/events/${id}`, { dark: true })
    await page.getByRole('link', { name: 'Retract the campaign' }).click()
    await page.getByLabel('Why').fill('The mail scanner clicked')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('2 events of 2 people: The mail scanner clicked').waitFor()
    await page.getByRole('row', { name: /Finn Berg/ }).waitFor()
    await expectGoodPage(page)
    await page.getByRole('button', { name: 'Retract 2 events' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Type winter/).fill('winter')
    await dialog.getByRole('button', { name: 'Retract them' }).click()
    await page.getByRole('heading', { name: 'Retraction', exact: true }).waitFor()
    await page.getByText(/Ended .* ago|Ended just now/).waitFor()
    expect((await house.api('GET', `/v1/events/${id}`)).body.retracted_at).toBeDefined()
    await page.context().close()
  })

  test('a preview opened again shows the reason and the conditions it was made of', async () => {
    for (const name of ['spring', 'autumn']) {
      const filter = { type: 'sim.link_clicked', conditions: { campaign: name } }
      const body = { reason: `Clicks of ${name}`, filter }
      // One at a time: the one before may still run.
      const preview = () => house.api('POST', '/v1/events/retract?dry_run=true', body)
      await expect.poll(async () => (await preview()).status).toBe(202)
    }
    const page = await house.enter('analyst', '/events/retract')
    for (const name of ['spring', 'autumn']) {
      await page.getByRole('link', { name: new RegExp(`Clicks of ${name}`) }).click()
      await expect.poll(() => page.getByRole('combobox', { name: 'Value' }).inputValue()).toBe(name)
      await expect.poll(() => page.getByLabel('Why').inputValue()).toBe(`Clicks of ${name}`)
    }
    await page.goBack()
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Value' }).inputValue())
      .toBe('spring')
    await page.context().close()
  })

  test('an unmatched event is replayed once its person exists', async () => {
    const send = (email: string) =>
      house.api('POST', '/v1/events/webhook', {
        source: 'okta',
        event_type: 'auth.mfa_disabled',
        employee: { email },
      })
    expect((await send('new@acme.test')).status).toBe(404)
    expect((await send('nobody@acme.test')).status).toBe(404)
    const page = await house.enter('analyst', '/events/unmatched', PHONE)
    await page.getByText('2 events for an address that nobody has').waitFor()
    await expectGoodPage(page)
    const name = 'Replay auth.mfa_disabled of new@acme.test'
    await page.getByRole('button', { name }).click()
    await page.locator('[data-toast]').first().waitFor()
    await house.api('POST', '/v1/employees', {
      email: 'new@acme.test',
      first_name: 'Nia',
      last_name: 'West',
    })
    await page.getByRole('button', { name: 'Replay these 2' }).click()
    await page.getByText('1 replayed, 1 still match nobody').waitFor()
    await page.getByText('1 event for an address that nobody has').waitFor()
    expect((await findPerson(house, 'new@acme.test')).score).toBe(45)
    expect(await page.getByRole('button', { name: /^Add / }).count(), 'may not add').toBe(0)
    await page.context().close()
  })

  test('what was replayed elsewhere meanwhile is not said to match nobody', async () => {
    for (const email of ['late@acme.test', 'never@acme.test']) {
      const event = { source: 'okta', event_type: 'auth.mfa_disabled', employee: { email } }
      await house.api('POST', '/v1/events/webhook', event)
    }
    const page = await house.enter('analyst', '/events/unmatched')
    const all = page.getByRole('button', { name: /^Replay these/ })
    await all.waitFor()
    const before = Number(/\d+/.exec((await all.textContent()) ?? ''))
    await holdBack(page, 'GET', /\/v1\/events\/unmatched/)
    const person = { email: 'late@acme.test', first_name: 'Late', last_name: 'Comer' }
    await house.api('POST', '/v1/employees', person)
    const { data } = (await house.api('GET', '/v1/events/unmatched')).body
    const { id } = data.find((one: any) => one.employee.email === 'late@acme.test')
    await house.api('POST', `/v1/events/unmatched/${id}/replay`)
    await all.click()
    const words = `0 replayed, ${before - 1} still match nobody, 1 replayed elsewhere meanwhile`
    await page.getByText(words).waitFor()
    await page.context().close()
  })

  test('whom an unmatched event is about is added from there, and what came in is replayed', async () => {
    for (const [event_type, email] of [
      ['auth.mfa_disabled', 'nina@acme.test'],
      ['sim.link_clicked', 'Nina@acme.test'],
      ['sim.link_clicked', 'stranger@acme.test'],
    ]) {
      const event = { source: 'okta', event_type, employee: { email } }
      expect((await house.api('POST', '/v1/events/webhook', event)).status).toBe(404)
    }
    const page = await house.enter('admin', '/events/unmatched', PHONE)
    await page.getByRole('button', { name: 'Add nina@acme.test as a person', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a person' })
    await dialog.getByText('2 events shown here for this address').waitFor()
    await dialog.getByLabel('First name').fill('Nina')
    await dialog.getByLabel('Last name').fill('Holt')
    expect(await dialog.getByLabel('Email', { exact: false }).first().inputValue()).toMatch(
      /^nina@acme.test$/i,
    )
    await expectGoodPage(page)
    await dialog.getByRole('button', { name: 'Add and replay' }).click()
    await page.getByText('Nina Holt is added, 2 events replayed: 20').waitFor()
    expect((await findPerson(house, 'nina@acme.test')).score).toBe(20)
    await page.getByText('stranger@acme.test').waitFor()
    expect(await page.getByText('nina@acme.test').count()).toBe(0)
    await page.goto('/events')
    await page.getByText('Nina Holt').first().waitFor()
    await page.context().close()
  })

  test('people are called by name, and by address where the names cannot be read', async () => {
    const page = await house.enter('viewer', '/events')
    const table = page.getByRole('table', { name: 'Events' })
    await table.getByRole('link', { name: 'Ben Okoro' }).first().waitFor()
    expect(await table.getByText('ben@acme.test').count()).toBe(0)
    await page.route(/\/admin\/employees\/names/, route => route.abort())
    await page.reload()
    await table.getByRole('link', { name: 'ben@acme.test' }).first().waitFor()
    await page.context().close()
  })
})
