// Every page as its owner sees it, gone to within the dashboard: no error, nothing sticks out, axe finds nothing serious.
import { beforeAll, describe, test } from 'vitest'
import { expectAccessible, expectNoErrors, hasBrowser, navigate } from '../support/browser.ts'
import { type Company, seedCompany } from '../support/company.ts'
import { addressesIn, PAGES, whole } from '../support/pages.ts'

describe.skipIf(!hasBrowser)('pages', () => {
  let company: Company
  let addressOf: (path: string) => string
  beforeAll(async () => {
    company = await seedCompany()
    addressOf = await addressesIn(company)
  })

  const THIRD = Math.ceil(PAGES.length / 3)
  test.each([1, 2, 3])('no page has an error or shuts anybody out: part %i of 3', async part => {
    const page = await company.enter('owner', null)
    for (const [path, title, sign] of PAGES.slice((part - 1) * THIRD, part * THIRD)) {
      await navigate(page, addressOf(path))
      await whole(page, title, sign)
      await expectNoErrors(page)
      await expectAccessible(page)
    }
  })
})
