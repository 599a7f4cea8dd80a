// Every page on a phone, in dark, with larger text and on paper: nothing fails, nothing sticks out, axe finds nothing serious.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  expectAccessible,
  expectNoErrors,
  hasBrowser,
  type Looks,
  navigate,
} from '../support/browser.ts'
import { type Company, seedCompany } from '../support/company.ts'
import { addressesIn, PAGES, whole } from '../support/pages.ts'

const PHONE = { width: 360, height: 740 }
const DESK = { width: 1280, height: 900 }
/** Notes every transition that begins and takes too long. */
const watchMotion = () => {
  const slow = new Set<string>()
  Object.assign(window, { slow })
  document.addEventListener('transitionrun', ({ target }) => {
    for (const motion of (target as Element).getAnimations({ subtree: true })) {
      const takes = Number(motion.effect!.getTiming().duration)
      if (takes >= 150) slow.add(`${(target as Element).className} ${takes} ms`)
    }
  })
}
const readMotion = () => [...(window as unknown as { slow: Set<string> }).slow]

/** What stays as small as it was where somebody has set text half as large again; drawings grow as a whole. */
const findFixedText = () => {
  const sizeOf = (one: Element) => Number.parseFloat(getComputedStyle(one).fontSize)
  const written = [...document.querySelectorAll('body :not(svg *, script, style, title)')]
    .filter(one => [...one.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE))
    .map(one => ({ one, before: sizeOf(one) }))
  const root = document.documentElement
  root.style.fontSize = '24px'
  const fixed = written.filter(({ one, before }) => sizeOf(one) < before * 1.49)
  root.style.fontSize = ''
  return fixed.map(({ one }) => `${one.className}: ${one.textContent}`)
}

