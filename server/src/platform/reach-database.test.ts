// A database is taken as it is where ids keep the order of their time in it and every name is what it was; refused
// where they do not.
import { expect, onTestFinished, test } from 'vitest'
import { cloneDatabase } from '../../test/service.ts'
import { openDatabase } from './database.ts'
import { openPool } from './pool.ts'
import { reachDatabase } from './reach-database.ts'

const openSorted = (language: string) =>
  openMade(language, `LOCALE_PROVIDER icu ICU_LOCALE '${language}'`)

async function openMade(kind: string, how: string) {
  const address = await cloneDatabase()
  const name = `${address.database}_${kind.toLowerCase()}`
  const admin = openPool({ address, max: 1 })
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template0 ${how}`)
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

test.each(['SQL_ASCII', 'LATIN1'])(
  'one whose encoding is %s is refused, with what to do',
  async encoding => {
    const db = await openMade(encoding, `ENCODING '${encoding}' LOCALE_PROVIDER libc LOCALE 'C'`)
    await expect(reachDatabase(db)).rejects.toThrow(`its encoding is ${encoding}, not UTF8: create`)
  },
)

test('whoever is not let in is told why in the words of the database', async () => {
  const address = await cloneDatabase()
  const admin = openPool({ address, max: 1 })
  await admin.unsafe(`CREATE ROLE ada NOLOGIN PASSWORD '${address.password}'`)
  const db = openDatabase({ address: { ...address, user: 'ada' }, pool: 1, prepare: true })
  onTestFinished(async () => {
    await db.close()
    await admin`DROP ROLE ada`
    await admin.end()
  })
  const words = 'role "ada" is not permitted to log in: see its users'
  await expect(reachDatabase(db)).rejects.toThrow(words)
})
