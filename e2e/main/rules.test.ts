// Journeys about rules: written without JSON, tried before they are saved, deleted, and the past done over.
import { text as readText } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseCsv } from '../../dashboard/src/ui/csv.ts'
import { expectNoErrors, hasBrowser, navigate } from '../support/browser.ts'
import { type Company, findPerson, seedCompany, sendEvent } from '../support/company.ts'

describe.skipIf(!hasBrowser)('rules', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
  })

  const findRule = async (event_type: string) => {
    const { body } = await company.api('GET', '/v1/rules?per_page=100')
    return body.data.find((rule: { event_type: string }) => rule.event_type === event_type)
  }

  test('a rule is built without JSON, tried, and only then created', async () => {
    await company.api('POST', '/v1/events', {
      type: 'custom.badge_lent',
      employee_email: 'ben@acme.test',
      details: { severity: 'high', floor: 3 },
    })
    const page = await company.enter('admin', '/rules')
    await page.getByRole('link', { name: 'New rule' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Badge lent upstairs')
    await page.getByRole('combobox', { name: 'Type of event' }).fill('custom.badge_lent')
    await page.getByRole('textbox', { name: 'Change of the score' }).fill('-30')
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByText('name a field of the event').waitFor()
    expect(await page.getByRole('button', { name: 'Create the rule' }).isDisabled()).toBe(true)
    await page.getByRole('combobox', { name: 'Field of the event' }).fill('floor')
    await page.getByRole('combobox', { name: 'How it compares' }).click()
    await page.getByRole('option', { name: 'is at least' }).click()
    await page.getByRole('combobox', { name: 'Value' }).fill('2')
    await page.getByText('number', { exact: true }).waitFor()
    const sentence = 'When custom.badge_lent happens and floor is at least 2, −30'
    await page.getByText(sentence).waitFor()
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('1 person would change band').waitFor()
    await page.getByRole('row', { name: /Ben Okoro/ }).waitFor()
    const told = page.getByRole('region', { name: 'Try it' }).locator('[role=status], [aria-live]')
    expect(await told.allTextContents(), 'what is announced is short').toEqual([
      'Tried: it fires 1 time, 1 person concerned, −30.0 on average',
    ])
    await expectNoErrors(page)
    expect(await findRule('custom.badge_lent')).toBeUndefined()
    await page.getByText('JSON', { exact: true }).click()
    await page.getByLabel('Conditions as JSON').fill('{"floor": {"gte": 2, "lt": 9}')
    await page.getByText('is not JSON yet').waitFor()
    for (const [text, fault] of [
      ['{"floor": {"g": 2}}', 'has an unknown operator'],
      ['null', 'Must be an object'],
    ] as const) {
      await page.getByLabel('Conditions as JSON').fill(text)
      await page.getByText(new RegExp(fault, 'i')).waitFor()
      await page.getByText('happens and …').waitFor()
    }
    await page.getByLabel('Conditions as JSON').fill('{"floor": {"gte": 2, "lt": 9}}')
    await page.getByText('Builder', { exact: true }).click()
    await page.getByRole('combobox', { name: 'Field of the event' }).nth(1).waitFor()
    expect(await page.getByRole('combobox', { name: 'Field of the event' }).count()).toBe(2)
    await page.getByText('The rule has changed since. Try again.').waitFor()
    await page.getByRole('button', { name: 'Create the rule' }).click()
    await page.getByRole('heading', { name: 'Badge lent upstairs' }).waitFor()
    expect(await findRule('custom.badge_lent')).toMatchObject({
      impact: -30,
      cooldown: '24h',
      category: 'custom',
      status: 'active',
      conditions: { floor: { gte: 2, lt: 9 } },
    })
  })

  test('a rule is switched off and back, and deleted by its name; what is typed meanwhile stays', async () => {
    const { id } = (
      await company.api('POST', '/v1/rules', {
        name: 'Tea spilled',
        event_type: 'custom.tea',
        category: 'custom',
        impact: -1,
        conditions: { severity: { eq: 'high' } },
      })
    ).body
    const page = await company.enter('admin', `/rules/${id}`)
    const save = page.getByRole('button', { name: 'Save', exact: true })
    expect(await save.isDisabled(), 'nothing is changed yet').toBe(true)
    await page.getByRole('textbox', { name: 'Change of the score' }).fill('-3')
    await company.api('PATCH', `/v1/rules/${id}`, { cooldown: '2d' })
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByText('“Tea spilled” is inactive').waitFor()
    expect((await findRule('custom.tea')).status).toBe('inactive')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('“Tea spilled” is active').waitFor()
    await page.getByText('This rule was saved elsewhere meanwhile').waitFor()
    await page.getByText('and severity is high, −3, at most once in 2 d').waitFor()
    await save.click()
    await page.getByText('“Tea spilled” is saved').waitFor()
    await page.getByText('saved elsewhere').waitFor({ state: 'detached' })
    expect(await findRule('custom.tea')).toMatchObject({ impact: -3, cooldown: '2d' })
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: 'Delete the rule' })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel(/^Type Tea spilled/).fill('Tea spilled')
    await confirm.click()
    await page.waitForURL('**/rules')
    expect(await findRule('custom.tea')).toBeUndefined()
    const rule = await findRule('sim.link_clicked')
    await navigate(page, `/rules/${rule.id}`)
    await page.getByText('Default rule').waitFor()
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
  })

  test('the past is done over: previewed, started, left and found again', async () => {
    const rule = await findRule('auth.mfa_disabled')
    await sendEvent(company, 'finn@acme.test', 'auth.mfa_disabled')
    expect((await findPerson(company, 'finn@acme.test')).score).toBe(45)
    await company.api('PATCH', `/v1/rules/${rule.id}`, { impact: -60 })
    const page = await company.enter('admin', '/rules/recalculate', { dark: true })
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText(/scores of 6 people would differ/).waitFor()
    await page.getByRole('row', { name: /Finn Berg/ }).waitFor()
    await expectNoErrors(page)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save people-who-move as CSV' }).click()
    const [head, ...rows] = parseCsv(await readText(await (await download).createReadStream()))
    const named = head!.cells.slice(1, 5)
    expect(named).toEqual(['email', 'first_name', 'last_name', 'current_score'])
    const people = rows.map(row => row.cells.slice(1, 5))
    expect(people).toContainEqual(['finn@acme.test', 'Finn', 'Berg', '45'])
    expect((await findPerson(company, 'finn@acme.test')).score).toBe(45)
    await page.getByRole('button', { name: 'Recalculate', exact: true }).click()
    await page.getByRole('button', { name: 'Recalculate everyone' }).click()
    await page.getByText('Recalculation of everyone').first().waitFor()
    await navigate(page, '/rules')
    await page.getByRole('link', { name: 'Recalculate' }).click()
    await page.getByRole('link', { name: /^Recalculation of everyone/ }).click()
    await page.getByText('6 of 6 people').waitFor()
    await expectNoErrors(page)
    expect((await findPerson(company, 'finn@acme.test')).score).toBe(15)
  })
})
