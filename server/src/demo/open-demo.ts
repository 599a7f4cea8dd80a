// The demo company of a data folder: made once on an empty embedded database, found again on later starts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkLogin } from '../accounts/add-owner.ts'
import type { Config } from '../config.ts'
import { hashKey } from '../keys/key-format.ts'
import { findKeysByHash } from '../keys/keys.queries.ts'
import type { Context } from '../platform/context.ts'
import { conflict } from '../platform/errors.ts'
import { countTenants, findTenant } from '../tenants/tenants.queries.ts'
import { lockFolder } from './folder-lock.ts'
import { type Demo, seedDemo } from './seed-demo.ts'

const LOOPBACK = /^(localhost|::1|127(\.\d{1,3}){3})$/

/** Why this installation gets no demo company, or null: its key is printed and kept, so it stays on one machine. */
export function refuseDemo(config: Config): string | null {
  if (config.database_url !== null)
    return 'not with DATABASE_URL: only the embedded database gets the demo'
  if (!LOOPBACK.test(config.host))
    return 'only with a HOST of this machine alone, such as 127.0.0.1'
  return null
}

/** A company whose key and login are known; `told` settles once its people and their story are there too. */
export type OpenedDemo = {
  readonly demo: Demo
  readonly told: Promise<void>
  /** False where it was there before. */
  readonly isNew: boolean
}

/** On an empty database it is made; of what works no longer nothing is told: without the key, nothing at all. */
export async function openDemo(context: Context): Promise<OpenedDemo | null> {
  if (refuseDemo(context.config)) return null
  const unlock = await lockFolder(`${pathOf(context.config)}.lock`)
  let opened: OpenedDemo | null = null
  try {
    opened = await findDemo(context)
    if (!opened && (await context.db.acrossTenants(countTenants)) === 0) {
      opened = await beginDemo(context)
    }
    return opened
  } finally {
    // Another process that starts meanwhile waits for the whole story, so that it finds the company.
    const told = opened?.told ?? Promise.resolve()
    told.then(unlock, unlock).catch(() => {})
  }
}

async function findDemo(context: Context): Promise<OpenedDemo | null> {
  const kept = readKept(context.config)
  if (!kept || !(await works(context, kept))) return null
  const { login, ...rest } = kept
  const opens = login !== undefined && (await checkLogin(context, kept.tenant_id, login))
  return { demo: opens ? kept : rest, told: Promise.resolve(), isNew: false }
}

export async function makeDemo(context: Context): Promise<Demo> {
  const found = await findDemo(context)
  if (found) throw conflict(`the demo company is there already: ${found.demo.tenant_id}`)
  const { demo, told } = await beginDemo(context)
  await told
  return demo
}

/** Resolves when the key is known; the story of half a year takes some seconds more. */
function beginDemo(context: Context): Promise<OpenedDemo> {
  return new Promise((resolve, reject) => {
    let known = false
    const keep = (demo: Demo) => {
      if (known) throw new Error('the demo company could not be made in one go; start again')
      known = true
      // Before the commit: a key that is kept but not in the database is seen not to work.
      writeFileSync(pathOf(context.config), `${JSON.stringify(demo)}\n`, { mode: 0o600 })
      resolve({ demo, told, isNew: true })
    }
    const told = seedDemo(context, keep).then(() => {})
    told.catch(reject)
  })
}

function pathOf(config: Config): string {
  return join(config.data_dir, 'demo.json')
}

function readKept(config: Config): Demo | null {
  try {
    return JSON.parse(readFileSync(pathOf(config), 'utf8')) as Demo
  } catch {
    return null
  }
}

async function works({ db, clock }: Context, { tenant_id, key }: Demo): Promise<boolean> {
  return db.inTenant(tenant_id, async tx => {
    const tenant = await findTenant(tx, tenant_id)
    const now = new Date(clock.now())
    const [found] = await findKeysByHash(tx, tenant_id, [hashKey(key)], now)
    return tenant?.status === 'active' && found !== undefined
  })
}
