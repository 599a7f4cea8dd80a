// The operator's command `bellwether verify`, run on the database of the fault tests.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { databaseUrl } from '../server/test/database-url.ts'
import { SECRET_KEY } from './timing.ts'
import type { World } from './world.ts'

const ENTRY = fileURLToPath(new URL('../server/bellwether.js', import.meta.url))

/** Returns what it says against the numbers; nothing when it is clean. */
export async function runVerify({ postgres }: World): Promise<string[]> {
  const env = {
    DATABASE_URL: databaseUrl(postgres.address),
    BELLWETHER_SECRET_KEY: SECRET_KEY,
    BELLWETHER_LOG_LEVEL: 'error',
  }
  const args = [ENTRY, 'verify', '--json']
  const told = await promisify(execFile)(process.execPath, args, { env }).catch(
    ({ stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) => ({ stdout, stderr }),
  )
  if (told.stdout === '') return [`bellwether verify: ${told.stderr.trim()}`]
  const { tenants } = JSON.parse(told.stdout) as { tenants: { faults: string[] }[] }
  return tenants.flatMap(one => one.faults.map(fault => `bellwether verify: ${fault}`)).slice(0, 10)
}
