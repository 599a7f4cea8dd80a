// People are imported while one leaves, or the session ends or goes on elsewhere: nothing is lost, and the import goes on.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, focusWindow, hasBrowser, logIn } from '../support/browser.ts'
import { addOrganization, type Company, startCompany } from '../support/company.ts'

const setFile = (page: Page, text: string) =>
  page.locator('input[type=file]').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(text),
  })

async function chooseFile(page: Page, lines: readonly string[]): Promise<void> {
  await page.goto('/employees/import')
  await setFile(page, ['email,first_name,last_name', ...lines].join('\n'))
}

describe.skipIf(!hasBrowser)('an import', () => {
  let company: Company
  beforeAll(async () => {
    company = await startCompany()
  })

  test('a corrected file is read again, a lost line is tried again, and a stopped import says so', async () => {
    const page = await company.enter('admin', '/employees/import')
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
    await rm(folder, { recursive: true })
  })

  test('one the browser may not open, and a far too large one, are told of; another can be chosen', async () => {
    const page = await company.enter('admin', '/employees/import')
    await page.evaluate(() => {
      const read = File.prototype.text
      File.prototype.text = () => {
        File.prototype.text = read
        return Promise.reject(new DOMException('not let in', 'NotReadableError'))
      }
    })
    await setFile(page, 'email,first_name,last_name\na@b.test,A,B')
    await page.getByText('The browser was not let in').waitFor()
    // Made in the page: it would be a long way there.
    await page.locator('input[type=file]').evaluate((input: HTMLInputElement) => {
      const chosen = new DataTransfer()
      chosen.items.add(new File(['x'.repeat(20_000_001)], 'people.csv', { type: 'text/csv' }))
      input.files = chosen.files
      input.dispatchEvent(new Event('change', { bubbles: true }))
    })
    await page.getByText('It is larger than 20 MB').waitFor()
    await expectNoErrors(page)
    await setFile(page, 'email,first_name,last_name\na@b.test,A,B')
    await page.getByText('1 person ready').waitFor()
  })

  test('a session ends while people are imported: the rest waits, and goes on after the login', async () => {
    const { email } = await company.person('admin')
    const here = await company.enterAs(email, null)
    const lines = Array.from({ length: 350 }, (_, i) => `wait${i}@twin.test,Wait,Twin`)
    await chooseFile(here, lines)
    await here.getByRole('button', { name: 'Import 350 people' }).waitFor()
    let asked = 0
    await here.route('**/v1/employees/batch', async route => {
      if (++asked === 3) await here.context().clearCookies()
      await route.continue()
    })
    let heldBack = 0
    here.on('dialog', async dialog => {
      heldBack += 1
      await dialog.dismiss()
    })
    await here.getByRole('button', { name: 'Import 350 people' }).click()
    const note = here.getByRole('dialog', { name: 'Your session has ended' })
    await note.waitFor()
    await here.getByText(/ 0 refused, of 350/).waitFor()
    expect(asked).toBe(3)
    expect(heldBack).toBe(0)
    const opened = here.context().waitForEvent('page')
    await note.getByRole('link', { name: 'Log in again' }).click()
    await logIn(await opened, email)
    await focusWindow(here)
    await note.waitFor({ state: 'hidden' })
    await here.getByRole('heading', { name: 'Stopped' }).waitFor()
    await expectNoErrors(here)
    await here.getByRole('button', { name: 'Go on' }).click()
    await here.getByText('350 people created, 0 refused, of 350').waitFor()
  })

  test('one switches the organization while the other imports: the rest waits, and goes on once it is switched back', async () => {
    const { email } = await company.person('admin')
    await addOrganization(company, email, 'Delta')
    const here = await company.enterAs(email, null)
    const lines = Array.from({ length: 350 }, (_, i) => `moved${i}@twin.test,Moved,Twin`)
    await chooseFile(here, lines)
    const there = await here.context().newPage()
    await there.goto('/')
    const goTo = async (from: string, to: string) => {
      await there.getByRole('button', { name: `Organization ${from}, switch` }).click()
      await there.getByRole('menuitem', { name: to }).click()
      await there.getByRole('button', { name: `Organization ${to}, switch` }).waitFor()
    }
    let asked = 0
    await here.route('**/v1/employees/batch', async route => {
      if (++asked === 3) await goTo('Acme', 'Delta')
      await route.continue()
    })
    await here.getByRole('button', { name: 'Import 350 people' }).click()
    const note = here.getByRole('dialog', { name: 'This window is out of date' })
    await note.getByText('in Delta').first().waitFor()
    await here.getByText(/ 0 refused, of 350/).waitFor()
    await here.getByText('Another window went on elsewhere').waitFor()
    expect(await here.getByText(/^Line /).count()).toBe(0)
    await goTo('Delta', 'Acme')
    await focusWindow(here)
    await note.waitFor({ state: 'hidden' })
    await here.getByRole('heading', { name: 'Stopped' }).waitFor()
    await expectNoErrors(here)
    await here.getByRole('button', { name: 'Go on', exact: true }).click()
    await here.getByText('350 people created, 0 refused, of 350').waitFor()
  })

  test('a role is lowered while people are imported: who came in stays to be seen, and no more is offered', async () => {
    const { email, user_id } = await company.person('admin')
    const here = await company.enterAs(email, null)
    const owner = await company.callAs((await company.person('owner')).email)
    await chooseFile(
      here,
      Array.from({ length: 150 }, (_, i) => `low${i}@twin.test,Low,Twin`),
    )
    let asked = 0
    await here.route('**/v1/employees/batch', async route => {
      if (++asked === 2) await owner.call('PATCH', `/admin/users/${user_id}`, { role: 'viewer' })
      await route.continue()
    })
    await here.getByRole('button', { name: 'Import 150 people' }).click()
    await here.getByText('Your role in this organization does not allow this').waitFor()
    await here.getByText('100 people created, 0 refused, of 150').waitFor()
    await expect.poll(() => here.getByRole('button', { name: 'Go on' }).count()).toBe(0)
    await here.getByText('100 people created, 0 refused, of 150').waitFor()
    expect(await here.getByRole('button', { name: 'Choose a file' }).isDisabled()).toBe(true)
    await expectNoErrors(here)
  })

  test('an import that runs is not left without being asked, and then stops', async () => {
    const page = await company.enter('admin', null)
    let asked = 0
    let letOn = () => {}
    const held = new Promise<void>(resolve => {
      letOn = resolve
    })
    await page.route('**/v1/employees/batch', async route => {
      asked++
      await held
      await route.continue()
    })
    const lines = Array.from({ length: 150 }, (_, i) => `left${i}@acme.test,Left,Person`)
    await chooseFile(page, lines)
    await page.getByRole('button', { name: 'Import 150 people' }).click()
    await expect.poll(() => asked).toBe(1)
    await page.getByRole('link', { name: 'Rules' }).click()
    await page.getByText('Leave while people are imported?').waitFor()
    await expectNoErrors(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(page.url()).toContain('/employees/import')
    await page.getByRole('link', { name: 'Rules' }).click()
    await page.getByRole('button', { name: 'Stop and leave' }).click()
    await page.waitForURL(/\/rules/)
    letOn()
    const come = async () =>
      (await company.api('GET', '/v1/employees?search=left')).body.pagination.total
    await expect.poll(come).toBe(100)
    await page.waitForLoadState('networkidle')
    expect(asked).toBe(1)
  })

  test('a session ends over a chosen file: it stays, to be imported after the login', async () => {
    const { email } = await company.person('admin')
    const here = await company.enterAs(email, null)
    await here.clock.install()
    await chooseFile(here, ['chosen@twin.test,Chosen,Twin'])
    await here.getByText('1 person ready').waitFor()
    await here.context().clearCookies()
    await here.clock.fastForward(31_000)
    await here.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await here.getByText('1 person ready').waitFor()
  })
})
