// A whole service for a test file: its own database, a clock the test moves, and shortcuts to call it.
import { randomUUID } from 'node:crypto'
import pino from 'pino'
import { inject } from 'vitest'
import { asOperator } from '../src/accounts/identity.ts'
import { type App, buildApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import { createKey, readScopes } from '../src/keys/manage-keys.ts'
import { openTenant } from '../src/open-tenant.ts'
import { operatorOrigin } from '../src/platform/actor.ts'
import type { Context } from '../src/platform/context.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../src/platform/database.ts'
import { nameRoles } from '../src/platform/database-roles.ts'
import type { PostgresAddress } from '../src/platform/embedded-postgres.ts'
import { openPool } from '../src/platform/pool.ts'
import { createSecrets, keyFromSetting } from '../src/platform/secrets.ts'
import type { LimitOverrides, Plan } from '../src/tenants/plans.ts'
import { updateTenant } from '../src/tenants/tenants.queries.ts'
import { afterFile } from './after-file.ts'
import { timed } from './phases.ts'

export type TestClock = { now(): number; set(at: number | string): void; advance(ms: number): void }

export const START = Date.parse('2026-03-02T09:00:00.000Z')

export function testClock(): TestClock {
  let at = START
  return {
    now: () => at,
    set: to => {
      at = typeof to === 'string' ? Date.parse(to) : to
    },
    advance: by => {
      at += by
    },
  }
}

/** A clone of the migrated template in the run's PostgreSQL. */
export async function cloneDatabase() {
  const template = inject('postgres')
  const database = `test_${randomUUID().replaceAll('-', '')}`
  await timed('clone', async () => {
    const admin = openPool({ address: { ...template, database: 'postgres' }, max: 1 })
    await admin.unsafe(`CREATE DATABASE ${database} TEMPLATE ${template.database}`)
    await admin.end()
  })
  return { ...template, database }
}

export type Answer<T = any> = {
  status: number
  body: T
  headers: Record<string, string | string[] | undefined>
}

export type TenantOptions = {
  plan?: Plan
  scopes?: string
  name?: string
  /** Only on Enterprise; by default so high that a test under a frozen clock is never refused. */
  limits?: LimitOverrides
}

const MANY = 1_000_000
const ROOMY: LimitOverrides = {
  requests: MANY,
  burst: MANY,
  scores: MANY,
  inbound: MANY,
  outbound: MANY,
  recalculations: 1000,
}

export type Service = {
  app: App
  context: Context
  clock: TestClock
  /** Where its database is, for processes of their own. */
  address: PostgresAddress
  /** Opens a tenant and returns a caller that holds a key with the given scopes. */
  tenant(options?: TenantOptions): Promise<Tenant>
}

export type Call = (
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS',
  url: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>

export type Tenant = {
  tenant_id: string
  key: string
  key_id: string
  call: Call
  /** A caller of the same tenant with other scopes. */
  as(scopes: string): Promise<Call>
}

export function testConfig(change: Partial<Config> = {}): Config {
  const cheap = { log_level: 'silent', pool: 6, password_cost: { memory_kib: 8, passes: 1 } }
  return Object.freeze({ ...readConfig({}), ...cheap, ...change })
}

type Doors = Pick<DatabaseOptions, 'roles' | 'wrap' | 'patience'>

/** Its doors are those of the program; `sql` alone is the owner's, for a test that looks at everything. */
function openTestDatabase(address: PostgresAddress, pool: number, doors: Doors): Database {
  const db = openDatabase({ address, pool, prepare: true, roles: nameRoles(), ...doors })
  const owner = openDatabase({ address, pool: 2, prepare: true })
  const close = async () => {
    await Promise.all([db.close(), owner.close()])
  }
  return { ...db, sql: owner.sql, close }
}

/** Starts a service on a fresh clone; it is closed after the file's tests. */
export async function startService(
  config: Partial<Config> = {},
  doors: Doors = {},
): Promise<Service> {
  const address = await cloneDatabase()
  const clock = testClock()
  const settings = testConfig(config)
  const db = openTestDatabase(address, settings.pool, doors)
  const context: Context = {
    db,
    clock,
    config: settings,
    secrets: createSecrets(keyFromSetting('a key for tests only, long enough')),
    log: pino({ level: settings.log_level }),
  }
  const app = await timed('boot', async () => {
    const built = buildApp(context)
    await built.server.ready()
    return built
  })
  afterFile(async () => {
    await app.close()
    await db.close()
  })
  return { app, context, clock, address, tenant: options => openTestTenant(app, context, options) }
}

async function openTestTenant(
  app: App,
  context: Context,
  { plan = 'enterprise', scopes = 'all', name = 'Acme', limits = ROOMY }: TenantOptions = {},
): Promise<Tenant> {
  const { tenant_id } = await openTenant(context, operatorOrigin(), { name, plan })
  await context.db.inTenant(tenant_id, tx =>
    updateTenant(tx, tenant_id, { plan, limits, status: 'active' }),
  )
  const make = (list: string) =>
    asOperator(context, tenant_id, createKey, {
      name: 'test',
      scopes: readScopes(list),
      expires_at: null,
    })
  const { key, id } = await make(scopes)
  const as = async (list: string) => caller(app, (await make(list)).key)
  return { tenant_id, key, key_id: id, call: caller(app, key), as }
}

/** Calls the service in process; a string or Buffer body goes out as it is, anything else as JSON. */
export function caller(app: App, key: string | null): Call {
  return async (method, url, body, headers = {}) => {
    const raw = typeof body === 'string' || Buffer.isBuffer(body)
    const response = await app.server.inject({
      method,
      url,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: raw ? (body as string) : JSON.stringify(body) }),
    })
    const text = response.body
    const parsed = text === '' ? undefined : tryParse(text)
    return {
      status: response.statusCode,
      body: parsed,
      headers: response.headers as Answer['headers'],
    }
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
