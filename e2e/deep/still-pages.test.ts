// Journeys through pages whose answers come late: what is in sight stays where it is when they arrive.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { draw, hasBrowser } from '../support/browser.ts'
import { type Company, seedCompany } from '../support/company.ts'

/** What of a page stands in sight once it is read. */
const READ: readonly (readonly [path: string, sign: string | RegExp])[] = [
  ['/', /people, \d+ in critical/],
  ['/rules', /fired in 30 days, .* points in all/],
  ['/rules/recalculate', 'Your plan allows'],
  ['/actions', /policies switched on/],
  ['/keys', /key in use/],
  ['/profile', 'this one'],
]

const watchMoves = () => {
  const moves: string[] = []
  Object.assign(window, { moves })
  new PerformanceObserver(list => {
    for (const entry of list.getEntries() as (PerformanceEntry & { sources: Source[] })[]) {
      for (const { node, previousRect: before, currentRect: now } of entry.sources) {
        const by = Math.round(now.y - before.y)
        // Columns find their width with their rows, and what leaves the window has no place.
        if (by !== 0 && now.height > 0) moves.push(`${(node as Element).className} by ${by}`)
      }
    }
  }).observe({ type: 'layout-shift', buffered: true })
  type Source = { node: Node; previousRect: DOMRect; currentRect: DOMRect }
}

describe.skipIf(!hasBrowser)('still pages', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
    // The last of the users, whose address fits in one line of a phone in any font.
    await company.person('viewer', 'z@a.test')
  })

  /** Everything but the session itself is answered only after the page has been drawn without it. */
  async function openLate(page: Page, path: string, sign: string | RegExp): Promise<string[]> {
    const gate = Promise.withResolvers<void>()
    const isAsked = (url: URL) => /^\/(?:v1|admin|session)\//.test(url.pathname)
    await page.route(isAsked, async route => {
      await gate.promise
      await route.fallback()
    })
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await draw(page)
    gate.resolve()
    await page.getByText(sign).first().waitFor()
    await page.waitForFunction(() => !document.querySelector('.mantine-Skeleton-root'))
    await draw(page)
    await page.unroute(isAsked)
    return page.evaluate(() => (window as unknown as { moves: string[] }).moves)
  }

  test.each([
    ['/users', 'tbody tr', 390],
    ['/users', 'tbody tr', 1440],
    ['/', '.feed-row', 390],
    ['/', '.feed-row', 1440],
  ])(
    'on %s what is waited for is as tall as what comes: %s, %i px wide',
    async (path, row, width) => {
      const page = await company.enter('owner', '/rules', { width, height: 844 })
      const gate = Promise.withResolvers<void>()
      const isAsked = (url: URL) => /^\/(?:v1|admin)\//.test(url.pathname)
      await page.route(isAsked, async route => {
        await gate.promise
        await route.fallback()
      })
      await page.goto(path)
      const last = page.locator(row).last()
      await last.locator('.mantine-Skeleton-root').first().waitFor()
      const before = await last.boundingBox()
      gate.resolve()
      await page.waitForFunction(() => !document.querySelector('.mantine-Skeleton-root'))
      const after = await last.boundingBox()
      expect(Math.abs(after!.height - before!.height)).toBeLessThan(1)
    },
  )

  test.each([390, 768, 1440])('nothing moves up or down, %i px wide', async width => {
    const page = await company.enter('owner', '/users', { width, height: 844 })
    await page.addInitScript(watchMoves)
    for (const [path, sign] of READ) {
      expect(await openLate(page, path, sign), path).toEqual([])
    }
  })
})
