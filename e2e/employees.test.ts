// Journeys about people: in by CSV, out by CSV, adjusted, deactivated and back; and what each role may do.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectGoodPage, type House, hasBrowser, openHouse } from './house.ts'
import { findPerson, sendEvent, tellStory } from './story.ts'

const FILE = `Email,First name,Last name,Department,Shoe size
grace@acme.test,Grace,"Hop, per",Research,38
not an address,No,Body,Research,
hal@acme.test,,Nine,Research,
GRACE@acme.test,Grace,Again,Research,
ada@acme.test,Ada,Twice,Finance,
ida@acme.test,Ida,=cmd(),Research,
`

describe.skipIf(!hasBrowser)('employees', () => {
  let house: House
  beforeAll(async () => {
    house = await openHouse()
    await tellStory(house)
  })

  test('a CSV file with bad lines: errors by line, the rest is imported', async () => {
    const page = await house.enter('admin', '/employees/import')
    const foreign = Buffer.from('E-Mail;Vorname;Nachname\nada@acme.test;Ada;Moss')
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: foreign }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('it reads “E-Mail, Vorname, Nachname”').waitFor()
    // What a file has to look like is still told.
    await page.getByRole('button', { name: 'Download an example' }).waitFor()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a file' }).click()
    await (await chooser).setFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(FILE),
    })
    await page.getByText('3 people ready').waitFor()
    for (const fault of [
      'email is not an address',
      'first_name is missing',
      'the same email stands in line 2',
    ])
      await page.getByText(fault).waitFor()
    await page.getByText('Columns left out: Shoe size.').waitFor()
    await expectGoodPage(page)
    const bad = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save lines-with-errors as CSV' }).click()
    expect(await readText(await (await bad).createReadStream())).toContain(
      '4,hal@acme.test,,Nine,Research,,,,first_name is missing',
    )
    await page.getByRole('button', { name: 'Import 3 people' }).click()
    await page.getByText('2 people created, 1 already there, 0 refused, of 3').waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save lines-left-out as CSV' }).click()
    expect(await readText(await (await saved).createReadStream())).toContain(
      '6,ada@acme.test,an employee with this email exists already',
    )
    expect((await findPerson(house, 'grace@acme.test')).last_name).toBe('Hop, per')
    await page.close()
  })

  test('a corrected file is read again, a lost line is tried again, and a stopped import says so', async () => {
    const page = await house.enter('admin', '/employees/import')
    const choose = async (line: string) => {
      await writeFile(path, ['email,first_name,last_name', line].join('\n'))
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Choose a file' }).click()
      await (await chooser).setFiles(path)
    }
    const folder = await mkdtemp(join(tmpdir(), 'bellwether-import-'))
    const path = join(folder, 'people.csv')
    await choose('no address,Once,More')
    await page.getByText('email is not an address').waitFor()
    let asked = 0
    await page.route('**/v1/employees/batch', route =>
      asked++ === 0 ? route.abort() : route.continue(),
    )
    await choose('once@acme.test,Once,More')
    await page.getByRole('button', { name: 'Import 1 person' }).click()
    await page.getByText('1 person created, 0 refused, of 1').waitFor()
    await page.getByRole('heading', { name: 'Done' }).waitFor()
    await page.unroute('**/v1/employees/batch')
    await page.route('**/v1/employees/batch', route => route.abort())
    await choose(Array.from({ length: 9 }, (_, i) => `stop${i}@acme.test,Stop,Here`).join('\n'))
    await page.getByRole('button', { name: 'Import 9 people' }).click()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('heading', { name: 'Stopped' }).waitFor()
    await page.close()
    await rm(folder, { recursive: true })
  })

  test('a search may be typed slowly, with a rest after a space', async () => {
    const page = await house.enter('viewer', '/employees')
    const field = page.getByRole('textbox', { name: 'Search by name or email' })
    await field.pressSequentially('ada ')
    await page.waitForURL(/search=ada$/)
    await page.getByText('1 person', { exact: true }).waitFor()
    await field.pressSequentially('moss')
    await page.waitForURL(/search=ada\+moss$/)
    expect(await field.inputValue()).toBe('ada moss')
    await page.close()
  })

  test('what is exported is what was asked for, and no cell is a formula', async () => {
    const page = await house.enter('viewer', '/employees?department=Research')
    await page.getByRole('link', { name: 'Ida =cmd()' }).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save employees as CSV' }).click()
    const text = await readText(await (await download).createReadStream())
    const lines = text.trim().split('\r\n')
    expect(lines).toHaveLength(3)
    expect(text).toContain(",Ida,'=cmd(),Research,")
    expect(text).toContain('"Hop, per"')
    await page.close()
  })

  test('search, sort and the way into a person by keyboard alone', async () => {
    const page = await house.enter('viewer', '/employees')
    await page.getByRole('link', { name: 'Ada Moss' }).waitFor()
    await page.getByRole('button', { name: 'Score' }).click()
    await page.waitForURL(/sort=score&order=asc/)
    await expect.poll(() => page.locator('tbody a').first().textContent()).toBe('Eva Lind')
    await page.locator('tbody a').first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dan Ruiz' }).waitFor()
    await page.close()
  })

  test('the line of a month tells on hover from what it came to what', async () => {
    const page = await house.enter('viewer', '/employees?search=dan')
    const line = page.getByRole('img', { name: /^Score of Dan .* in 30 days$/ })
    const { score, band } = await findPerson(house, 'dan@acme.test')
    const words = (await line.locator('title').textContent())!
    expect(words.toLowerCase()).toContain(` to ${score} (${band}) in 30 days`)
    await page.close()
  })

  test('why the score is what it is adds up, and the forecast says when it is better', async () => {
    const { id, score } = await findPerson(house, 'dan@acme.test')
    const page = await house.enter('viewer', `/employees/${id}`)
    await page.getByRole('heading', { name: `Why ${score}?` }).waitFor()
    await page.getByRole('list', { name: 'Parts of the score, adding up' }).waitFor()
    const values = await page.locator('.waterfall-value').allTextContents()
    const numbers = values.map(text => Number.parseFloat(text.replace('−', '-').replace('+', '')))
    const sum = numbers.slice(0, -1).reduce((total, value) => total + value, 0)
    expect(Math.abs(sum - numbers.at(-1)!)).toBeLessThan(0.3)
    await page.getByText(/Without further events back in red on \d/).waitFor()
    await page.getByRole('button', { name: /sim\.link_clicked, −25/ }).press('Enter')
    await page.waitForURL(/\/events\/evt_/)
    await page.close()
  })

  test('the marks of events stay where they are, with focus, as time passes', async () => {
    const { id } = await findPerson(house, 'dan@acme.test')
    const page = await house.enter('viewer', null)
    await page.clock.install()
    await page.goto(`/employees/${id}`)
    const mark = page.getByRole('button', { name: /sim\.link_clicked, −25/ })
    await mark.focus()
    const again = page.waitForResponse(/\/events\?from=.*per_page=100/)
    await page.clock.runFor(65_000)
    await again
    await page.clock.runFor(1_000)
    expect(await mark.evaluate(one => one === document.activeElement)).toBe(true)
    await page.context().close()
  })

  test('an adjustment needs a reason, moves the score and says so', async () => {
    const { id, score } = await findPerson(house, 'finn@acme.test')
    const page = await house.enter('admin', `/employees/${id}`)
    await page.getByRole('button', { name: 'Adjust score' }).click()
    await page.getByRole('textbox', { name: 'Change' }).fill('-10')
    await page.getByLabel('Reason').fill('too short')
    expect(await page.getByRole('button', { name: 'Adjust', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Reason').fill('Badge lent to a colleague, confirmed')
    await page.getByRole('button', { name: 'Adjust', exact: true }).click()
    await page.getByText(`Finn Berg: ${score} (Yellow) → ${score - 10} (Yellow)`).waitFor()
    await page.getByRole('heading', { name: `Why ${score - 10}?` }).waitFor()
    await page.getByText('Adjusted by hand').waitFor()
    await page.close()
  })

  test('what was typed and given up is gone when a dialog is opened again', async () => {
    const { id, department } = await findPerson(house, 'ben@acme.test')
    const page = await house.enter('admin', `/employees/${id}`)
    const edit = async () => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Edit department and title' }).click()
      return page.getByRole('dialog').getByLabel('Department')
    }
    await (await edit()).fill('Given up')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await (await edit()).inputValue()).toBe(department)
    await page.close()
  })

  test('a title that is edited leaves the department as somebody else has set it meanwhile', async () => {
    const { id } = await findPerson(house, 'ben@acme.test')
    const page = await house.enter('admin', `/employees/${id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit department and title' }).click()
    const dialog = page.getByRole('dialog')
    const save = dialog.getByRole('button', { name: 'Save' })
    expect(await save.isDisabled()).toBe(true)
    await house.api('PATCH', `/v1/employees/${id}`, { department: 'Legal' })
    await dialog.getByLabel('Title').fill('Clerk')
    await save.click()
    await page.getByText('Ben Okoro saved').waitFor()
    expect(await findPerson(house, 'ben@acme.test')).toMatchObject({
      department: 'Legal',
      title: 'Clerk',
    })
    await page.context().close()
  })

  test('deactivating asks for the name, stands among the changes, and can be undone', async () => {
    const { id } = await findPerson(house, 'ben@acme.test')
    const page = await house.enter('admin', `/employees/${id}?tab=changes`)
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
    expect((await findPerson(house, 'ben@acme.test')).status).toBe('active')
    await page.close()
  })

  test('a window that stays open does not keep the name of who was erased elsewhere', async () => {
    const person = { email: 'gone@acme.test', first_name: 'Gus', last_name: 'Gone' }
    const { body } = await house.api('POST', '/v1/employees', person)
    const page = await house.enter('viewer', null)
    await page.clock.install()
    await page.goto(`/employees/${body.id}`)
    await page.getByRole('heading', { name: 'Gus Gone' }).waitFor()
    const path = `/v1/employees/${body.id}/erase`
    expect((await house.api('POST', path, { confirm: 'erase' })).status).toBe(200)
    await page.clock.runFor(65_000)
    await page.getByRole('heading', { name: 'Erased person' }).waitFor()
    await page.context().close()
  })

  test('who was erased is called so, and nothing is offered that would be refused', async () => {
    const gone = { first_name: 'Gus', last_name: 'Hale', email: 'gus@acme.test' }
    const { body } = await house.api('POST', '/v1/employees', gone)
    await sendEvent(house, gone.email, 'training.completed')
    const path = `/v1/employees/${body.id}/erase`
    expect((await house.api('POST', path, { confirm: 'erase' })).status).toBe(200)
    const page = await house.enter('admin', `/employees/${body.id}`)
    await page.getByRole('heading', { name: 'Erased person' }).waitFor()
    expect(await page.getByRole('button', { name: 'Adjust score' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0)
    await page.goto('/events')
    const table = page.getByRole('table', { name: 'Events' })
    await table.getByRole('link', { name: 'Erased person' }).waitFor()
    expect(await table.getByText('@invalid').count()).toBe(0)
    // Whoever is erased is inactive.
    await page.goto('/employees?status=all')
    const people = page.getByRole('table', { name: 'Employees' })
    await people.getByRole('link', { name: 'Erased person' }).first().waitFor()
    expect(await people.getByText('@invalid').count(), 'no address stands for none').toBe(0)
    // The picker calls the one of a link so, and offers none of them.
    await page.goto(`/events?employee_id=${body.id}`)
    const picker = page.getByRole('combobox', { name: 'Person' })
    await expect.poll(() => picker.inputValue()).toBe('Erased person')
    await page.goto('/events')
    await picker.click()
    await page.getByRole('option', { name: /Ada Moss/ }).waitFor()
    expect(await page.getByRole('option', { name: /Erased person|@invalid/ }).count()).toBe(0)
    await page.close()
  })

  test('a viewer is not shown what a viewer may not do', async () => {
    const { id } = await findPerson(house, 'ada@acme.test')
    const page = await house.enter('viewer', `/employees/${id}`)
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
    await page.close()
  })

  test('a viewer who goes by address to the import is told so, and offered nothing', async () => {
    const page = await house.enter('viewer', '/employees/import')
    await page.getByRole('heading', { name: 'Your role may not import people' }).waitFor()
    expect(await page.getByRole('button', { name: 'Choose a file' }).count()).toBe(0)
    await page.close()
  })

  test('the filters show what the list is narrowed by, whatever the address says', async () => {
    const page = await house.enter('viewer', '/employees?status=away&min_score=abc&band=purple')
    const shown = (name: string) => page.getByRole('combobox', { name }).inputValue()
    await page.getByRole('link', { name: 'Dan Ruiz' }).waitFor()
    expect(await shown('Status')).toBe('Active')
    expect(await page.getByText('abc').count()).toBe(0)
    await page.goto('/employees?status=active&department=Nowhere')
    await page.getByText('Nobody fits').waitFor()
    expect([await shown('Status'), await shown('Department')]).toEqual(['Active', 'Nowhere'])
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Inactive' }).click()
    await page.waitForURL(/status=inactive/)
    await expectGoodPage(page, 'none')
    await page.context().close()
  })

  test('a filter that nobody fits is not taken for an empty organization', async () => {
    const page = await house.enter('viewer', '/employees?status=inactive')
    await page.getByText('Nobody fits').waitFor()
    await page.goto('/employees?page=99')
    await page.getByText('There is no page 99').waitFor()
    await page.getByRole('button', { name: 'To the last page' }).click()
    await page.getByRole('link', { name: 'Ada Moss' }).waitFor()
    await page.close()
  })
})
