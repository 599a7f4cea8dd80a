// Journeys on a slow network: what one does while an answer is on its way is neither undone nor mistaken by it.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { holdBack } from './hold-back.ts'
import { type House, hasBrowser, openHouse } from './house.ts'
import { tellStory } from './story.ts'

const told = (page: Page, method: string, path: string) =>
  page.waitForResponse(
    answer => answer.request().method() === method && new URL(answer.url()).pathname === path,
  )

describe.skipIf(!hasBrowser)('late answers', () => {
  let house: House
  beforeAll(async () => {
    house = await openHouse()
    await tellStory(house)
  })

  test('what is chosen while a preview is asked for stays chosen', async () => {
    const page = await house.enter('admin', '/events/retract?type=sim.link_clicked')
    const held = await holdBack(page, 'POST', /\/v1\/events\/retract/)
    const why = page.getByLabel('Why')
    await why.fill('Clicks of the scanner')
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect.poll(() => held.asked.length).toBe(1)
    await page.getByLabel('From').fill('2026-01-02')
    await why.fill('Clicks of the scanner in spring')
    held.letGo()
    await page.waitForURL(/[?&]job=/)
    await page.getByText('What it would do').waitFor()
    expect(await page.getByLabel('From').inputValue()).toBe('2026-01-02')
    expect(new URL(page.url()).searchParams.get('from')).toBe('2026-01-02')
    expect(await why.inputValue()).toBe('Clicks of the scanner in spring')
    await page.close()
  })

  test('an answer that comes on another page leaves the filters there alone', async () => {
    const page = await house.enter('admin', '/events/retract?type=sim.link_clicked')
    const held = await holdBack(page, 'POST', /\/v1\/events\/retract/)
    await page.getByLabel('Why').fill('Clicks of the scanner')
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect.poll(() => held.asked.length).toBe(1)
    await page.getByRole('link', { name: 'Employees' }).click()
    await page.getByText('6 people').first().waitFor()
    const answered = told(page, 'POST', '/v1/events/retract')
    held.letGo()
    await answered
    await page.getByRole('link', { name: 'Ada Moss' }).waitFor()
    await settle(page)
    expect(new URL(page.url()).search).toBe('')
    await page.close()
  })
})

/** What was answered has been dealt with and drawn. */
const settle = (page: Page) =>
  page.evaluate(
    () => new Promise(resolve => setTimeout(() => requestAnimationFrame(() => resolve(0)))),
  )
