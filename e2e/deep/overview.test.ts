// Journeys on the overview: what its figures lead to, days and medians, the search by keyboard, and organizations still empty.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, hasBrowser, navigate } from '../support/browser.ts'
import { retryAcrossMidnight } from '../support/clock.ts'
import { type Company, seedCompany, sendEvent, startCompany } from '../support/company.ts'

const run = promisify(execFile)

describe.skipIf(!hasBrowser)('overview', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  test('whose score fell in the span chosen, and by what, is one press away, the biggest fall first', async () => {
    const page = await company.enter('viewer', '/?range=7d')
    await page.getByRole('link', { name: 'Lowered in 7 days' }).click()
    const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr')
    await rows.first().getByText('endpoint.malware_detected').waitFor()
    expect(await rows.getByText('training.completed').count()).toBe(0)
    expect(new URL(page.url()).searchParams.get('range')).toBe('7d')
  })

  test('the first day is a point of the trend, not a course of it', async () => {
    await retryAcrossMidnight(async () => {
      const young = await seedCompany('Young Ltd')
      const page = await young.enter('viewer')
      await page.locator('.trend-dot').first().waitFor()
      expect(await page.locator('.trend-dot').count()).toBe(2)
      for (const path of await page.locator('.trend-drawing .trend-line').all()) {
        expect(await path.getAttribute('d')).not.toContain('L')
      }
    })
  })

  test('the days of the trend are those of the service, wherever one sits', async () => {
    const today = new Date().toISOString().slice(0, 10)
    for (const timezone of ['America/Los_Angeles', 'Pacific/Auckland']) {
      const path = `/?range=own&from=${today}&to=${today}`
      const page = await company.enterApart('viewer', path, { timezone })
      const told = page.getByRole('slider', { name: /Average score/ })
      await told.waitFor()
      const day = Number(today.slice(8))
      await expect.poll(() => told.getAttribute('aria-valuetext')).toMatch(new RegExp(`^${day} `))
    }
  })

  test('a department nobody is in is named, and its figures are not waited for', async () => {
    const page = await company.enter('viewer', '/?department=Nowhere')
    await page.getByText('No such department').waitFor()
    const chosen = page.getByRole('combobox', { name: 'Department' })
    await expect.poll(() => chosen.inputValue()).toBe('Nowhere')
    await expect.poll(() => page.locator('.mantine-Skeleton-root').count()).toBe(0)
    expect(await page.getByText(/% in red or critical/).count()).toBe(0)
    await expectNoErrors(page)
  })

  test('the median of a department is that of today, whatever the span', async () => {
    const page = await company.enter('viewer', '/?department=Sales')
    const median = page.getByRole('link', { name: /Median score/ }).locator('.figure-value')
    await expect.poll(() => median.textContent()).toMatch(/^\d/)
    const told = await median.textContent()
    await navigate(page, '/?department=Sales&range=own&from=2020-01-01&to=2020-01-31')
    await page.getByText('Nobody was here yet in this time.').waitFor()
    await expect.poll(() => median.textContent()).toBe(told)
  })

  test('the figure of events is the number the page it opens tells', async () => {
    const { id } = await sendEvent(company, 'eva@acme.test', 'sim.link_clicked')
    await company.api('POST', `/v1/events/${id}/retract`, { reason: 'The scanner clicked' })
    const { total } = (await company.api('GET', '/v1/events?per_page=1')).body.pagination
    const page = await company.enter('viewer')
    const figure = page.getByRole('link', { name: /^Events \d/ })
    const value = figure.locator('.figure-value')
    await expect.poll(() => value.textContent()).toBe(String(total))
    await figure.click()
    await page.getByText(`${total} events in 30 days`).waitFor()
    await page.goto('/?department=Sales')
    await expect.poll(() => value.textContent()).toMatch(/^\d+$/)
    const told = await value.textContent()
    await figure.click()
    await page.waitForURL(/by=department/)
    await page.getByRole('link', { name: new RegExp(`^Sales ${told} `) }).waitFor()
  })

  test('every figure leads to the people behind it', async () => {
    const page = await company.enter('viewer')
    await page
      .getByRole('link', { name: /Critical/ })
      .first()
      .click()
    await page.waitForURL(/\/employees\?band=critical/)
    const people = page.getByRole('table', { name: 'Employees' })
    await people.getByRole('link', { name: 'Eva Lind' }).waitFor()
  })

  test('Enter in the search presses nothing of the page behind, and leads into the page it opens', async () => {
    const page = await company.enter('viewer')
    const theme = page.getByRole('button', { name: 'Show in dark' })
    await theme.focus()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('cleo')
    await page.getByRole('option', { name: /Cleo Marsh/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Cleo Marsh' }).waitFor()
    await theme.waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
  })

  test('what the arrow keys choose in the search is in sight, wherever the pointer rests', async () => {
    const page = await company.enter('owner')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Control+k')
    const hits = page.getByRole('listbox', { name: 'Found' })
    await hits.getByRole('option').nth(3).hover()
    const chosen = hits.getByRole('option', { selected: true })
    await expect.poll(() => chosen.textContent()).toContain('Events')
    for (let left = await hits.getByRole('option').count(); left > 4; left--) {
      await page.keyboard.press('ArrowDown')
    }
    const isSeen = () =>
      chosen.evaluate(one => {
        const { top, bottom } = one.closest('.search-hits')!.getBoundingClientRect()
        const hit = one.getBoundingClientRect()
        return hit.top >= top && hit.bottom <= bottom
      })
    await expect.poll(isSeen).toBe(true)
    // By then the browser has noticed what lies under the pointer.
    await page.evaluate(
      () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))),
    )
    expect(await chosen.textContent()).toContain('Settings')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => chosen.textContent()).toContain('Overview')
    await expect.poll(isSeen).toBe(true)
  })

  test('Ctrl K finds a rule however many there are', async () => {
    for (let i = 0; i < 101; i++) {
      const name = i < 100 ? `Rule of the crowd ${i}` : 'Zebra crossing'
      const rule = { category: 'custom', name, event_type: 'custom.crowd', impact: -1 }
      expect((await company.api('POST', '/v1/rules', rule)).status).toBe(201)
    }
    const page = await company.enter('viewer')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('zebra')
    await page.getByRole('option', { name: /Zebra crossing/ }).waitFor()
  })

  test('a new organization is shown the first three steps until its first event', async () => {
    const empty = await startCompany('Empty Ltd')
    const page = await empty.enter('owner')
    await page.getByText('Three steps to a first score').waitFor()
    await page.getByText(`curl ${empty.url}/v1/events/webhook`).waitFor()
    await expectNoErrors(page)
    await page.setViewportSize({ width: 360, height: 800 })
    const steps = page.locator('section', { hasText: 'Three steps to a first score' }).last()
    const { x, width } = (await steps.boundingBox())!
    for (const one of await steps.getByRole('link').all()) {
      const link = (await one.boundingBox())!
      expect(link.x + link.width, (await one.textContent()) ?? undefined).toBeLessThan(x + width)
    }
    await page.setViewportSize({ width: 1280, height: 860 })
    await page.getByRole('link', { name: 'Import a CSV file' }).click()
    await page.waitForURL(/\/employees\/import/)
    const ada = { first_name: 'Ada', last_name: 'Moss', email: "ada.o'moss@acme.test" }
    expect((await empty.api('POST', '/v1/employees', ada)).status).toBe(201)
    await page.goto('/')
    // As a shell reads it, whatever an address is made of.
    const line = await page.locator('.code-line', { hasText: 'moss@acme.test' }).textContent()
    const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${line}`])
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!).employee).toEqual({ email: ada.email })
    expect(await page.getByRole('link', { name: 'Import a CSV file' }).count()).toBe(0)
    await page.getByText('Import your people (done)').waitFor()
    // Where the keys are is seen on a figure too.
    await page.getByRole('link', { name: /^Average score/ }).focus()
    await page.keyboard.press('Tab')
    const median = page.getByRole('link', { name: /^Median score/ })
    expect(await median.evaluate(one => one === document.activeElement)).toBe(true)
    expect(await median.evaluate(one => getComputedStyle(one).outlineStyle)).toBe('solid')
    await sendEvent(empty, ada.email, 'sim.link_clicked')
    await page.getByText('Three steps to a first score').waitFor({ state: 'detached' })
    const ring = page.getByRole('img', { name: '1 person by band' })
    await ring.getByText('person', { exact: true }).waitFor()
  })

  test('in a new organization who may take no step is told who does', async () => {
    const empty = await startCompany('New Ltd')
    const page = await empty.enter('viewer')
    await page.getByText('An owner or an admin of this organization takes these steps').waitFor()
    expect(await page.locator('.code-line').count(), 'no command to try in vain').toBe(0)
    await navigate(page, '/employees')
    await page.getByText('An owner or an admin of this organization can add them').waitFor()
    await expectNoErrors(page)
    // No span is long enough where nothing has come in.
    await navigate(page, '/events')
    await page.getByRole('heading', { name: 'No events yet' }).waitFor()
    await page.getByRole('link', { name: 'How to send events' }).waitFor()
    expect(await page.getByText('Choose a longer span').count()).toBe(0)
  })

  test('where nobody is active any more, nobody is asked to import people', async () => {
    const left = await startCompany('Left Ltd')
    const ada = { first_name: 'Ada', last_name: 'Moss', email: 'ada@acme.test' }
    const { body } = await left.api('POST', '/v1/employees', ada)
    await sendEvent(left, ada.email, 'sim.link_clicked')
    await left.api('PATCH', `/v1/employees/${body.id}`, { status: 'inactive' })
    const page = await left.enter('owner')
    await page.getByText('0 people, 0 in critical').waitFor()
    await page.getByText('sim.link_clicked').waitFor()
    expect(await page.getByText('Three steps to a first score').count()).toBe(0)
    // The pointer stays on the link: its words are to be read there too.
    await page.getByRole('link', { name: 'Employees', exact: true }).click()
    await page.getByText('Nobody is active').waitFor()
    await expectNoErrors(page)
    await page.getByRole('link', { name: 'Show inactive people' }).click()
    await page.getByRole('link', { name: 'Ada Moss' }).waitFor()
  })
})
