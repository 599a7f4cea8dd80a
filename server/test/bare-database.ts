// A database in which nothing was ever made, and nobody migrates it.
import { openPool } from '../src/platform/pool.ts'
import { afterFile } from './after-file.ts'
import { databaseUrl } from './database-url.ts'
import { cloneDatabase } from './service.ts'

/** For one file of tests; `address` is that of a whole database beside it, from which `admin` makes and removes this one. */
export async function openBareDatabase() {
  const address = await cloneDatabase()
  const name = `${address.database}_bare`
  const admin = openPool({ address, max: 1 })
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template0`)
  const db = openPool({ address: { ...address, database: name }, max: 1 })
  afterFile(async () => {
    await db.end()
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  })
  const url = databaseUrl({ ...address, database: name })
  return { address, admin, db, url }
}
