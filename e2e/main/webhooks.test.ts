// Journeys about webhooks: made with a secret, tried, refused and sent again.
import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, hasBrowser, navigate } from '../support/browser.ts'
import { type Company, seedCompany, sendEvent } from '../support/company.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

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

  test('a webhook is made, its secret shown once, and signs what arrives', async () => {
    const page = await company.enter('admin', '/webhooks')
    await page.getByText('Nobody is told yet').waitFor()
    await expectNoErrors(page)
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
    await expectNoErrors(page)
  })

  test('a refused delivery shows request and answer, and is sent again', async () => {
    const open = await makeWebhook('Refused')
    receiver.answer(503)
    await sendEvent(company, 'ada@acme.test', 'training.completed')
    const page = await company.enter('admin', open)
    await page.getByText('Retrying').first().waitFor()
    await page.getByRole('cell', { name: 'answered 503', exact: true }).first().waitFor()
    await page.getByText(/deliveries have not arrived so far and are tried again/).waitFor()
    await navigate(page, '/webhooks')
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
    await expectNoErrors(page)
    receiver.answer(200)
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await page.getByText(/^Attempt \d: 200/).waitFor()
    await page.getByText('thank you').waitFor()
  })
})
