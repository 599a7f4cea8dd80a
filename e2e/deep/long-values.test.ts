// Journeys with values longer than a phone is wide, and with people of the same name.
import { text as readText } from 'node:stream/consumers'
import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseCsv } from '../../dashboard/src/ui/csv.ts'
import { asOperator } from '../../server/src/accounts/identity.ts'
import { createKey, readScopes } from '../../server/src/keys/manage-keys.ts'
import { expectNoErrors, hasBrowser, navigate } from '../support/browser.ts'
import { type Company, findPerson, seedCompany, sendEvent } from '../support/company.ts'

const PHONE = { width: 390, height: 844 }
const LONG_URL = `https://hooks.example.com/${'a1b2c3d4/'.repeat(208)}`

const rightOf = (one: Locator) => one.evaluate(element => element.getBoundingClientRect().right)

describe.skipIf(!hasBrowser)('long values', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  test('an address of 1,900 characters leaves room for the rest, is told on hover and copied whole', async () => {
    const hook = { url: LONG_URL, events: ['score.updated'] }
    expect((await company.api('POST', '/v1/webhooks', hook)).status).toBe(201)
    const page = await company.enter('admin', '/webhooks', PHONE)
    const row = page.getByRole('row').filter({ hasText: 'hooks.example.com' })
    expect(await row.getByText(LONG_URL).getAttribute('title')).toBe(LONG_URL)
    expect((await row.boundingBox())!.height).toBeLessThan(120)
    await row.getByRole('link').click()
    await page.getByRole('heading', { name: 'What it hears' }).waitFor()
    const destination = page.getByTitle(LONG_URL)
    await destination.waitFor()
    expect((await destination.boundingBox())!.height).toBeLessThan(160)
    await expectNoErrors(page)
    await destination.getByRole('button', { name: 'Copy destination' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(LONG_URL)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete it' }).click()
    const remove = page.getByRole('button', { name: 'Delete the webhook' })
    await remove.waitFor()
    const { y, height } = (await remove.boundingBox())!
    expect(y + height).toBeLessThan(PHONE.height)
  })

  test('long names and departments leave room for every column, however wide the window is', async () => {
    const person = {
      email: `${'bartholomew.'.repeat(4)}x@acme.test`,
      first_name: 'Bartholomew Maximilian Theodore',
      last_name: 'Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh',
      department: `Department of ${'extraordinary '.repeat(8)}affairs`,
    }
    expect((await company.api('POST', '/v1/employees', person)).status).toBe(201)
    await sendEvent(company, person.email, 'endpoint.malware_detected')
    const page = await company.enter('viewer', '/employees', { width: 1280, height: 900 })
    const beyond = () =>
      page.locator('.table-frame').evaluate(one => one.scrollWidth - one.clientWidth)
    await page.getByTitle(person.department).waitFor()
    const name = page.getByRole('row', { name: /Bartholomew/ })
    for (const width of [1280, 1180, 901, 640, 320]) {
      await page.setViewportSize({ width, height: 900 })
      await expect.poll(beyond, { message: `${width} px wide` }).toBe(0)
      expect((await name.boundingBox())!.height, `${width} px wide`).toBeLessThan(120)
    }
    await page.goto('/')
    const row = page.locator('.department-row', { hasText: 'extraordinary' })
    await row.waitFor()
    await page.getByRole('link', { name: /^Bartholomew/ }).waitFor()
    for (const width of [320, 1180, 1260, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      await expect.poll(beyond, { message: `${width} px wide` }).toBe(0)
      expect((await row.boundingBox())!.height, `${width} px wide`).toBeLessThan(100)
    }
  })

  test('a rule and a detail named by one long word leave what stands beside them in sight', async () => {
    const word = 'Donaudampfschifffahrt'.repeat(9)
    const rule = { name: word, event_type: 'custom.long', category: 'custom', impact: -9 }
    expect((await company.api('POST', '/v1/rules', rule)).status).toBe(201)
    const details = { [`field_${'of_many_'.repeat(12)}words`]: 'the value', severity: 'high' }
    const { id: employee_id, email } = await findPerson(company, 'dan@acme.test')
    const event = { source: 'test', event_type: 'custom.long', employee: { email }, details }
    const { body } = await company.api('POST', '/v1/events/webhook', event)
    for (const looks of [PHONE, { width: 1280, height: 900 }]) {
      const page = await company.enter('viewer', `/employees/${employee_id}`, looks)
      await page.getByRole('link', { name: word }).waitFor()
      await expectNoErrors(page)
      await navigate(page, `/events/${body.id}`)
      const value = (await page.getByText('the value', { exact: true }).boundingBox())!
      const card = (await page
        .locator('section', { has: page.locator('.facts') })
        .last()
        .boundingBox())!
      expect(value.width).toBeGreaterThan(100)
      expect(value.x + value.width).toBeLessThan(card.x + card.width)
      await expectNoErrors(page)
    }
  })

  test('rules beyond a hundred stand on pages; sorting and the file take all of them', async () => {
    const before = (await company.api('GET', '/v1/rules?per_page=1')).body.pagination.total
    for (let i = 100; i < 200; i++) {
      const rule = {
        name: `Zebra ${i}`,
        event_type: 'custom.zebra',
        category: 'custom',
        impact: -1,
      }
      expect((await company.api('POST', '/v1/rules', rule)).status).toBe(201)
    }
    const page = await company.enter('admin', '/rules?sort=name&order=desc')
    const rows = page.getByRole('table', { name: 'Rules' }).locator('tbody tr')
    await rows.first().getByText('Zebra 199').waitFor()
    expect(await rows.count()).toBe(100)
    await page.getByText(`1–100 of ${before + 100} rules`).waitFor()
    await page.getByRole('button', { name: 'Page 2' }).click()
    await page.getByText(`101–${before + 100} of ${before + 100} rules`).waitFor()
    expect(await rows.count()).toBe(before)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save rules as CSV' }).click()
    const file = await readText(await (await download).createReadStream())
    expect(parseCsv(file)).toHaveLength(before + 101)
    await page.getByLabel('Search in rules').fill('Zebra 150')
    await page.getByText('1 of 1 rule').waitFor()
    await expectNoErrors(page)
  })

  test('on a phone the log says whole who it was', async () => {
    const name = 'Nightly export of the human resources system in Lisbon'
    const { key } = await asOperator(company.context, company.tenant_id, createKey, {
      name,
      scopes: readScopes('all'),
      expires_at: null,
    })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ email: 'gil@acme.test', first_name: 'Gil', last_name: 'Reis' })
    const made = await fetch(`${company.url}/v1/employees`, { method: 'POST', headers, body })
    expect(made.status).toBe(201)
    const page = await company.enter('owner', '/audit', PHONE)
    const who = page.getByText(`by ${name}`)
    await who.waitFor()
    expect(await who.evaluate(line => line.scrollWidth > line.clientWidth)).toBe(false)
    await expectNoErrors(page)
  })

  test('a name written from right to left leaves what follows it in its place', async () => {
    const body = { email: 'samir@acme.test', first_name: 'سمير', last_name: 'حداد' }
    const { id } = (await company.api('POST', '/v1/employees', body)).body
    const event = await sendEvent(company, body.email, 'endpoint.malware_detected')
    const page = await company.enter('admin', `/events/${event.id}`)
    const state = page.locator('.page-state')
    const name = (await state.getByRole('link', { name: 'سمير حداد' }).boundingBox())!
    const time = (await state.getByRole('time').boundingBox())!
    expect(time.x).toBeGreaterThan(name.x + name.width)
    await navigate(page, `/employees/${id}`)
    await page.getByRole('button', { name: 'Adjust score' }).click()
    await page.getByRole('textbox', { name: 'Change' }).fill('5')
    await page.getByLabel('Reason').fill('The name comes first')
    await page.getByRole('button', { name: 'Adjust', exact: true }).click()
    await page.getByText('\u2068سمير حداد\u2069: ').waitFor()
  })

  test('the last of many organizations is in reach, and a long name of one does not widen the menu', async () => {
    const page = await company.enter('viewer', null, { width: 1280, height: 600 })
    await page.route(/\/session$/, async route => {
      const response = await route.fetch()
      const session = await response.json()
      const others = Array.from({ length: 15 }, (_, i) => ({
        tenant_id: `ten_${i}`,
        name: i === 3 ? 'Donaudampfschifffahrtselektrizitaetenhauptbetriebswerk' : `Branch ${i}`,
        role: 'viewer',
      }))
      await route.fulfill({
        response,
        json: { ...session, tenants: [...session.tenants, ...others] },
      })
    })
    await page.goto('/')
    await page.getByRole('button', { name: 'Organization Acme, switch' }).click()
    const menu = page.getByRole('menu')
    const last = menu.getByRole('menuitem', { name: 'Branch 14' })
    await last.waitFor()
    await expectNoErrors(page)
    const names = await menu.locator('.mantine-Menu-itemLabel').all()
    const widest = Math.max(...(await Promise.all(names.map(rightOf))))
    expect(widest).toBeLessThan(await rightOf(menu))
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    expect(await last.evaluate(one => one === document.activeElement)).toBe(true)
    const { y, height } = (await last.boundingBox())!
    expect(y + height).toBeLessThan(600)
  })

  test('two people of the same name among the top risks are told apart', async () => {
    for (const email of ['alex.one@acme.test', 'alex.two@acme.test']) {
      await company.api('POST', '/v1/employees', { email, first_name: 'Alex', last_name: 'Twin' })
      await sendEvent(company, email, 'endpoint.malware_detected')
    }
    const page = await company.enter('viewer', '/')
    const table = page.getByRole('table', { name: 'Top risks' })
    // Until the names are read an address stands for each.
    await table.getByRole('link', { name: 'Alex Twin' }).nth(1).waitFor()
    await table.getByText('alex.one@acme.test').waitFor()
    await table.getByText('alex.two@acme.test').waitFor()
    expect(await table.getByText('eva@acme.test').count()).toBe(0)
    await expectNoErrors(page)
  })
})
