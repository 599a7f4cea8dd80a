// A database is taken as it is where ids keep the order of their time in it, and refused where they do not.
import { expect, onTestFinished, test } from 'vitest'
import { cloneDatabase } from '../../test/service.ts'
import { openDatabase } from './database.ts'
import { postgres } from './driver.ts'
import { reachDatabase } from './reach-database.ts'

async function openSorted(language: string) {
  const address = await cloneDatabase()
  const { host, user, database } = address
  const name = `${database}_${language}`
  const admin = postgres({ host, user, database, max: 1, onnotice() {} })
  await admin.unsafe(
    `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '${language}'`,
  )
  const db = openDatabase({ address: { ...address, database: name }, pool: 1, prepare: true })
  onTestFinished(async () => {
    await db.close()
    await admin.unsafe(`DROP DATABASE ${name}`)
    await admin.end()
  })
  return db
}

test.each(['cs', 'da', 'hu', 'et'])(
  'one that sorts as in %s is refused, with what to do',
  async language => {
    const db = await openSorted(language)
    await expect(reachDatabase(db)).rejects.toThrow(/sorts letters .* LC_COLLATE 'C'/)
  },
)

test.each(['en', 'de', 'ja'])('one that sorts as in %s is taken', async language => {
  expect(await reachDatabase(await openSorted(language))).toBeGreaterThan(14)
})
