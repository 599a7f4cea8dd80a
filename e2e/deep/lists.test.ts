// Journeys over lists: sorted in full, saved in full, and every figure leads to exactly the people behind it.
import { text as readText } from 'node:stream/consumers'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseCsv } from '../../dashboard/src/ui/csv.ts'
import { addUse } from '../../server/src/access/usage.queries.ts'
import { expectNoErrors, hasBrowser, navigate } from '../support/browser.ts'
import { retryAcrossMidnight } from '../support/clock.ts'
import { type Company, findPerson, seedCompany } from '../support/company.ts'
import { delayResponse } from '../support/network.ts'
import { startReceiver } from '../support/receiver.ts'

async function saveCsv(page: Page, name: string): Promise<{ file: string; cells: string[][] }> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: `Save ${name} as CSV` }).click()
  const file = await readText(await (await download).createReadStream())
  return { file, cells: parseCsv(file).map(row => row.cells) }
}

async function sendBatch(company: Company): Promise<void> {
  const events = Array.from({ length: 130 }, (_, i) => ({
    type: i % 2 ? 'custom.even' : 'custom.odd',
    employee_email: 'finn@acme.test',
    timestamp: new Date(Date.now() - i * 60_000).toISOString(),
    details: { description: i === 3 ? '=cmd()' : `number ${i}`, source_system: '=sum(a1)' },
  }))
  expect((await company.api('POST', '/v1/events/batch', { events })).status).toBe(207)
}

