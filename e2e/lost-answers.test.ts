// Journeys where answers get lost on their way: said in words, and what is shown is looked up again.
import { generateSync } from 'otplib'
import type { Page, Route } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { expectGoodPage, type House, hasBrowser, openHouse } from './house.ts'
import { tellStory } from './story.ts'

/** The next call of this kind is dealt with so; those after it pass. */
async function once(page: Page, method: string, path: RegExp, deal: (route: Route) => unknown) {
  let done = false
  await page.route(path, async route => {
    if (done || route.request().method() !== method) return route.fallback()
    done = true
    await deal(route)
  })
}

/** The server does what it is asked, and nobody hears of it. */
async function loseAnswer(route: Route): Promise<void> {
  await route.fetch()
  await route.abort('connectionreset')
}

async function cutAnswer(route: Route): Promise<void> {
  const response = await route.fetch()
  const body = await response.text()
  await route.fulfill({ response, body: body.slice(0, body.length / 2) })
}

const UNKNOWN = 'it may be done or not'

describe.skipIf(!hasBrowser)('lost answers', () => {
  let house: House
  beforeAll(async () => {
    house = await openHouse()
    await tellStory(house)
  })

  test('an answer that is cut short, or not the service’s, is said in words', async () => {
    const page = await house.enter('viewer', '/profile')
    await page.getByRole('heading', { name: 'Password' }).waitFor()
    await page.route(/\/v1\/employees/, cutAnswer)
    await page.route(/\/admin\/settings/, route =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Welcome to this network</h1>' }),
    )
    for (const path of ['/employees', '/settings']) {
      await page.goto(path)
      const note = page.getByRole('main').getByRole('alert').first()
      await note.getByText('The answer of the server did not arrive whole.').waitFor()
      await expectGoodPage(page)
    }
    await page.context().close()
  })

  test('a key whose answer was lost stands in the list, to be revoked', async () => {
    const page = await house.enter('admin', '/keys')
    await page.getByRole('button', { name: 'New API key' }).first().click()
    await page.getByLabel('Name').fill('Lost on the way')
    await page.getByLabel('Read the score views').check()
    await once(page, 'POST', /\/admin\/keys$/, loseAnswer)
    await page.getByRole('button', { name: 'Create the key' }).click()
    const dialog = page.getByRole('dialog', { name: 'New API key' })
    await dialog.getByRole('alert').getByText(UNKNOWN).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Revoke Lost on the way' }).waitFor()
    await page.context().close()
  })

  test('a second factor whose answer was lost is shown as on, with the way to new codes', async () => {
    const page = await house.enter('analyst', '/profile')
    await page.getByRole('button', { name: 'Set it up' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up the second factor' })
    await page.getByRole('button', { name: 'Copy secret' }).click()
    const secret = await page.evaluate(() => navigator.clipboard.readText())
    await dialog.getByLabel(/six digits/).fill(generateSync({ secret }))
    await once(page, 'POST', /\/totp\/confirm$/, loseAnswer)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText(UNKNOWN).waitFor()
    await page.getByRole('button', { name: 'New recovery codes', includeHidden: true }).waitFor()
    await page.context().close()
  })
})
