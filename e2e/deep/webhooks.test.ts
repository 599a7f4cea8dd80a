// Journeys about webhooks: rotated, recovered, ended by the receiver, deleted.
import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, hasBrowser } from '../support/browser.ts'
import { type Company, seedCompany, sendEvent } from '../support/company.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

/** After it an open list of deliveries looks again. */
const LOOK_MS = 15_000

async function takeSecret(page: Page): Promise<string> {
  const secret = (await page.getByTestId('secret').textContent())!
  await page.getByLabel('I have stored it').check()
  await page.getByRole('button', { name: 'Done' }).click()
  return secret
}

describe.skipIf(!hasBrowser)('webhooks', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
    receiver = await startReceiver()
  })

  let receiver: Receiver

  /** Where the page of a new one is. */
  async function makeWebhook(description: string): Promise<string> {
    const url = `${receiver.url}/${encodeURIComponent(description)}`
    const wanted = { url, description, events: ['event.ingested'] }
    const { body } = await company.api('POST', '/v1/webhooks', wanted)
    return `/webhooks/${body.id}`
  }

  /** Of this one alone: another may try again meanwhile what was refused before. */
  const gotFor = (description: string) =>
    receiver.got.filter(({ path }) => path === `/hook/${description}`)

  test('deliveries stand where they stay while the webhook itself is read', async () => {
    const open = await makeWebhook('Slow')
    const page = await company.enter('admin', null)
    let letGo = () => {}
    const held = new Promise<void>(resolve => {
      letGo = resolve
    })
    await page.route(new RegExp(`/v1${open}$`), async route => {
      await held
      await route.continue()
    })
    await page.goto(open)
    const deliveries = page.getByRole('heading', { name: 'Deliveries' })
    await deliveries.waitFor()
    const before = (await deliveries.boundingBox())!.y
    letGo()
    await page.getByRole('heading', { name: 'Slow' }).waitFor()
    expect(Math.abs((await deliveries.boundingBox())!.y - before)).toBeLessThan(4)
  })

  test('the secret is rotated without a gap and activated by hand', async () => {
    const page = await company.enter('admin', await makeWebhook('Rotated'))
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click()
    await page.getByText('Both are valid for 24 hours').waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    // A second Enter would make nothing.
    await expect.poll(focused).toBe('Cancel')
    await page.getByRole('button', { name: 'Make a new secret' }).click()
    const secret = await takeSecret(page)
    await page.getByText('Two secrets are valid').waitFor()
    await page.getByRole('button', { name: 'Activate the new secret' }).click()
    await page.getByText('The new secret is active').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expect.poll(() => gotFor('Rotated').length).toBeGreaterThan(0)
    const { headers, body } = gotFor('Rotated').at(-1)!
    const hmac = createHmac('sha256', secret).update(body).digest('hex')
    expect(headers['x-service-signature']).toBe(`sha256=${hmac}`)
  })

  test('what was skipped while disabled is recovered, with its progress in the address', async () => {
    const path = await makeWebhook('Disabled')
    const page = await company.enterApart('admin', null)
    await page.clock.install()
    await page.goto(path)
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('by hand').waitFor()
    await sendEvent(company, 'ben@acme.test', 'custom.nothing')
    const read = async () =>
      (await company.api('GET', `/v1${path}/deliveries`)).body.data[0]?.status
    await expect.poll(read).toBe('skipped')
    await page.clock.fastForward(LOOK_MS)
    const skipped = page.getByRole('row', { name: /Skipped/ }).first()
    await skipped.waitFor()
    await page.getByText('until it is enabled').waitFor()
    await skipped.click()
    await page.getByText('The webhook is disabled; enable it to redeliver').waitFor()
    expect(await page.getByRole('button', { name: 'Redeliver' }).count()).toBe(0)
    await page.getByRole('link', { name: '← Webhook', exact: true }).click()
    await page.getByRole('heading', { name: 'Disabled' }).waitFor()
    expect(await page.getByRole('button', { name: 'Send a test' }).count()).toBe(0)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Recover what was missed' }).click()
    await page.getByText('The webhook is disabled: enable it first').waitFor()
    expect(await page.getByRole('button', { name: 'Send again' }).isDisabled()).toBe(true)
    await expectNoErrors(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Disable' }).waitFor()
    const before = gotFor('Disabled').length
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Recover what was missed' }).click()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.waitForURL(/recovery=rcv_/)
    await page.getByText('Everything missed is queued again').waitFor()
    await expect.poll(() => gotFor('Disabled').length).toBeGreaterThan(before)
  })

  test('a webhook that its receiver ends is seen to be disabled where its page or the list is open', async () => {
    const path = await makeWebhook('Ended')
    const page = await company.enter('admin', path)
    const list = await company.enter('admin', '/webhooks')
    await page.getByRole('button', { name: 'Send a test' }).waitFor()
    const row = list.getByRole('row', { name: /Ended/ })
    await row.getByText('Enabled').waitFor()
    receiver.answer(410)
    await company.api('POST', `/v1${path}/test`)
    await page.getByText('the receiver answered 410 (gone)').waitFor()
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    await row.getByText('Disabled').waitFor()
    receiver.answer(200)
  })

  test('a viewer reads; deleting asks for the name', async () => {
    await makeWebhook('Old one')
    const viewer = await company.enter('viewer', '/webhooks')
    await viewer.getByRole('link', { name: 'Old one' }).click()
    await viewer.getByRole('heading', { name: 'Old one' }).waitFor()
    expect(await viewer.getByRole('button', { name: 'Send a test' }).count()).toBe(0)
    const page = await company.enter('admin', '/webhooks')
    await page.getByRole('link', { name: 'Old one' }).click()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete it' }).click()
    const confirm = page.getByRole('button', { name: 'Delete the webhook' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel(/to confirm/).fill('Old one')
    // The list is not answered yet: what it held before is not shown meanwhile.
    const answer = Promise.withResolvers<void>()
    const isList = (url: URL) => url.pathname === '/v1/webhooks'
    await page.route(isList, route => answer.promise.then(() => route.continue()))
    await confirm.click()
    await page.getByText('Old one is deleted').waitFor()
    await page.waitForURL('/webhooks')
    expect(await page.getByRole('link', { name: 'Old one' }).count()).toBe(0)
    answer.resolve()
    await page.getByRole('link', { name: 'Disabled' }).waitFor()
    expect(await page.getByRole('link', { name: 'Old one' }).count()).toBe(0)
  })
})
