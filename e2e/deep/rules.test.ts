// Journeys about rules: listed as sentences, not left half written, tried by who may not change them.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, hasBrowser, navigate } from '../support/browser.ts'
import { type Company, seedCompany } from '../support/company.ts'

const PHONE = { width: 360, height: 740 }

describe.skipIf(!hasBrowser)('rules', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  const findRule = async (event_type: string) => {
    const { body } = await company.api('GET', '/v1/rules?per_page=100')
    return body.data.find((rule: { event_type: string }) => rule.event_type === event_type)
  }

  test('every rule is a sentence with what it did; filters stand in the address', async () => {
    const page = await company.enter('viewer', '/rules')
    const row = page.getByRole('row', { name: /Simulated phishing link clicked/ })
    await row.getByText('When sim.link_clicked happens, −25, at most once in 24 h').waitFor()
    await row.getByText('−50').waitFor()
    await expectNoErrors(page)
    await page.getByLabel('Search in rules').fill('malware')
    await page.waitForURL('**/rules?search=malware')
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
    expect(await page.getByRole('row').count()).toBe(2)
    await page.reload()
    await page.getByRole('link', { name: 'Malware detected' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    expect(await page.getByRole('link', { name: 'New rule' }).count()).toBe(0)
  })

  test('a rule that is half written is not left without being asked', async () => {
    const { id } = await findRule('sim.link_clicked')
    const page = await company.enter('admin', '/rules')
    await page.getByRole('link', { name: 'Simulated phishing link clicked' }).click()
    const impact = page.getByRole('textbox', { name: 'Change of the score' })
    await impact.fill('-9')
    // The time to try it on is in the address too.
    await page.getByText('7 d', { exact: true }).click()
    await page.waitForURL(/window=7d/)
    await page.evaluate(() => history.back())
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await impact.inputValue()).toBe('-9')
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
    await navigate(page, `/rules/${id}`)
    await impact.waitFor()
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  })

  test('an analyst tries a rule and cannot change it', async () => {
    const { id } = await findRule('sim.link_clicked')
    const page = await company.enter('analyst', `/rules/${id}`, PHONE)
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('times it fires').waitFor()
    expect(await page.getByRole('button', { name: /Save|Deactivate/ }).count()).toBe(0)
    await expectNoErrors(page)
    await navigate(page, '/rules/new')
    await page.getByText('Your role reads rules').waitFor()
  })
})
