// Every page of the dashboard as its owner sees it: nothing fails, nothing sticks out, axe finds nothing serious.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectGoodPage, type House, hasBrowser, openHouse } from './house.ts'
import { findPerson, tellStory } from './story.ts'

const LOOKS = [
  { name: 'light', looks: {}, barriers: 'all' },
  { name: 'dark', looks: { dark: true }, barriers: 'contrast' },
  { name: 'a phone', looks: { width: 360, height: 740 }, barriers: 'none' },
] as const

const PAGES = [
  '/',
  '/employees',
  '/employees/import',
  '/employees/:person',
  '/rules',
  '/rules/recalculate',
  '/events',
  '/events/unmatched',
  '/actions',
  '/actions?tab=approvals',
  '/actions?tab=policies',
  '/webhooks',
  '/keys',
  '/apps',
  '/users',
  '/audit',
  '/settings',
  '/profile',
  '/there-is-no-such-page',
]

describe.skipIf(!hasBrowser)('every page', () => {
  let house: House
  let person: string
  beforeAll(async () => {
    house = await openHouse()
    await tellStory(house)
    person = (await findPerson(house, 'dan@acme.test')).id
  })

  test.each(LOOKS)('in $name', { timeout: 120_000 }, async ({ looks, barriers }) => {
    const page = await house.enter('owner', '/', looks)
    for (const path of PAGES) {
      await page.goto(path.replace(':person', person))
      await page.locator('h1, h2').first().waitFor()
      await page.waitForFunction(() => !document.querySelector('.mantine-Skeleton-root'))
      await expectGoodPage(page, barriers)
    }
    await page.close()
  })

  test('on a phone the menu opens, leads on and closes', async () => {
    const page = await house.enter('owner', '/', { width: 360, height: 740 })
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Employees' })
      .click()
    await page.getByRole('heading', { name: 'Employees' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/employees')
    await page.close()
  })
})
