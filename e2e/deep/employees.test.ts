// Journeys about people: found, exported, edited, deactivated and back, erased; and what each role may do.
import { text as readText } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, navigate } from '../support/browser.ts'
import { type Company, findPerson, seedCompany, sendEvent } from '../support/company.ts'

describe.skipIf(!hasBrowser)('employees', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  test('a search may be typed slowly, with a rest after a space', async () => {
    const page = await company.enter('viewer', '/employees')
    const field = page.getByRole('textbox', { name: 'Search by name or email' })
    await field.pressSequentially('ada ')
    await page.waitForURL(/search=ada$/)
    await page.getByText('1 person', { exact: true }).waitFor()
    await field.pressSequentially('moss')
    await page.waitForURL(/search=ada\+moss$/)
    expect(await field.inputValue()).toBe('ada moss')
  })

  test('what is exported is what was asked for, and no cell is a formula', async () => {
    const department = 'Research'
    const employees = [
      { email: 'grace@acme.test', first_name: 'Grace', last_name: 'Hop, per', department },
      { email: 'ida@acme.test', first_name: 'Ida', last_name: '=cmd()', department },
    ]
    await company.api('POST', '/v1/employees/batch', { employees })
    const page = await company.enter('viewer', `/employees?department=${department}`)
    await page.getByRole('link', { name: 'Ida =cmd()' }).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save employees as CSV' }).click()
    const text = await readText(await (await download).createReadStream())
    const lines = text.trim().split('\r\n')
    expect(lines).toHaveLength(3)
    expect(text).toContain(",Ida,'=cmd(),Research,")
    expect(text).toContain('"Hop, per"')
  })

  test('the line of a month tells on hover from what it came to what', async () => {
    const page = await company.enter('viewer', '/employees?search=dan')
    const line = page.getByRole('img', { name: /^Score of Dan .* in 30 days$/ })
    const { score, band } = await findPerson(company, 'dan@acme.test')
    const words = (await line.locator('title').textContent())!
    expect(words.toLowerCase()).toContain(` to ${score} (${band}) in 30 days`)
  })

  test('the marks of events stay where they are, with focus, as time passes', async () => {
    const { id } = await findPerson(company, 'dan@acme.test')
    const page = await company.enterApart('viewer', null)
    await page.clock.install()
    await page.goto(`/employees/${id}`)
    const mark = page.getByRole('button', { name: /sim\.link_clicked, −25/ })
    await mark.focus()
    const again = page.waitForResponse(/\/events\?from=.*per_page=100/)
    await page.clock.runFor(65_000)
    await again
    await page.clock.runFor(1_000)
    expect(await mark.evaluate(one => one === document.activeElement)).toBe(true)
  })

  test('what was typed and given up is gone when a dialog is opened again', async () => {
    const { id, department } = await findPerson(company, 'ben@acme.test')
    const page = await company.enter('admin', `/employees/${id}`)
    const edit = async () => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Edit department and title' }).click()
      return page.getByRole('dialog').getByLabel('Department')
    }
    await (await edit()).fill('Given up')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await (await edit()).inputValue()).toBe(department)
  })

  test('a title that is edited leaves the department as somebody else has set it meanwhile', async () => {
    const { id } = await findPerson(company, 'ben@acme.test')
    const page = await company.enter('admin', `/employees/${id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit department and title' }).click()
    const dialog = page.getByRole('dialog')
    const save = dialog.getByRole('button', { name: 'Save' })
    expect(await save.isDisabled()).toBe(true)
    await company.api('PATCH', `/v1/employees/${id}`, { department: 'Legal' })
    await dialog.getByLabel('Title').fill('Clerk')
    await save.click()
    await page.getByText('Ben Okoro saved').waitFor()
    expect(await findPerson(company, 'ben@acme.test')).toMatchObject({
      department: 'Legal',
      title: 'Clerk',
    })
  })

  test('deactivating asks for the name, stands among the changes, and can be undone', async () => {
    const { id } = await findPerson(company, 'ben@acme.test')
    const page = await company.enterApart('admin', `/employees/${id}?tab=changes`)
    const changes = page.getByRole('table', { name: 'History of changes' })
    await changes.getByText('employee.created').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Deactivate' }).click()
    const confirm = page.getByRole('button', { name: 'Deactivate', exact: true })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel(/to confirm/).fill('Ben Okoro')
    await page.clock.install()
    await confirm.click()
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.hover()
    await page.getByText('The score is frozen while this person is inactive.').waitFor()
    await changes.getByText('status: active → inactive').waitFor()
    // What has focus does not fade away, and gives focus back when it goes.
    await undo.focus()
    await page.mouse.move(0, 0)
    await page.clock.fastForward(60_000)
    await undo.press('Enter')
    await page.getByText('Ben Okoro is active again').waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.ariaLabel)
    await expect.poll(focused).toBe('More actions')
    expect((await findPerson(company, 'ben@acme.test')).status).toBe('active')
  })

  test('a window that stays open does not keep the name of who was erased elsewhere', async () => {
    const person = { email: 'gone@acme.test', first_name: 'Gus', last_name: 'Gone' }
    const { body } = await company.api('POST', '/v1/employees', person)
    const page = await company.enterApart('viewer', null)
    await page.clock.install()
    await page.goto(`/employees/${body.id}`)
    await page.getByRole('heading', { name: 'Gus Gone' }).waitFor()
    const path = `/v1/employees/${body.id}/erase`
    expect((await company.api('POST', path, { confirm: 'erase' })).status).toBe(200)
    await page.clock.runFor(65_000)
    await page.getByRole('heading', { name: 'Erased person' }).waitFor()
  })

  test('who was erased is called so, and nothing is offered that would be refused', async () => {
    const gone = { first_name: 'Gus', last_name: 'Hale', email: 'gus@acme.test' }
    const { body } = await company.api('POST', '/v1/employees', gone)
    await sendEvent(company, gone.email, 'training.completed')
    const path = `/v1/employees/${body.id}/erase`
    expect((await company.api('POST', path, { confirm: 'erase' })).status).toBe(200)
    const page = await company.enter('admin', `/employees/${body.id}`)
    await page.getByRole('heading', { name: 'Erased person' }).waitFor()
    expect(await page.getByRole('button', { name: 'Adjust score' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0)
    await navigate(page, '/events')
    const table = page.getByRole('table', { name: 'Events' })
    await table.getByRole('link', { name: 'Erased person' }).waitFor()
    expect(await table.getByText('@invalid').count()).toBe(0)
    // Whoever is erased is inactive.
    await navigate(page, '/employees?status=all')
    const people = page.getByRole('table', { name: 'Employees' })
    await people.getByRole('link', { name: 'Erased person' }).first().waitFor()
    expect(await people.getByText('@invalid').count(), 'no address stands for none').toBe(0)
    // The picker calls the one of a link so, and offers none of them.
    await navigate(page, `/events?employee_id=${body.id}`)
    const picker = page.getByRole('combobox', { name: 'Person' })
    await expect.poll(() => picker.inputValue()).toBe('Erased person')
    await navigate(page, '/events')
    await picker.click()
    await page.getByRole('option', { name: /Ada Moss/ }).waitFor()
    expect(await page.getByRole('option', { name: /Erased person|@invalid/ }).count()).toBe(0)
  })

  test('a viewer is not shown what a viewer may not do', async () => {
    const { id } = await findPerson(company, 'ada@acme.test')
    const page = await company.enter('viewer', `/employees/${id}`)
    await page.getByRole('heading', { name: 'Ada Moss' }).waitFor()
    expect(await page.getByRole('button', { name: 'Adjust score' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0)
    const rail = page.getByRole('navigation', { name: 'Main' })
    expect(await rail.getByRole('link', { name: 'API keys' }).count()).toBe(0)
    expect(await rail.getByRole('link', { name: 'Users' }).count()).toBe(0)
    const refused = await page.evaluate(async employee => {
      const { csrf_token } = await (await fetch('/session')).json()
      const answer = await fetch(`/admin/employees/${employee}/adjustments`, {
        method: 'POST',
        headers: { 'x-csrf-token': csrf_token, 'content-type': 'application/json' },
        body: JSON.stringify({ impact: 50, reason: 'because I would like to' }),
      })
      return answer.status
    }, id)
    expect(refused).toBe(403)
  })

  test('a viewer who goes by address to the import is told so, and offered nothing', async () => {
    const page = await company.enter('viewer', '/employees/import')
    await page.getByRole('heading', { name: 'Your role may not import people' }).waitFor()
    expect(await page.getByRole('button', { name: 'Choose a file' }).count()).toBe(0)
  })

  test('a filter that nobody fits is not taken for an empty organization', async () => {
    const page = await company.enter('viewer', '/employees?search=nobody+is+called+so')
    await page.getByText('Nobody fits').waitFor()
    await page.goto('/employees?page=99')
    await page.getByText('There is no page 99').waitFor()
    await page.getByRole('button', { name: 'To the last page' }).click()
    await page.getByRole('link', { name: 'Ada Moss' }).waitFor()
  })
})
