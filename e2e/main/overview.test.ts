// Journeys on the overview: from login to a change seen as it happens.
import { beforeAll, describe, expect, test } from 'vitest'
import { fillLogin, hasBrowser } from '../support/browser.ts'
import { type Company, seedCompany, sendEvent } from '../support/company.ts'

describe.skipIf(!hasBrowser)('overview', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  test('login: who is not signed in logs in and comes back to the address asked for', async () => {
    const { email } = await company.person('owner')
    const page = await company.visit('/employees?band=red')
    await page.waitForURL(url => url.pathname === '/login')
    await fillLogin(page, email)
    await page.waitForURL(url => url.pathname === '/employees')
    expect(new URL(page.url()).search).toBe('?band=red')
    await page.getByRole('heading', { name: 'Employees' }).waitFor()
  })

  test('first load: less than 300 kB of packed JavaScript', async () => {
    const page = await company.enterApart('viewer', null)
    const sizes: number[] = []
    page.on('response', response => {
      if (response.request().resourceType() !== 'script') return
      expect(response.headers()['content-encoding']).toBe('gzip')
      sizes.push(Number(response.headers()['content-length']))
    })
    await page.goto('/')
    await page.getByRole('heading', { name: 'Average score' }).waitFor()
    await page.locator('.trend-drawing').waitFor()
    const sum = sizes.reduce((total, size) => total + size, 0)
    expect(sum).toBeGreaterThan(100_000)
    expect(sum).toBeLessThan(300_000)
  })

  test('live: an event is seen within seconds, without a reload', async () => {
    const page = await company.enter('owner')
    const figures = page.locator('.figure-value')
    await page.getByText('6 people, 2 in critical').waitFor()
    await expect.poll(() => figures.first().textContent()).toMatch(/^\d/)
    const before = await figures.first().textContent()
    await page.getByText('Live', { exact: true }).waitFor()
    await sendEvent(company, 'ben@acme.test', 'endpoint.malware_detected')
    await page.getByRole('link', { name: /endpoint\.malware_detected.*Ben Okoro/ }).waitFor()
    await expect.poll(() => figures.first().textContent()).not.toBe(before)
  })

  test('filters: they stand in the address, and back works', async () => {
    const page = await company.enter('viewer')
    await page.getByText('7 d', { exact: true }).click()
    await page.waitForURL(/range=7d/)
    await page.getByRole('combobox', { name: 'Department' }).click()
    await page.getByRole('option', { name: 'Sales' }).click()
    await page.waitForURL(/department=Sales/)
    await page.getByText('3 people').first().waitFor()
    await page.goBack()
    await page.getByText('6 people').first().waitFor()
    expect(page.url()).not.toContain('department')
  })

  test('search: Ctrl K finds a person, and Enter opens them', async () => {
    const page = await company.enter('viewer')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Search' })
    await dialog.getByRole('combobox', { name: 'Search' }).fill('cleo')
    await page.getByRole('option', { name: /Cleo Marsh/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Cleo Marsh' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).waitFor()
    await page.keyboard.type('dan')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dan Ruiz' }).waitFor()
  })
})
