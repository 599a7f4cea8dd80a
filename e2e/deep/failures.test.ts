// Journeys where one answer is missing: what is not known is said, never made up, and can be asked for again.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, hasBrowser, navigate, takeFaults } from '../support/browser.ts'
import { type Company, findPerson, seedCompany, sendEvent } from '../support/company.ts'
import { FAULT, refuse } from '../support/network.ts'

describe.skipIf(!hasBrowser)('failures', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  test.for([
    ['/rules/nothing', 'Rule', '/rules'],
    ['/events/nothing', 'Event', '/events'],
    ['/employees/nothing', 'Employee', '/employees'],
    ['/webhooks/deliveries/nothing', 'Delivery', '/webhooks'],
  ])('%s, which is not there, has a name and a way back', async ([path, name, list]) => {
    const page = await company.enter('owner', path!)
    await page.getByRole('heading', { level: 1, name: name! }).waitFor()
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.title()).toBe(`${name} · Bellwether`)
    await expectNoErrors(page)
    await page.getByRole('main').getByRole('link', { name: '←' }).click()
    await page.waitForURL(list!)
  })

  test('who is not there is said to be so, and is not to be asked for again', async () => {
    const page = await company.enter('viewer', '/employees/emp_nobody')
    await page.getByRole('alert').getByText('This is not there').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })

  test('a job or a webhook that is gone is told of once, and not asked for again and again', async () => {
    const page = await company.enterApart('owner', null)
    await page.clock.install()
    const asked: string[] = []
    page.on('request', request => {
      if (request.url().endsWith('/nothing')) asked.push(request.url())
    })
    for (const [path, calls] of [
      ['/rules/recalculate?job=nothing', ['/v1/rules/recalculate/nothing']],
      ['/rules/recalculate?preview=nothing', ['/v1/rules/recalculate/nothing']],
      ['/webhooks/nothing', ['/webhooks/nothing', '/v1/webhooks/nothing']],
    ] as const) {
      asked.length = 0
      await page.goto(path)
      await page.getByRole('alert').getByText('This is not there').waitFor()
      await page.clock.runFor(40_000)
      expect(asked.map(url => new URL(url).pathname)).toEqual(calls)
    }
  })

  test('a later look at a list fails: what was read stays, below what went wrong', async () => {
    const page = await company.enterApart('analyst', '/users')
    await page.clock.install()
    await page.goto('/events')
    const table = page.getByRole('table', { name: 'Events' })
    await table.getByText('endpoint.malware_detected').waitFor()
    const mend = await refuse(page, '/v1/events')
    await sendEvent(company, 'ben@acme.test', 'custom.later')
    await page.getByText(FAULT, { exact: false }).waitFor()
    await expectNoErrors(page)
    // The span begins a minute later by then.
    const again = page.waitForResponse(answer => new URL(answer.url()).pathname === '/v1/events')
    await page.clock.fastForward(61_000)
    await again
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => resolve(0))))
    expect(await table.getByText('endpoint.malware_detected').count()).toBe(1)
    // Taken hold of before: a look of the page itself may come between, and the button is gone then.
    const button = await page.getByRole('button', { name: 'Try again' }).elementHandle()
    await mend()
    await button!.evaluate((one: HTMLElement) => one.click())
    await table.getByText('custom.later').waitFor()
  })

  test('the code of a page cannot be loaded: it is said in words, and another try shows it', async () => {
    const { email } = await company.person('viewer')
    const page = await company.enterAs(email, '/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.route(/assets\/rules-page/, route => route.abort())
    await page.getByRole('navigation').getByRole('link', { name: 'Rules' }).click()
    const note = page.getByRole('alert', { name: 'This page could not be shown' })
    await note.getByText('The page could not be loaded from the server.').waitFor()
    await page.unroute(/assets\/rules-page/)
    await note.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Rules' }).waitFor()
    takeFaults(page, /dynamically imported module/)
  })

  test('who goes to another page while the service is away stays in the dashboard, and comes there later', async () => {
    const { email } = await company.person('viewer')
    const page = await company.enterAs(email, '/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click()
    const note = page.getByRole('alert', { name: 'This page could not be shown' })
    await note.getByText('The server cannot be reached.').waitFor()
    await note.getByRole('button', { name: 'Try again' }).click()
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    takeFaults(page, /cannot be reached/)
  })

  test('a page gone to while the service begins anew comes by itself', async () => {
    const { email } = await company.person('viewer')
    const page = await company.enterAs(email, '/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.clock.install()
    await page.route('**', route => route.abort())
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click()
    const note = page.getByRole('alert', { name: 'This page could not be shown' })
    await note.getByText('The server cannot be reached.').waitFor()
    await page.unroute('**')
    await page.clock.fastForward(31_000)
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    takeFaults(page, /cannot be reached/)
  })

  test('a window that nobody is at says so with all it asks for, and who comes back is there at once', async () => {
    const page = await company.enterApart('viewer', null)
    await page.clock.install()
    await page.goto('/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    let asked: { path: string; unattended: boolean }[] = []
    page.on('request', request => {
      const { pathname: path } = new URL(request.url())
      const unattended = request.headers()['x-unattended'] !== undefined
      if (/^\/(?:v1|admin|session)\b/.test(path)) asked.push({ path, unattended })
    })
    await page.clock.runFor(60_000)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter(one => one.unattended)).toEqual([])
    await page.clock.runFor(61_000)
    asked = []
    await page.clock.runFor(120_000)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter(one => !one.unattended)).toEqual([])
    asked = []
    await page.mouse.move(300, 300)
    await expect.poll(() => asked).toContainEqual({ path: '/session', unattended: false })
  })

  test('who has a second factor is not known: nobody is told so, nothing can be confirmed', async () => {
    const page = await company.enter('owner', null)
    const mendUsers = await refuse(page, '/admin/users')
    const mendPolicy = await refuse(page, '/admin/policy')
    await page.goto('/settings')
    await page.getByText(FAULT, { exact: false }).waitFor()
    const need = page.getByLabel('Everyone needs a second factor')
    expect(await need.count()).toBe(0)
    await mendPolicy()
    await page.getByRole('button', { name: 'Try again' }).click()
    await need.click()
    const dialog = page.getByRole('dialog', { name: 'Require a second factor?' })
    await dialog.getByRole('alert').waitFor()
    await expectNoErrors(page)
    expect(await dialog.getByText('has one already').count()).toBe(0)
    expect(await dialog.getByLabel(/to confirm/).count()).toBe(0)
    await mendUsers()
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByText('You are one of them.').waitFor()
    await dialog.getByLabel(/to confirm/).waitFor()
  })

  test('a viewer is not told that a second factor is optional while that is not known', async () => {
    const page = await company.enter('viewer', null)
    await refuse(page, '/admin/policy')
    await page.goto('/settings')
    await page.getByText(FAULT, { exact: false }).waitFor()
    expect(await page.getByText('Optional here').count()).toBe(0)
  })

  test('what became of an event cannot be read: nothing goes on loading', async () => {
    const { id } = (await company.api('GET', '/v1/events?per_page=1')).body.data[0]
    const page = await company.enter('admin', null)
    await refuse(page, `/admin/events/${id}/story`)
    await page.goto(`/events/${id}`)
    await page.getByText('Could not be read.').waitFor()
    await expect.poll(() => page.locator('.mantine-Skeleton-root').count()).toBe(0)
    await navigate(page, '/nothing')
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
    await expect.poll(() => page.title()).toBe('Not found · Bellwether')
  })

  test('a later look at a job fails: how far it was stays, below what went wrong', async () => {
    const page = await company.enter('owner', null)
    const { job_id } = (await company.api('POST', '/v1/rules/recalculate', { scope: 'all' })).body
    const path = `/v1/rules/recalculate/${job_id}`
    const { body: job } = await company.api('GET', path)
    const running = { ...job, status: 'running', employees_total: 6, employees_processed: 2 }
    const fits = (url: URL) => url.pathname === path
    await page.route(fits, route => route.fulfill({ json: running }))
    await page.goto(`/rules/recalculate?job=${job_id}`)
    await page.getByText('2 of 6 people').waitFor()
    // Refused before it is let through: a look in between would find that the job has ended, and be the last.
    const mend = await refuse(page, path)
    await page.unroute(fits)
    await page.getByText(FAULT).waitFor()
    expect(await page.getByText('2 of 6 people').count()).toBe(1)
    await mend()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('6 of 6 people').waitFor()
  })

  test('what is searched for cannot be read: it is not said that there is nothing', async () => {
    const page = await company.enter('viewer', '/events')
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
    const mend = await refuse(page, '/v1/employees')
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Search' })
    await dialog.getByRole('combobox', { name: 'Search' }).fill('cleo')
    const note = dialog.getByRole('alert', { name: 'Not everything could be looked up' })
    await note.getByText(FAULT, { exact: false }).waitFor()
    expect(await dialog.getByText('Nothing found').count()).toBe(0)
    await expectNoErrors(page)
    await mend()
    await note.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByRole('option', { name: /Cleo Marsh/ }).waitFor()
    await note.waitFor({ state: 'detached' })
  })

  test('the use of the plan cannot be read: none is not the answer', async () => {
    const page = await company.enter('viewer', null)
    const mend = await refuse(page, '/admin/usage')
    await page.goto('/settings')
    await page.getByRole('main').getByRole('alert').getByText(FAULT, { exact: false }).waitFor()
    expect(await page.getByRole('progressbar').count()).toBe(0)
    await expectNoErrors(page)
    await mend()
    await page.getByRole('button', { name: 'Try again' }).click()
    const requests = page.getByRole('progressbar', { name: /^API requests: \d+ of [\d,]+ used/ })
    await requests.waitFor({ state: 'attached' })
  })

  test('a replay fails after the person is added: what was done is told, and why not the rest', async () => {
    for (const event_type of ['auth.mfa_disabled', 'sim.link_clicked']) {
      const event = { source: 'okta', event_type, employee: { email: 'nina@acme.test' } }
      expect((await company.api('POST', '/v1/events/webhook', event)).status).toBe(404)
    }
    const page = await company.enter('admin', '/events/unmatched')
    // The dialog is still fading away when the answer comes.
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.getByRole('button', { name: 'Add nina@acme.test as a person' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add a person' })
    await dialog.getByLabel('First name').fill('Nina')
    await dialog.getByLabel('Last name').fill('Holt')
    let replays = 0
    await page.route(/\/replay$/, route => {
      replays += 1
      if (replays === 1) return route.continue()
      const error = { code: 'UNAVAILABLE', message: FAULT, request_id: 'req_replay' }
      return route.fulfill({ status: 503, json: { error } })
    })
    await dialog.getByRole('button', { name: 'Add and replay' }).click()
    await page.getByText('Nina Holt is added, 1 of 2 events replayed: 45').waitFor()
    const told = page.locator('[data-toast]').filter({ hasText: FAULT })
    await told.getByText('req_replay').waitFor()
    await page.getByText('1 event for an address').waitFor()
  })

  test('a rule is tried and the scores of today cannot be read: they are not waited for', async () => {
    const { body } = await company.api('GET', '/v1/rules?per_page=100')
    const rule = body.data.find((one: any) => one.event_type === 'sim.link_clicked')
    const page = await company.enter('analyst', null)
    const mendBands = await refuse(page, '/v1/scores/summary')
    const mendScores = await refuse(page, '/v1/scores/distribution')
    await page.goto(`/rules/${rule.id}`)
    const trial = page.getByRole('region', { name: 'Try it' })
    await trial.getByRole('button', { name: 'Try it' }).click()
    await trial.getByText('times it fires').waitFor()
    const note = trial.getByRole('alert')
    await note.getByText(FAULT, { exact: false }).waitFor()
    expect(await trial.locator('.mantine-Skeleton-root').count()).toBe(0)
    await mendBands()
    await note.getByRole('button', { name: 'Try again' }).click()
    await trial.getByRole('rowheader', { name: 'Critical' }).waitFor()
    await note.getByText(FAULT, { exact: false }).waitFor()
    await mendScores()
    await note.getByRole('button', { name: 'Try again' }).click()
    await trial.getByText('Scores of everyone').waitFor()
    expect(await note.count()).toBe(0)
  })

  test('the policies cannot be read: none is called removed', async () => {
    const page = await company.enter('admin', '/actions?tab=policies')
    await page.getByLabel('Restrict access when someone enters critical, switched on').focus()
    await page.keyboard.press('Space')
    await page.getByText('is switched on').waitFor()
    await sendEvent(company, 'cleo@acme.test', 'endpoint.malware_detected')
    await sendEvent(company, 'cleo@acme.test', 'sim.credential_submitted')
    expect((await findPerson(company, 'cleo@acme.test')).band).toBe('critical')
    const mend = await refuse(page, '/admin/action-policies')
    await page.goto('/actions')
    await page.getByText('The policies could not be read').waitFor()
    const table = page.getByRole('table', { name: 'Actions' })
    await table.getByText('Set off by a policy').waitFor()
    expect(await page.getByText('A policy since removed').count()).toBe(0)
    await expect.poll(() => page.locator('.mantine-Skeleton-root').count()).toBe(0)
    await expectNoErrors(page)
    await mend()
    await page.getByRole('button', { name: 'Try again' }).click()
    await table.getByText('Restrict access when someone enters critical').waitFor()
    await page.getByText('1 action to approve, 1 policy switched on').waitFor()
  })

  test('apps that act in my name, and the digest, cannot be read', async () => {
    const page = await company.enter('viewer', null)
    const mendGrants = await refuse(page, '/session/grants')
    const mendDigest = await refuse(page, '/admin/notifications/digest')
    await page.goto('/profile')
    const card = (title: string) =>
      page.locator('section.card').filter({ has: page.getByRole('heading', { name: title }) })
    const [grants, digest] = [card('Connected apps'), card('Digest by mail')]
    await grants.getByRole('alert').waitFor()
    await digest.getByRole('alert').waitFor()
    await expectNoErrors(page)
    await mendGrants()
    await mendDigest()
    await grants.getByRole('button', { name: 'Try again' }).click()
    await grants.getByText('None. An app appears here once you allow it.').waitFor()
    await digest.getByRole('button', { name: 'Try again' }).click()
    await digest.getByText('Weekly').waitFor()
  })

  test('who allowed an app cannot be read: nobody is not the answer', async () => {
    const page = await company.enter('admin', '/apps')
    await page.getByRole('button', { name: 'New OAuth app' }).first().click()
    await page.getByLabel('Name').fill('Board report')
    await page.getByLabel('Redirect URIs').fill(`${company.url}/profile`)
    await page.getByLabel('Read the score views').check()
    await page.getByRole('button', { name: 'Create the app' }).click()
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    const mend = await refuse(page, '/admin/grants')
    await page.reload()
    await page.getByText('Who allowed them could not be read').waitFor()
    await page.getByRole('button', { name: 'Board report', exact: true }).click()
    const drawer = page.getByRole('dialog', { name: 'Board report' })
    await drawer.getByRole('alert').waitFor()
    expect(await page.getByText(/nobody/i).count()).toBe(0)
    await mend()
    await drawer.getByRole('button', { name: 'Try again' }).click()
    await drawer.getByText('Nobody has allowed it yet').waitFor()
  })

  test('without a network what is not here yet is said to be out of reach, and is shown once there is one', async () => {
    const page = await company.enterApart('analyst', '/employees')
    await page.getByRole('link', { name: 'Ada Moss' }).click()
    await page.getByRole('heading', { name: 'Ada Moss' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Ben Okoro' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Ben Okoro' }).click()
    await page.getByRole('main').getByText('cannot be reached').first().waitFor()
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Ben Okoro' }).waitFor()
    const { body } = await company.api('GET', '/v1/rules?per_page=1')
    await navigate(page, `/rules/${body.data[0].id}`)
    const trial = page.getByRole('region', { name: 'Try it' })
    await trial.getByRole('button', { name: 'Try it' }).waitFor()
    await page.context().setOffline(true)
    await trial.getByRole('button', { name: 'Try it' }).click()
    await trial.getByText('cannot be reached').waitFor()
  })

  test('the rules and the notices cannot be read: neither is waited for any longer', async () => {
    const page = await company.enter('viewer', null)
    const mendRules = await refuse(page, '/v1/rules')
    const mendNotices = await refuse(page, '/admin/notifications')
    await page.goto('/rules')
    const main = page.getByRole('main')
    await main.getByRole('alert').waitFor()
    await expect.poll(() => page.locator('.mantine-Skeleton-root').count()).toBe(0)
    await mendRules()
    await main.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(/\d+ rules, \d+ active/).waitFor()
    await page.getByRole('button', { name: /^Notifications/ }).click()
    const notices = page.getByRole('dialog', { name: 'Notifications' })
    await notices.getByRole('alert').waitFor()
    await expectNoErrors(page)
    await mendNotices()
    await notices.getByRole('button', { name: 'Try again' }).click()
    await notices
      .getByText(/fell to critical|Nothing yet/)
      .first()
      .waitFor()
  })
})
