// A file chosen for an import that cannot be read at all is said to be so.
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { expectGoodPage, type House, hasBrowser, openHouse } from './house.ts'

async function chooseFile(page: Page, text: string): Promise<void> {
  await page.locator('input[type=file]').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(text),
  })
}

describe.skipIf(!hasBrowser)('a file that cannot be read', () => {
  let house: House
  beforeAll(async () => {
    house = await openHouse('Acme')
  })

  test('one the browser may not open, and a far too large one, are told of; another can be chosen', async () => {
    const page = await house.enter('admin', '/employees/import')
    await page.evaluate(() => {
      const read = File.prototype.text
      File.prototype.text = () => {
        File.prototype.text = read
        return Promise.reject(new DOMException('not let in', 'NotReadableError'))
      }
    })
    await chooseFile(page, 'email,first_name,last_name\na@b.test,A,B')
    await page.getByText('The browser was not let in').waitFor()
    await chooseFile(page, 'x'.repeat(20_000_001))
    await page.getByText('It is larger than 20 MB').waitFor()
    await expectGoodPage(page)
    await chooseFile(page, 'email,first_name,last_name\na@b.test,A,B')
    await page.getByText('1 person ready').waitFor()
    await page.close()
  })
})
