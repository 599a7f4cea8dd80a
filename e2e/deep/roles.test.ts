// Journeys about roles: what each is told and offered, and a change of one’s own role is felt at once.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoErrors, hasBrowser, navigate } from '../support/browser.ts'
import { type Company, findPerson, seedCompany } from '../support/company.ts'

/** An owner beside the one there is already, in a window of their own. */
async function enterAsOwner(company: Company): Promise<{ page: Page; email: string }> {
  const { email } = await company.person('owner')
  const page = await company.enterAs(email, '/users')
  await page.getByRole('button', { name: `More about ${email}` }).click()
  return { page, email }
}

/** A new analyst in a window, and an owner elsewhere. */
async function enterAsAnalyst(company: Company, path: string) {
  const person = await company.person('analyst')
  const page = await company.enterAs(person.email, path)
  const owner = await company.callAs((await company.person('owner')).email)
  return { page, person, owner }
}

describe.skipIf(!hasBrowser)('roles', () => {
  let company: Company
  beforeAll(async () => {
    company = await seedCompany()
    await company.person('owner')
  })

  test('settings and policies say who may change them to those who may not', async () => {
    const page = await company.enter('viewer', '/settings')
    await page.getByText('Owners and admins change these.').waitFor()
    await navigate(page, '/actions?tab=policies')
    await page.getByText('Owners and admins switch and change these.').waitFor()
    await navigate(page, '/actions')
    await page.getByText('once an owner or admin switches one on').waitFor()
    expect(await page.getByRole('link', { name: 'To the policies' }).count()).toBe(0)
  })

  test('who asked is told by name to those who may know it, and to others by what it is, never by an id', async () => {
    const { id: employee_id } = await findPerson(company, 'dan@acme.test')
    const action = { employee_id, type: 'open_ticket', parameters: {} }
    const { body } = await company.api('POST', '/v1/actions', action)
    const asked = body.requested_by.replace('key:', '')
    for (const [role, said] of [
      ['analyst', /^An API key$/],
      ['admin', /^journeys$/],
    ] as const) {
      const page = await company.enter(role, `/actions?open=${body.id}`)
      const drawer = page.getByRole('dialog')
      await drawer.getByText(said).waitFor()
      expect(await drawer.textContent(), role).not.toContain(asked)
      await expectNoErrors(page)
    }
  })

  test('an owner who becomes a viewer is brought to a page a viewer may see', async () => {
    const { page, email } = await enterAsOwner(company)
    const change = page.getByRole('menuitem', { name: 'Change the role' })
    await change.waitFor()
    expect(await page.getByRole('menuitem', { name: 'Disable' }).count()).toBe(0)
    await change.click()
    await page
      .getByRole('dialog', { name: `The role of ${email}` })
      .getByLabel('Viewer')
      .check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('You are viewer now').waitFor()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const rail = page.getByRole('navigation', { name: 'Main' })
    await rail.getByRole('link', { name: 'Employees' }).waitFor()
    await expect.poll(() => rail.getByRole('link', { name: 'Users' }).count()).toBe(0)
    expect(await page.getByText('This did not work').count()).toBe(0)
    await expectNoErrors(page)
  })

  test('whose role is lowered by others is told so in words, and is offered nothing that would be refused', async () => {
    const { page, person, owner } = await enterAsAnalyst(company, '/events/retract?source=story')
    await page.getByLabel('Why').fill('Clicks of a scanner')
    const lowered = await owner.call('PATCH', `/admin/users/${person.user_id}`, { role: 'viewer' })
    expect(lowered.status).toBe(204)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Your role in this organization does not allow this').waitFor()
    await page.getByText('Your role reads events').waitFor()
    expect(await page.getByText('credential').count()).toBe(0)
  })

  test('who is removed by others is told so wherever they go next', async () => {
    const { page, person, owner } = await enterAsAnalyst(company, '/rules')
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor()
    const removed = await owner.call('DELETE', `/admin/users/${person.user_id}`)
    expect(removed.status).toBe(204)
    await page.getByRole('link', { name: 'Employees' }).click()
    await page.getByText('You belong to no organization').waitFor()
    await expectNoErrors(page)
  })

  test('who leaves the organization is asked as oneself, and then belongs to none', async () => {
    const { page, email } = await enterAsOwner(company)
    await page.getByRole('menuitem', { name: 'Leave the organization' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave the organization?' })
    await dialog.getByText('You no longer belong to this organization').waitFor()
    await dialog.getByLabel(/to confirm/).fill(email)
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByText('You belong to no organization').waitFor()
    expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0)
    await expectNoErrors(page)
  })
})
