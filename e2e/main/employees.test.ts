// Journeys about people: in by CSV, found by keyboard, their score explained and adjusted.
import { text as readText } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../support/browser.ts'
import { type Company, findPerson, seedCompany } from '../support/company.ts'

const FILE = `Email,First name,Last name,Department,Shoe size
grace@acme.test,Grace,"Hop, per",Research,38
not an address,No,Body,Research,
hal@acme.test,,Nine,Research,
GRACE@acme.test,Grace,Again,Research,
ada@acme.test,Ada,Twice,Finance,
ida@acme.test,Ida,=cmd(),Research,
`

describe.skipIf(!hasBrowser)('employees', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  test('a CSV file with bad lines: errors by line, the rest is imported', async () => {
    const page = await company.enter('admin', '/employees/import')
    const foreign = Buffer.from('E-Mail;Vorname;Nachname\nada@acme.test;Ada;Moss')
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: foreign }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('it reads “E-Mail, Vorname, Nachname”').waitFor()
    // What a file has to look like is still told.
    await page.getByRole('button', { name: 'Download an example' }).waitFor()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a file' }).click()
    await (await chooser).setFiles({ ...file, buffer: Buffer.from(FILE) })
    await page.getByText('3 people ready').waitFor()
    for (const fault of [
      'email is not an address',
      'first_name is missing',
      'the same email stands in line 2',
    ])
      await page.getByText(fault).waitFor()
    await page.getByText('Columns left out: Shoe size.').waitFor()
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
    expect((await findPerson(company, 'grace@acme.test')).last_name).toBe('Hop, per')
  })

  test('search, sort and the way into a person by keyboard alone', async () => {
    const page = await company.enter('viewer', '/employees')
    await page.getByRole('link', { name: 'Ada Moss' }).waitFor()
    await page.getByRole('button', { name: 'Score' }).click()
    await page.waitForURL(/sort=score&order=asc/)
    await expect.poll(() => page.locator('tbody a').first().textContent()).toBe('Eva Lind')
    await page.locator('tbody a').first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dan Ruiz' }).waitFor()
  })

  test('why the score is what it is adds up, and the forecast says when it is better', async () => {
    const { id, score } = await findPerson(company, 'dan@acme.test')
    const page = await company.enter('viewer', `/employees/${id}`)
    await page.getByRole('heading', { name: `Why ${score}?` }).waitFor()
    await page.getByRole('list', { name: 'Parts of the score, adding up' }).waitFor()
    const values = await page.locator('.waterfall-value').allTextContents()
    const numbers = values.map(text => Number.parseFloat(text.replace('−', '-').replace('+', '')))
    const sum = numbers.slice(0, -1).reduce((total, value) => total + value, 0)
    expect(Math.abs(sum - numbers.at(-1)!)).toBeLessThan(0.3)
    await page.getByText(/Without further events back in red on \d/).waitFor()
    await page.getByRole('button', { name: /sim\.link_clicked, −25/ }).press('Enter')
    await page.waitForURL(/\/events\/evt_/)
  })

  test('an adjustment needs a reason, moves the score and says so', async () => {
    const { id, score } = await findPerson(company, 'finn@acme.test')
    const page = await company.enter('admin', `/employees/${id}`)
    await page.getByRole('button', { name: 'Adjust score' }).click()
    await page.getByRole('textbox', { name: 'Change' }).fill('-10')
    await page.getByLabel('Reason').fill('too short')
    expect(await page.getByRole('button', { name: 'Adjust', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Reason').fill('Badge lent to a colleague, confirmed')
    await page.getByRole('button', { name: 'Adjust', exact: true }).click()
    await page.getByText(`Finn Berg: ${score} (Yellow) → ${score - 10} (Yellow)`).waitFor()
    await page.getByRole('heading', { name: `Why ${score - 10}?` }).waitFor()
    await page.getByText('Adjusted by hand').waitFor()
  })
})