describe.skipIf(!hasBrowser)('every page', () => {
  let company: Company
  let addressOf: (path: string) => string
  beforeAll(async () => {
    company = await seedCompany()
    addressOf = await addressesIn(company)
  })

  async function openPerson(looks: Looks): Promise<Page> {
    const page = await company.enter('owner', addressOf('/employees/:person'), looks)
    await whole(page)
    return page
  }

  const THIRD = Math.ceil(PAGES.length / 3)
  test.each([1, 2, 3])(
    'on a phone every page has the way to log out, and is read in light, dark and large text: part %i of 3',
    async part => {
      const page = await company.enter('owner', null, PHONE)
      for (const [path, title, sign] of PAGES.slice((part - 1) * THIRD, part * THIRD)) {
        await navigate(page, addressOf(path))
        await whole(page, title, sign)
        await expectNoErrors(page)
        await page.getByRole('button', { name: /^Account of / }).click()
        await page.getByRole('menuitem', { name: 'Log out' }).waitFor()
        await page.keyboard.press('Escape')
        await page.getByRole('menu').waitFor({ state: 'detached' })
        await page.setViewportSize(DESK)
        await expectNoErrors(page)
        await expectAccessible(page)
        expect(await page.evaluate(findFixedText), path).toEqual([])
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
        await expectAccessible(page, 'contrast')
        await page.emulateMedia({ colorScheme: 'light' })
        await page.setViewportSize(PHONE)
      }
    },
  )

  test('a long word in a type, an address, a rule or a note widens no page', async () => {
    const email = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.test`
    const person = { email, first_name: 'D'.repeat(100), last_name: 'E'.repeat(100) }
    const { id: employee_id } = (await company.api('POST', '/v1/employees', person)).body
    const type = `custom.${'f'.repeat(80)}`
    const event = (await company.api('POST', '/v1/events', { type, employee_email: email })).body
    const conditions = { severity: 'g'.repeat(150) }
    const rule = { name: 'H'.repeat(200), event_type: type, category: 'custom', impact: -5 }
    const made = (await company.api('POST', '/v1/rules', { ...rule, cooldown: '1h', conditions }))
      .body
    const action = { employee_id, type: 'restrict_access', parameters: {}, note: 'i'.repeat(300) }
    expect((await company.api('POST', '/v1/actions', action)).status).toBe(201)
    const page = await company.enter('owner', null)
    for (const path of [
      '/',
      '/events',
      `/events/${event.id}`,
      `/rules/${made.id}`,
      `/employees/${employee_id}`,
      '/actions?tab=approvals',
    ]) {
      await page.goto(path)
      await page.waitForFunction(() => !document.querySelector('.mantine-Skeleton-root'))
      await page
        .getByRole('main')
        .getByText(/ffff|iiii|aaaa/)
        .first()
        .waitFor()
      await expectNoErrors(page)
    }
    await navigate(page, '/events')
    const cell = page.getByRole('cell').filter({ hasText: type })
    const over = (one: Element) => one.scrollWidth - one.clientWidth
    expect(await cell.evaluate(over), 'a type runs into the next column').toBe(0)
    await navigate(page, `/employees/${employee_id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Deactivate' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/to confirm/).waitFor()
    expect(await dialog.evaluate(over), 'a name is cut off that is to be typed').toBe(0)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('DDDD')
    const hit = page.getByRole('option', { name: /DDDD/ })
    expect(await hit.evaluate(over), 'a name runs over the score').toBe(0)
  })

  test('on a phone the menu opens, leads on and closes', async () => {
    const page = await company.enter('owner', '/', PHONE)
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Employees' })
      .click()
    await page.getByRole('heading', { name: 'Employees' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/employees')
  })

  test('by keyboard the menu of a phone is not met while it is closed, and has the keys while it is open', async () => {
    const page = await company.enter('owner', '/rules', PHONE)
    const menu = page.getByRole('button', { name: 'Menu', exact: true })
    const rail = page.locator('.rail-frame')
    const focused = page.locator(':focus')
    await page.getByRole('button', { name: /^Account of / }).focus()
    await page.keyboard.press('Tab')
    expect(await rail.locator(':focus').count(), 'into the closed menu').toBe(0)
    await menu.press('Enter')
    await expect.poll(() => focused.getAttribute('aria-label')).toBe('Close the menu')
    await page.keyboard.press('Escape')
    await expect.poll(() => focused.getAttribute('aria-label')).toBe('Menu')
    await rail.waitFor({ state: 'hidden' })
    await menu.press('Enter')
    await rail.getByRole('link', { name: 'Events' }).press('Enter')
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
    await expect.poll(() => focused.getAttribute('id')).toBe('content')
  })

  test('what a menu warns of is read as easily as the rest', async () => {
    const page = await openPerson(DESK)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Erase' }).waitFor()
    await expectAccessible(page, 'contrast')
  })

  test('where a person has chosen the colours, bars, switches and what is chosen are still seen', async () => {
    const page = await company.enter('owner', '/', DESK)
    await page.emulateMedia({ forcedColors: 'active' })
    await whole(page)
    const fill = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate(one => getComputedStyle(one).backgroundColor)
    const paper = await fill('body')
    for (const seen of ['.histogram-bar', '.mix-bar > span', '.rail-link[data-active]']) {
      expect(await fill(seen), seen).not.toBe(paper)
    }
    const chosen = '.mantine-SegmentedControl-indicator'
    expect(await fill(chosen), chosen).not.toBe(paper)
    await navigate(page, '/actions?tab=policies')
    await whole(page)
    for (const seen of ['.mantine-Switch-thumb', '.mantine-Tabs-tab[data-active]']) {
      expect(await fill(seen), seen).not.toBe(paper)
    }
  })

  test('a page on paper is light and has nothing to press', async () => {
    const page = await openPerson({ ...DESK, dark: true })
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme')
    expect(await scheme()).toBe('dark')
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
    expect(await scheme()).toBe('light')
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: 'Adjust score' }).isVisible()).toBe(false)
    expect(await page.getByRole('heading', { name: /^Why / }).isVisible()).toBe(true)
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
    expect(await scheme()).toBe('dark')
  })

  test('the rail is narrowed to icons, stays so, and is widened again', async () => {
    const page = await company.enter('owner', '/rules', { ...DESK, height: 400 })
    await page.getByRole('button', { name: 'Narrow the menu' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Widen the menu' }).click()
    await page.getByRole('link', { name: 'Settings' }).getByText('Settings').click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
  })

  test('whatever moves, moves for less than 150 ms', async () => {
    const page = await company.enter('owner', '/actions?tab=policies', PHONE)
    await whole(page)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.evaluate(watchMotion)
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page.getByRole('button', { name: 'Close the menu' }).click()
    await page.getByRole('switch').first().press('Space')
    await page.getByRole('button', { name: /^Account of / }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).waitFor()
    expect(await page.evaluate(readMotion)).toEqual([])
  })

  test('on a phone everything a policy may follow can be chosen', async () => {
    const page = await company.enter('owner', '/actions?tab=policies', PHONE)
    await page.getByRole('button', { name: 'New policy' }).click()
    const dialog = page.getByRole('dialog')
    const last = (await dialog.getByText('Score drops').boundingBox())!
    const { x, width } = (await dialog.boundingBox())!
    expect(last.x + last.width).toBeLessThan(x + width)
    await dialog.getByText('Score drops').click()
  })
})
