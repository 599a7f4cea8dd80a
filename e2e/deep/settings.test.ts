// Journeys through the settings: bands dragged, retention and second factor asked for by name, left half changed.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, hasBrowser } from '../support/browser.ts'
import { expireReauthentication } from '../support/clock.ts'
import { type Company, findPerson, PASSWORD, seedCompany } from '../support/company.ts'
import { delayResponse } from '../support/network.ts'

describe.skipIf(!hasBrowser)('settings', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  test('a band edge is dragged along the scale, stays between its neighbours, and is saved', async () => {
    const page = await company.enter('admin', '/settings')
    const handle = page.getByRole('slider', { name: 'Yellow begins at' })
    await handle.hover()
    await page.mouse.down()
    const track = (await page.locator('.band-track').boundingBox())!
    const y = track.y + track.height / 2
    await page.mouse.move(track.x + track.width * 0.99, y, { steps: 4 })
    await expect.poll(() => handle.getAttribute('aria-valuenow')).toBe('79')
    await page.mouse.move(track.x + track.width * 0.76, y, { steps: 4 })
    await page.mouse.up()
    await expect.poll(() => page.getByLabel('▲ Yellow from').inputValue()).toBe('76')
    await page.getByRole('button', { name: 'Save the bands' }).click()
    await page.getByText('The bands are changed').waitFor()
    const read = async () => (await findPerson(company, 'ben@acme.test')).band
    await expect.poll(read).toBe('orange')
  })

  test('an edge that another admin has moved meanwhile stays where they put it', async () => {
    const [page, other] = [
      await company.enter('admin', '/settings'),
      await company.enter('owner', '/settings'),
    ]
    const [green, red] = [page.getByLabel('● Green from'), page.getByLabel('■ Red from')]
    await red.fill('22')
    const looks = await delayResponse(page, 'GET', /\/admin\/settings$/)
    await other.getByLabel('● Green from').fill('83')
    await other.getByRole('button', { name: 'Save the bands' }).click()
    await other.getByText('The bands are changed').waitFor()
    expect(await green.inputValue(), 'not heard of yet').toBe('80')
    const saved = page.waitForResponse(answer => answer.request().method() === 'PATCH')
    await page.getByRole('button', { name: 'Save the bands' }).click()
    await saved
    looks.release()
    await page.getByText('The bands are changed').waitFor()
    expect(await green.inputValue()).toBe('83')
    expect(await red.inputValue()).toBe('22')
  })

  test('settings that could not be read are read again, and those that another admin changes too', async () => {
    const page = await company.enterApart('viewer', null)
    await page.clock.install()
    const error = { code: 'UNAVAILABLE', message: 'the service is busy', request_id: 'req_busy' }
    const path = /\/admin\/settings$/
    await page.route(path, route => route.fulfill({ status: 503, json: { error } }))
    await page.goto('/settings')
    const note = page.getByRole('main').getByRole('alert')
    const lookOn = () => page.clock.fastForward(5_000).then(() => note.count())
    await expect.poll(lookOn).toBe(1)
    await page.unroute(path)
    await page.clock.fastForward(31_000)
    const orange = page.getByLabel('◆ Orange from')
    await expect.poll(() => orange.inputValue()).toBe('40')
    const other = await company.enter('admin', '/settings')
    await other.getByLabel('◆ Orange from').fill('41')
    await other.getByRole('button', { name: 'Save the bands' }).click()
    await other.getByText('The bands are changed').waitFor()
    await page.clock.fastForward(61_000)
    await expect.poll(() => orange.inputValue()).toBe('41')
  })

  test('settings that are half changed are not left without being asked, once', async () => {
    const page = await company.enter('owner', '/rules')
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByLabel('▲ Yellow from').fill('61')
    await page.getByLabel('Half-life').fill('91')
    await page.getByLabel('Events are kept').fill('14')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.evaluate(() => history.back())
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Half-life').inputValue()).toBe('91 days')
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await question.getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByLabel('Half-life').fill('91')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  })

  test('whoever leaves while settings are being saved is not asked', async () => {
    const page = await company.enter('owner', '/rules')
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    const held = await delayResponse(page, 'PATCH', /\/admin\/settings$/)
    await page.getByLabel('Half-life').fill('92')
    await page.getByRole('button', { name: 'Save the scoring' }).click()
    await page.getByRole('button', { name: 'Change and recalculate' }).click()
    await expect.poll(() => held.asked.length).toBe(1)
    await page.evaluate(() => history.back())
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor()
    held.release()
    await page.getByText('The settings are changed').waitFor()
  })

  test('shorter retention asks for the name, and a while after login for the password too', async () => {
    const { email, user_id } = await company.person('owner')
    const page = await company.enterAs(email, '/settings')
    await page.getByLabel('Events are kept').fill('9')
    await expireReauthentication(company, user_id)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const remove = page.getByRole('button', { name: 'Remove older events' })
    expect(await remove.isDisabled()).toBe(true)
    await page.getByLabel(/to confirm/).fill('Acme')
    await remove.click()
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await proof.waitFor()
    await page.keyboard.press('Escape')
    await proof.waitFor({ state: 'detached' })
    await page.getByText('This did not work').waitFor()
    expect(await page.getByLabel(/to confirm/).inputValue()).toBe('Acme')
    await remove.click()
    await proof.getByRole('textbox', { name: 'Password' }).fill('not this one, surely')
    await proof.getByRole('button', { name: 'Confirm' }).click()
    await proof.getByRole('alert').waitFor()
    await expectNoErrors(page)
    await proof.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await proof.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Events are kept 9 months from now on').waitFor()
    await page.getByText('events are kept 9 months').first().waitFor()
  })

  test('a second factor is required by name, and holds up who has none', async () => {
    const { email } = await company.person('owner')
    const page = await company.enterAs(email, '/settings')
    const need = page.getByLabel('Everyone needs a second factor')
    await need.click()
    await page.getByText('You are one of them.').waitFor()
    await expectNoErrors(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await need.isChecked()).toBe(false)
    await need.click()
    const require = page.getByRole('button', { name: 'Require it of everyone' })
    expect(await require.isDisabled()).toBe(true)
    await page.getByLabel(/to confirm/).fill('Acme')
    await require.click()
    await page.getByText('Acme requires a second factor').waitFor()
    await page.getByRole('link', { name: 'Set it up' }).click()
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
  })
})
