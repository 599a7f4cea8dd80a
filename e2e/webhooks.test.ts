// Journeys about webhooks: made with a secret, tried, refused and sent again, rotated, recovered, deleted.
import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectGoodPage, type House, hasBrowser, openHouse } from './house.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { sendEvent, tellStory } from './story.ts'

/** After it an open list of deliveries looks again. */
const LOOK_MS = 15_000

async function takeSecret(page: Page): Promise<string> {
  const secret = (await page.getByTestId('secret').textContent())!
  await page.getByLabel('I have stored it').check()
  await page.getByRole('button', { name: 'Done' }).click()
  return secret
}

describe.skipIf(!hasBrowser)('webhooks', () => {
  let house: House
  let receiver: Receiver
  beforeAll(async () => {
    house = await openHouse()
    receiver = await startReceiver()
    await tellStory(house)
  })

  /** Where the page of a new one is. */
  async function makeWebhook(description: string): Promise<string> {
    const url = `${receiver.url}/${encodeURIComponent(description)}`
    const wanted = { url, description, events: ['event.ingested'] }
    const { body } = await house.api('POST', '/v1/webhooks', wanted)
    return `/webhooks/${body.id}`
  }

  /** Of this one alone: another may try again meanwhile what was refused before. */
  const gotFor = (description: string) =>
    receiver.got.filter(({ path }) => path === `/hook/${description}`)

  test('a webhook is made, its secret shown once, and signs what arrives', async () => {
    const page = await house.enter('admin', '/webhooks')
    await page.getByText('Nobody is told yet').waitFor()
    await expectGoodPage(page)
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByLabel('Destination').fill(`${receiver.url}/Incidents`)
    await page.getByLabel('What it is for').fill('Incidents')
    await page.getByLabel(/An event came in/).check()
    await page.getByRole('button', { name: 'Create the webhook' }).click()
    const secret = await takeSecret(page)
    expect(secret).toMatch(/^whsec_/)
    await page.getByRole('heading', { name: 'Incidents' }).waitFor()
    await expect.poll(() => page.getByText(secret).count()).toBe(0)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('A test message is on its way').waitFor()
    await page.getByText('Delivered').first().waitFor()
    const { headers, body } = gotFor('Incidents').at(-1)!
    const hmac = createHmac('sha256', secret).update(body).digest('hex')
    expect(headers['x-service-signature']).toBe(`sha256=${hmac}`)
    await expectGoodPage(page)
    await page.context().close()
  })

  test('deliveries stand where they stay while the webhook itself is read', async () => {
    const open = await makeWebhook('Slow')
    const page = await house.enter('admin', null)
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
    await page.context().close()
  })

  test('a refused delivery shows request and answer, and is sent again', async () => {
    const open = await makeWebhook('Refused')
    receiver.answer(503)
    await sendEvent(house, 'ada@acme.test', 'training.completed')
    const page = await house.enter('admin', open)
    await page.getByText('Retrying').first().waitFor()
    await page.getByRole('cell', { name: 'answered 503', exact: true }).first().waitFor()
    await page.getByText(/deliveries have not arrived so far and are tried again/).waitFor()
    await page.goto('/webhooks')
    const row = page.getByRole('row', { name: /^Refused/ })
    await row.getByText('Retrying (1)').waitFor()
    await page.getByText(/subscriptions?, \d retrying/).waitFor()
    await row.getByRole('link', { name: 'Refused' }).click()
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Retrying' }).click()
    await page.waitForURL(/status=retrying/)
    await page.getByRole('link', { name: 'event.ingested' }).first().click()
    // Whoever takes more than a minute to come here finds a second attempt.
    await page.getByText('Answered 503').first().waitFor()
    await page.getByText('not today').first().waitFor()
    await page.getByText('"training.completed"').waitFor()
    await page.getByText(/in all$/).waitFor()
    await expectGoodPage(page)
    receiver.answer(200)
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await page.getByText(/^Attempt \d: 200/).waitFor()
    await page.getByText('thank you').waitFor()
    await page.context().close()
  })

  test('the secret is rotated without a gap and activated by hand', async () => {
    const page = await house.enter('admin', await makeWebhook('Rotated'))
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
    await page.context().close()
  })

  test('what was skipped while disabled is recovered, with its progress in the address', async () => {
    const path = await makeWebhook('Disabled')
    const page = await house.enter('admin', null)
    await page.clock.install()
    await page.goto(path)
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('by hand').waitFor()
    await sendEvent(house, 'ben@acme.test', 'custom.nothing')
    const read = async () => (await house.api('GET', `/v1${path}/deliveries`)).body.data[0]?.status
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
    await expectGoodPage(page)
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
    await page.context().close()
  })

  test('a webhook that its receiver ends is seen to be disabled where its page or the list is open', async () => {
    const path = await makeWebhook('Ended')
    const page = await house.enter('admin', path)
    const list = await house.enter('admin', '/webhooks')
    await page.getByRole('button', { name: 'Send a test' }).waitFor()
    const row = list.getByRole('row', { name: /Ended/ })
    await row.getByText('Enabled').waitFor()
    receiver.answer(410)
    await house.api('POST', `/v1${path}/test`)
    await page.getByText('the receiver answered 410 (gone)').waitFor()
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    await row.getByText('Disabled').waitFor()
    receiver.answer(200)
    await list.close()
    await page.context().close()
  })

  test('a viewer reads; deleting asks for the name', async () => {
    await makeWebhook('Old one')
    const viewer = await house.enter('viewer', '/webhooks')
    await viewer.getByRole('link', { name: 'Old one' }).click()
    await viewer.getByRole('heading', { name: 'Old one' }).waitFor()
    expect(await viewer.getByRole('button', { name: 'Send a test' }).count()).toBe(0)
    await viewer.context().close()
    const page = await house.enter('admin', '/webhooks')
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
    await page.context().close()
  })
})
