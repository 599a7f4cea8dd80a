// Journeys where answers get lost on their way: said in words, nothing made twice, and read again by itself.
import { generateSync } from 'otplib'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, hasBrowser, navigate } from '../support/browser.ts'
import { type Company, findPerson, seedCompany } from '../support/company.ts'
import { cutAnswer, loseAnswer, once } from '../support/network.ts'

const UNKNOWN = 'it may be done or not'

describe.skipIf(!hasBrowser)('lost answers', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  test('an answer that is cut short, or not the service’s, is said in words', async () => {
    const page = await company.enter('viewer', null)
    await page.route(/\/v1\/employees/, cutAnswer)
    await page.route(/\/admin\/settings/, route =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Welcome to this network</h1>' }),
    )
    for (const path of ['/employees', '/settings']) {
      await page.goto(path)
      const note = page.getByRole('main').getByRole('alert').first()
      await note.getByText('The answer of the server did not arrive whole.').waitFor()
      await expectNoErrors(page)
    }
  })

  test('an adjustment and a policy whose answers were lost are made once', async () => {
    const { id, score } = await findPerson(company, 'ben@acme.test')
    const page = await company.enter('admin', `/employees/${id}`)
    await page.getByRole('button', { name: 'Adjust score' }).click()
    await page.getByRole('textbox', { name: 'Change' }).fill('-10')
    await page.getByLabel('Reason').fill('Badge lent to a colleague')
    await once(page, 'POST', /\/adjustments$/, loseAnswer)
    const adjust = page.getByRole('button', { name: 'Adjust', exact: true })
    await adjust.click()
    await page.getByRole('alert').getByText(UNKNOWN).waitFor()
    await adjust.click()
    await page.getByText(`→ ${score - 10} (`).waitFor()
    expect((await findPerson(company, 'ben@acme.test')).score).toBe(score - 10)

    await navigate(page, '/actions?tab=policies')
    await page.getByRole('button', { name: 'New policy' }).click()
    const dialog = page.getByRole('dialog', { name: 'New policy' })
    await dialog.getByLabel('Name').fill('Tell the manager')
    await once(page, 'POST', /\/admin\/action-policies$/, loseAnswer)
    const create = dialog.getByRole('button', { name: 'Create and switch on' })
    await create.click()
    await dialog.getByRole('alert').getByText(UNKNOWN).waitFor()
    await create.click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByLabel('Tell the manager, switched on').waitFor()
    expect(await page.getByLabel('Tell the manager, switched on').count()).toBe(1)
  })

  test('a key whose answer was lost stands in the list, and asked for again it is shown, not made twice', async () => {
    const page = await company.enter('admin', '/keys')
    await page.getByRole('button', { name: 'New API key' }).first().click()
    await page.getByLabel('Name').fill('Lost on the way')
    await page.getByLabel('Read the score views').check()
    await once(page, 'POST', /\/admin\/keys$/, loseAnswer)
    const create = page.getByRole('button', { name: 'Create the key' })
    await create.click()
    const dialog = page.getByRole('dialog', { name: 'New API key' })
    await dialog.getByRole('alert').getByText(UNKNOWN).waitFor()
    const listed = page.getByText('Lost on the way', { exact: true })
    await listed.waitFor({ state: 'attached' })
    await create.click()
    await page.getByTestId('secret').waitFor()
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke Lost on the way' }).waitFor()
    expect(await listed.count()).toBe(1)
  })

  test('a second factor whose answer was lost is shown as on, with the way to new codes', async () => {
    const page = await company.enter('analyst', '/profile')
    await page.getByRole('button', { name: 'Set it up' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up the second factor' })
    await page.getByRole('button', { name: 'Copy secret' }).click()
    const secret = await page.evaluate(() => navigator.clipboard.readText())
    await dialog.getByLabel(/six digits/).fill(generateSync({ secret }))
    await once(page, 'POST', /\/totp\/confirm$/, loseAnswer)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText(UNKNOWN).waitFor()
    await page.getByRole('button', { name: 'New recovery codes', includeHidden: true }).waitFor()
  })

  test('what was deleted although the answer was lost is deleted: asked again, nothing is missing', async () => {
    const hook = {
      url: 'https://hooks.example.com/in',
      description: 'Pager',
      events: ['score.updated'],
    }
    const { id } = (await company.api('POST', '/v1/webhooks', hook)).body
    const page = await company.enter('admin', `/webhooks/${id}`)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete it' }).click()
    await page.getByLabel(/to confirm/).fill('Pager')
    await once(page, 'DELETE', /\/v1\/webhooks\//, loseAnswer)
    const remove = page.getByRole('button', { name: 'Delete the webhook' })
    await remove.click()
    const note = page
      .getByRole('dialog')
      .getByRole('alert', { name: 'It is not known whether this worked' })
    await note.getByText(UNKNOWN).waitFor()
    await remove.click()
    await page.getByText('The webhook Pager is deleted').waitFor()
    await page.waitForURL('/webhooks')

    await navigate(page, '/actions?tab=policies')
    const name = 'Tell the manager when someone enters red'
    await page.getByRole('button', { name: `More about ${name}` }).click()
    await page.getByRole('menuitem', { name: 'Remove it' }).click()
    await page.getByLabel(/to confirm/).fill(name)
    await once(page, 'DELETE', /\/admin\/action-policies\//, loseAnswer)
    const drop = page.getByRole('button', { name: 'Remove the policy' })
    await drop.click()
    await page.getByRole('dialog').getByText(UNKNOWN).waitFor()
    await page.getByLabel(`${name}, switched on`).waitFor({ state: 'detached' })
    await drop.click()
    await page.getByText(`The policy “${name}” is removed`).waitFor()
  })

  test('people whose answer was lost are not called refused, an import that waits stops at once and goes on', async () => {
    const page = await company.enterApart('admin', '/employees/import')
    const people = ['ida@acme.test,Ida,Moe', 'jon@acme.test,Jon,Lund', 'kai@acme.test,Kai,Berg']
    const csv = ['email,first_name,last_name', ...people, ''].join('\n')
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }
    await page.locator('input[type=file]').setInputFiles(file)
    const busy = { code: 'UNAVAILABLE', message: 'the service is busy', request_id: 'req_1' }
    const batch = /\/v1\/employees\/batch$/
    let asked = 0
    await page.route(batch, async route => {
      // Whether the first time counted, a refusal of the second does not say.
      if (asked > 0) await route.fulfill({ status: 503, json: { error: busy } })
      else await loseAnswer(route)
      asked += 1
    })
    // Whoever waits to ask again waits for ever.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.getByRole('button', { name: 'Import 3 people' }).click()
    await expect.poll(() => asked).toBe(1)
    await expect.poll(() => page.clock.runFor(1_000).then(() => asked)).toBe(2)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('0 people created, 0 refused, of 3').waitFor()
    await page.getByText('Whether lines 2 to 4 came in is not known').waitFor()
    await page.unroute(batch)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('3 people created, 0 refused, of 3').waitFor()
  })

  test('a dialog that goes with what it was about leaves its words behind', async () => {
    const gone = { email: 'gus@acme.test', first_name: 'Gus', last_name: 'Hall' }
    const { id } = (await company.api('POST', '/v1/employees', gone)).body
    const page = await company.enter('owner', `/employees/${id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Erase' }).click()
    await page.getByLabel(/to confirm/).fill('Gus Hall')
    await once(page, 'POST', /\/erase$/, loseAnswer)
    await page.getByRole('button', { name: 'Erase for good' }).click()
    await page
      .getByRole('heading', { name: 'Gus Hall', exact: true })
      .waitFor({ state: 'detached' })
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('[data-toast]').getByText(UNKNOWN).waitFor()
  })

  test('what could not be read is asked for again by itself, although the live line never broke', async () => {
    const page = await company.enterApart('viewer', null)
    await page.clock.install()
    const error = { code: 'UNAVAILABLE', message: 'the service is busy', request_id: 'req_busy' }
    await page.route(/\/v1\/rules/, route => route.fulfill({ status: 503, json: { error } }))
    await page.goto('/rules')
    const note = page.getByRole('main').getByRole('alert')
    await expect
      .poll(async () => {
        await page.clock.fastForward(5_000)
        return note.count()
      })
      .toBe(1)
    await page.unroute(/\/v1\/rules/)
    await page.clock.fastForward(31_000)
    await page.getByText(/\d+ rules, \d+ active/).waitFor()
    await note.waitFor({ state: 'detached' })
  })
})