describe.skipIf(!hasBrowser)('lists', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
    await sendBatch(company)
  })

  test('an empty list says so once, and its export stays where it was, out of use', async () => {
    const page = await company.enter('viewer', '/events?range=own&from=2020-01-01&to=2020-01-02')
    await page.getByText('No events in this time').waitFor()
    await page.getByText('Nothing. Choose a longer span above.').waitFor()
    expect(await page.getByText('No events in this time').count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Save events as CSV' }).isDisabled()).toBe(true)
  })

  test('events are sorted over all pages, and all of them are saved, in that order', async () => {
    const page = await company.enter('viewer', '/events')
    await page.getByText('136 events in 30 days').waitFor()
    const table = page.getByRole('table', { name: 'Events' })
    await table.getByRole('button', { name: 'Effect' }).click()
    await page.waitForURL(/sort=impact&order=asc/)
    await table.getByRole('row').nth(1).getByText('endpoint.malware_detected').waitFor()
    await expectNoErrors(page)
    const { file, cells } = await saveCsv(page, 'events')
    const [head, ...rows] = cells
    expect(rows).toHaveLength(136)
    await page.getByText('136 lines saved as events.csv').waitFor()
    const at = (name: string) => head!.indexOf(name)
    const impacts = rows.map(row => Number(row[at('impact')]))
    expect(impacts).toEqual(impacts.toSorted((a, b) => a - b))
    expect(file).toContain(",'=sum(a1),")
    expect(file).not.toContain(',=sum(a1)')
    expect(rows.filter(row => row[at('source')] === '=sum(a1)')).toHaveLength(130)
  })

  test('who turns the page goes on at its first row, in sight', async () => {
    const page = await company.enter('viewer', '/events?sort=timestamp&order=asc')
    const rows = page.getByRole('table', { name: 'Events' }).getByRole('row')
    await rows.nth(25).waitFor()
    await page.getByRole('button', { name: 'Page 2', exact: true }).press('Enter')
    await page.getByText('26–50 of 136 events').waitFor()
    const first = rows.nth(1).getByRole('link').first()
    await expect.poll(() => first.evaluate(link => link === document.activeElement)).toBe(true)
    const top = () => rows.first().evaluate(row => row.getBoundingClientRect().top)
    await expect.poll(top).toBeGreaterThan(56)
  })

  test('who chooses a tab, a page or an order far down a page goes on there, not at its top', async () => {
    const { id } = await findPerson(company, 'finn@acme.test')
    const page = await company.enter('viewer', `/employees/${id}`, { width: 1280, height: 600 })
    const events = page.getByRole('table', { name: 'Events of this person' })
    await events.getByRole('row').nth(10).waitFor()
    const inSight = async (what: Locator) => {
      const { y } = (await what.boundingBox())!
      return y >= 0 && y < 600
    }
    await page.getByRole('button', { name: 'Page 2', exact: true }).click()
    await page.getByText('11–20 of 130 events').waitFor()
    await expect.poll(() => inSight(events.getByRole('row').nth(1))).toBe(true)
    await page.waitForURL(/page=2/)
    await events.getByRole('button', { name: 'When' }).click()
    await page.waitForURL(/order=asc/)
    await expect.poll(() => inSight(events.getByRole('row').nth(1))).toBe(true)
    const tab = page.getByRole('tab', { name: 'Actions' })
    await tab.click()
    await page.waitForURL(/tab=actions/)
    await page.getByText('No actions yet').waitFor()
    expect(await inSight(tab)).toBe(true)
  })

  test('the heads of a long list stay in sight, and focus is never behind them', async () => {
    const page = await company.enter('viewer', '/events')
    const table = page.getByRole('table', { name: 'Events' })
    const rows = table.locator('tbody tr')
    await rows.nth(24).scrollIntoViewIfNeeded()
    const head = table.getByRole('columnheader').first()
    const bottomOfHead = async () => {
      const { y, height } = (await head.boundingBox())!
      return y + height
    }
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(400)
    expect((await head.boundingBox())!.y, 'right below the top bar').toBe(56)
    await rows.nth(24).getByRole('link').first().focus()
    for (let step = 0; step < 20; step++) await page.keyboard.press('ArrowUp')
    const focused = page.locator(':focus')
    const { y } = (await focused.boundingBox())!
    expect(y).toBeGreaterThanOrEqual(await bottomOfHead())
  })

  test.each([
    ['Employees', '/employees', /\/v1\/employees\?/],
    ['Rules', '/rules', /\/v1\/rules\?/],
    ['API keys', '/keys', /\/admin\/keys/],
  ])('%s: rows are no lower while they are read than afterwards', async (_, path, answer) => {
    const page = await company.enter('owner', null)
    const held = await delayResponse(page, 'GET', answer)
    await page.goto(path)
    const row = page.getByRole('main').locator('tbody tr').first()
    await row.locator('.mantine-Skeleton-root').first().waitFor()
    const before = (await row.boundingBox())!.height
    held.release()
    await row.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
    const after = (await row.boundingBox())!.height
    expect(Math.abs(after - before), `${before} became ${after}`).toBeLessThan(4)
  })

  test.each([640, 900])('lists are whole and read well at %i px', async width => {
    const page = await company.enter('owner', null, { width })
    for (const name of ['Employees', 'Events', 'Rules', 'Users']) {
      await navigate(page, `/${name.toLowerCase()}`)
      const table = page.getByRole('table', { name, exact: true })
      await table.getByRole('row').nth(1).waitFor()
      const hidden = await table.evaluate(one => one.scrollWidth - one.parentElement!.clientWidth)
      expect(hidden, `${name} is wider than its card`).toBeLessThanOrEqual(0)
    }
    await navigate(page, '/events?type=endpoint.malware_detected')
    const type = page.getByRole('table').getByText('endpoint.malware_detected')
    await type.waitFor()
    expect((await type.boundingBox())!.height, 'a type stands on one line').toBeLessThan(30)
  })

  test('the figure of people at risk opens red and critical and nobody else', async () => {
    const page = await company.enter('viewer')
    const figure = page.getByRole('link', { name: /People at risk/ })
    const value = figure.locator('.figure-value')
    await expect.poll(() => value.textContent()).toMatch(/^\d+$/)
    const told = Number(await value.textContent())
    await figure.click()
    await page.getByText(`${told} people in red or critical`).waitFor()
    const [head, ...rows] = (await saveCsv(page, 'employees')).cells
    const bands = new Set(rows.map(row => row[head!.indexOf('band')]))
    expect(rows).toHaveLength(told)
    expect([...bands].every(band => band === 'red' || band === 'critical')).toBe(true)
    await expectNoErrors(page)
  })

  test('a bar of the histogram opens the people of its scores, and they can be let go again', async () => {
    const page = await company.enter('viewer')
    const axis = () => page.locator('.score-tick').filter({ hasText: /\d/ }).allTextContents()
    await expect.poll(axis).toEqual(['0', '20', '40', '60', '80', '100'])
    await page.getByRole('link', { name: /with a score of 75 to 79/ }).click()
    await page.getByText('with a score of 75 to 79').waitFor()
    const people = page.getByRole('table', { name: 'Employees' })
    await people.getByRole('link', { name: 'Ben Okoro' }).waitFor()
    await page.getByRole('button', { name: 'Scores from 0 to 100 again' }).click()
    await page.getByText('6 people', { exact: true }).waitFor()
  })

  test('on a phone the last column in sight stands as far from the edge as the first', async () => {
    const page = await company.enter('viewer', '/', { width: 390 })
    const row = page.getByRole('table', { name: 'Top risks' }).getByRole('row').nth(1)
    await row.getByRole('link').waitFor()
    const paddings = await row.evaluate(one => {
      const cells = [...one.children].filter(cell => cell.checkVisibility()).map(getPadding)
      return [cells.at(0)!.left, cells.at(-1)!.right]
      function getPadding(cell: Element) {
        const { paddingLeft: left, paddingRight: right } = getComputedStyle(cell)
        return { left, right }
      }
    })
    expect(paddings).toEqual(['16px', '16px'])
  })

  test('however long the name of a department is, the scores beside it stay in sight', async () => {
    const long = { first_name: 'Lou', last_name: 'Aaa', email: 'lou@acme.test' }
    await company.api('POST', '/v1/employees', {
      ...long,
      department: 'Donaudampfschiff'.repeat(12),
    })
    const page = await company.enter('viewer', '/employees')
    const table = page.getByRole('table', { name: 'Employees' })
    const row = table.getByRole('row').filter({ hasText: long.email })
    const { x, width } = (await row.getByText('Active', { exact: true }).boundingBox())!
    expect(x + width).toBeLessThan(1280)
    await row.getByTitle('Donaudampfschiff'.repeat(12)).waitFor()
  })

  test('top risks by the biggest drop, of one department, bear names', async () => {
    const page = await company.enter('viewer', '/?department=Sales')
    const table = page.getByRole('table', { name: 'Top risks' })
    await table.getByRole('button', { name: 'In 30 days' }).click()
    await page.waitForURL(/risks=biggest_drop/)
    await page.getByText('The biggest drops in 30 days').waitFor()
    await table.getByRole('row').nth(1).getByText('Eva Lind').waitFor()
    expect(await table.getByRole('row').count()).toBe(4)
  })

  test('what was used today stands beside the limits of the plan', async () => {
    await retryAcrossMidnight(async () => {
      const busy = await seedCompany('Busy Ltd')
      const { app, context, tenant_id } = busy
      await sendBatch(busy)
      await app.flush()
      const page = await busy.enter('viewer', '/settings')
      const used = page.locator('.today')
      // Six events of the story and the batch.
      await used.getByText('136', { exact: true }).waitFor()
      await used.getByText('events accepted').waitFor()
      const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
      await context.db.inTenant(tenant_id, tx =>
        addUse(tx, tenant_id, { day, requests: 900, events: 40, deliveries: 7 }),
      )
      await page.reload()
      await page.getByRole('region', { name: /The last 30 days: [\d,]+ requests/ }).waitFor()
      await page.locator('.recharts-bar-rectangle path:visible').first().waitFor()
      await expectNoErrors(page)
    })
  })

  test('a page past the end, or a filter that fits nothing, is not taken for an empty list', async () => {
    const finn = await findPerson(company, 'finn@acme.test')
    const action = { employee_id: finn.id, type: 'restrict_access', parameters: {}, note: '' }
    expect((await company.api('POST', '/v1/actions', action)).status).toBe(201)
    const hook = { url: (await startReceiver()).url, events: ['score.updated'] }
    const webhook = (await company.api('POST', '/v1/webhooks', hook)).body
    await company.api('POST', `/v1/webhooks/${webhook.id}/test`)
    const page = await company.enter('admin', null)
    for (const path of [
      '/events?page=9999',
      '/actions?page=9',
      '/actions?tab=approvals&page=9',
      `/webhooks/${webhook.id}?page=9`,
      `/employees/${finn.id}?page=90`,
      `/employees/${finn.id}?tab=actions&page=9`,
      `/employees/${finn.id}?tab=changes&trail=9`,
    ]) {
      await page.goto(path)
      await page.getByText(/There is no page 9/).waitFor()
    }
    await page.getByRole('button', { name: 'To the last page' }).click()
    await page.getByRole('table', { name: 'History of changes' }).waitFor()
    await page.goto('/actions?tab=approvals&page=9')
    await page.getByRole('button', { name: 'To the last page' }).click()
    await page.getByRole('button', { name: 'Reject' }).waitFor()
    await navigate(page, '/actions?status=completed')
    await page.getByText('No action fits').waitFor()
    await page.getByRole('link', { name: 'Show all actions' }).click()
    await page.getByRole('button', { name: 'Restrict access' }).waitFor()
    await expectNoErrors(page)
  })

  test('the actions about a person stay in sight, with focus, while the next page is read', async () => {
    const { id: employee_id } = await findPerson(company, 'ada@acme.test')
    for (let i = 0; i < 12; i++) {
      const action = { employee_id, type: 'notify_manager', parameters: {}, note: `number ${i}` }
      expect((await company.api('POST', '/v1/actions', action)).status).toBe(201)
    }
    const page = await company.enter('admin', `/employees/${employee_id}?tab=actions`)
    const second = page.getByRole('button', { name: 'Page 2' })
    await second.waitFor()
    let go = () => {}
    const held = new Promise<void>(resolve => {
      go = resolve
    })
    await page.route(/\/v1\/actions\?.*page=2/, async route => {
      await held
      await route.continue()
    })
    await second.click()
    await page.waitForURL(/page=2/)
    expect(await second.evaluate(one => one === document.activeElement)).toBe(true)
    go()
    await page.getByText('11–12 of 12 actions').waitFor()
  })

  test.each([
    ['/webhooks', 'admin'],
    ['/keys', 'admin'],
    ['/users', 'owner'],
    ['/audit', 'owner'],
    ['/rules', 'viewer'],
  ] as const)('%s sorts by every heading that offers it', async (path, role) => {
    const url = `https://example.com${path}`
    await company.api('POST', '/v1/webhooks', { url, events: ['score.updated'] })
    const page = await company.enter(role, path)
    const heads = page.locator('.sort-button:visible')
    await heads.first().waitFor()
    for (let i = 0; i < (await heads.count()); i++) {
      await heads.nth(i).click()
      const chosen = heads.nth(i).locator('xpath=ancestor::th')
      await expect.poll(() => chosen.getAttribute('aria-sort')).toMatch(/ascending|descending/)
      await page.locator('tbody tr').first().waitFor()
    }
    await expectNoErrors(page)
  })
})
