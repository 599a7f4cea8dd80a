// Row-level security: on every table of tenants, for roles that cannot bypass it, with or without an administrator's help.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cloneDatabase, START } from '../../test/service.ts'
import { type Database, openDatabase } from './database.ts'
import { errorCode } from './database-errors.ts'
import { nameRoles, SCAN_COLUMNS } from './database-roles.ts'
import type { PostgresAddress } from './embedded-postgres.ts'
import { migrate } from './migrate.ts'

const roles = nameRoles()
const opened: Database[] = []
afterAll(() => Promise.all(opened.map(db => db.close())))

function open(address: PostgresAddress, locked = false): Database {
  const db = openDatabase({ address, pool: 2, prepare: true, roles: locked ? roles : null })
  opened.push(db)
  return db
}

let address: PostgresAddress
let owner: Database
const password = () => `PASSWORD '${address.password}'`
let db: Database
beforeAll(async () => {
  address = await cloneDatabase()
  owner = open(address)
  db = open(address, true)
  for (const id of ['ten_a', 'ten_b']) {
    await owner.sql`INSERT INTO tenants (tenant_id, name, plan, limits, status, retention_months, rules_version,
        settings_version, edges_version, clean_streak_days, created_at)
      VALUES (${id}, 'Acme', 'starter', '{}', 'active', 12, 1, 1, 1, 30, ${new Date(START)})`
    await owner.sql`INSERT INTO jobs (tenant_id, job_id, kind, status, scope, processed, changed, events, cursor,
        failures, fence, requested_by, created_at)
      VALUES (${id}, ${`job_${id}`}, 'test', 'queued', '{}', 0, 0, 0, '', 0, 0, '', ${new Date(START)})`
  }
})

const failure = (work: Promise<unknown>) => work.then(() => 'none', errorCode)

describe('the catalog', () => {
  it('has the policies on every table with a tenant_id, and no rights on any other', async () => {
    const tables = await owner.sql`
      SELECT c.relname AS name, c.relrowsecurity AS secured,
        (SELECT string_agg(polname || ' ' || pg_get_expr(polqual, polrelid), '; ' ORDER BY polname)
          FROM pg_policy WHERE polrelid = c.oid AND polname = 'tenant_rows') AS policy,
        has_table_privilege(${roles.tenant}, c.oid, 'UPDATE') AS writable,
        EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tenant_id') AS tenanted
      FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'm', 'f')`
    expect(tables.length).toBeGreaterThan(40)
    for (const { name, tenanted, ...found } of tables) {
      const policy =
        "tenant_rows (tenant_id = ( SELECT current_setting('bellwether.tenant_id'::text, true) AS current_setting))"
      const wanted = tenanted
        ? { secured: true, policy, writable: true }
        : { secured: false, policy: null, writable: false }
      expect(found, name).toEqual(wanted)
    }
    expect(tables.filter(one => !one.tenanted).map(one => one.name)).toEqual(['schema_migrations'])
  })

  it('lets a look across tenants see the listed columns and no other', async () => {
    const seen =
      await owner.sql`SELECT c.relname AS table, array_agg(a.attname::text ORDER BY a.attname) AS columns
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
        AND has_column_privilege(${roles.scan}, c.oid, a.attnum, 'SELECT') AND c.relname <> 'schema_migrations'
      GROUP BY 1`
    const columns = Object.fromEntries(seen.map(row => [row.table, row.columns]))
    const listed = Object.entries(SCAN_COLUMNS).map(([name, list]) => [name, [...list].sort()])
    expect(columns).toEqual(Object.fromEntries(listed))
  })

  it('knows roles that own nothing, may do nothing else and can bypass nothing', async () => {
    const found =
      await owner.sql`SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolinherit
        OR rolreplication AS strong, (SELECT count(*) FROM pg_class WHERE relowner = r.oid) AS owned
      FROM pg_roles r WHERE rolname IN (${roles.tenant}, ${roles.scan})`
    expect([...found]).toEqual([
      { strong: false, owned: 0 },
      { strong: false, owned: 0 },
    ])
  })
})

describe('a transaction', () => {
  it('sees and changes the rows of its tenant alone, whatever its statements say', async () => {
    const jobs = await db.inTenant('ten_a', tx => tx`SELECT job_id FROM jobs`)
    expect(jobs.map(row => row.job_id)).toEqual(['job_ten_a'])
    const set = await db.inTenant('ten_a', tx => tx`UPDATE jobs SET failures = 1 RETURNING job_id`)
    expect(set).toHaveLength(1)
    const change = db.inTenant('ten_a', tx => tx`UPDATE jobs SET tenant_id = 'ten_b', job_id = 'x'`)
    expect(await failure(change)).toBe('42501')
    const strange = db.inTenant(
      'ten_a',
      tx => tx`INSERT INTO score_marks VALUES ('ten_b', now(), 0, 0)`,
    )
    expect(await failure(strange)).toBe('42501')
  })

  it('of nobody sees nothing, nor does a connection that was never told', async () => {
    for (const nobody of ['', "ten_a' OR 'a' = 'a", 'ten_a\\', 'ten_c']) {
      expect(await db.inTenant(nobody, tx => tx`SELECT 1 FROM tenants`)).toHaveLength(0)
    }
    expect(await db.sql`SELECT 1 FROM jobs`).toHaveLength(0)
    await db.inTenant('ten_a', tx => tx`SELECT 1 FROM jobs`)
    expect(await db.sql`SELECT 1 FROM jobs`).toHaveLength(0)
  })

  it('across tenants sees ids and due times, writes nothing, and is over with its end', async () => {
    const found = await db.acrossTenants(tx => tx`SELECT job_id FROM jobs ORDER BY tenant_id`)
    expect(found.map(row => row.job_id)).toEqual(['job_ten_a', 'job_ten_b'])
    expect(await failure(db.acrossTenants(tx => tx`SELECT kind FROM jobs`))).toBe('42501')
    expect(await failure(db.acrossTenants(tx => tx`SELECT name FROM tenants`))).toBe('42501')
    expect(await failure(db.acrossTenants(tx => tx`SELECT email FROM employees`))).toBe('42501')
    expect(await failure(db.acrossTenants(tx => tx`SELECT * FROM employee_texts`))).toBe('42501')
    expect(await db.inTenant('ten_b', tx => tx`SELECT kind FROM jobs`)).toHaveLength(1)
  })

  it('behind a pooler takes its role itself', async () => {
    const pooled = openDatabase({ address, pool: 1, prepare: false, roles })
    opened.push(pooled)
    expect(await pooled.inTenant('ten_a', tx => tx`SELECT job_id FROM jobs`)).toHaveLength(1)
    expect(await pooled.acrossTenants(tx => tx`SELECT job_id FROM jobs`)).toHaveLength(2)
  })
})

describe('migrate', () => {
  it('shuts the lock on a table that a migration forgot', async () => {
    await owner.sql`CREATE TABLE forgotten (tenant_id text NOT NULL PRIMARY KEY)`
    await owner.sql`INSERT INTO forgotten VALUES ('ten_a'), ('ten_b')`
    const look = () => db.inTenant('ten_a', tx => tx`SELECT 1 FROM forgotten`)
    expect(await failure(look())).toBe('42501')
    expect((await migrate(owner, START)).lock).toEqual({ roles, missing: [] })
    expect(await look()).toHaveLength(1)
    await owner.sql`DROP TABLE forgotten`
  })

  it('says what an administrator has to run where it may not, and goes on from there', async () => {
    const user = `weak_${address.database.slice(-8)}`
    const own = nameRoles(user)
    await owner.sql.unsafe(`CREATE ROLE ${user} LOGIN NOSUPERUSER ${password()}`)
    await owner.sql.unsafe(`CREATE DATABASE ${user} OWNER ${user}`)
    const weak = open({ ...address, user, database: user })
    const first = await migrate(weak, START, { roles: own })
    expect(first.lock.roles).toBeNull()
    expect(first.lock.missing).toEqual([
      `CREATE ROLE ${own.tenant} NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT`,
      `CREATE ROLE ${own.scan} NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT`,
      `GRANT ${own.tenant} TO ${user}`,
      `GRANT ${own.scan} TO ${user}`,
    ])
    for (const statement of first.lock.missing) await owner.sql.unsafe(statement)
    expect((await migrate(weak, START, { roles: own })).lock).toEqual({ roles: own, missing: [] })
  })

  it('makes the roles itself where it may, as a user that is no administrator', async () => {
    const user = `maker_${address.database.slice(-8)}`
    const own = nameRoles(user)
    await owner.sql.unsafe(`CREATE ROLE ${user} LOGIN CREATEROLE ${password()}`)
    await owner.sql.unsafe(`CREATE DATABASE ${user} OWNER ${user}`)
    const maker = open({ ...address, user, database: user })
    expect((await migrate(maker, START, { roles: own })).lock).toEqual({ roles: own, missing: [] })
    const bound = openDatabase({
      address: { ...address, user, database: user },
      pool: 1,
      prepare: true,
      roles: own,
    })
    opened.push(bound)
    expect(await bound.acrossTenants(tx => tx`SELECT tenant_id FROM tenants`)).toHaveLength(0)
    expect(await bound.inTenant('ten_a', tx => tx`SELECT current_user AS name`)).toMatchObject([
      { name: own.tenant },
    ])
  })

  it('finds the lock shut for a user that owns nothing, which then works in it', async () => {
    const user = `guest_${address.database.slice(-8)}`
    await owner.sql.unsafe(
      `CREATE ROLE ${user} LOGIN NOINHERIT ${password()} IN ROLE ${roles.tenant}, ${roles.scan}`,
    )
    const guest = open({ ...address, user })
    expect((await migrate(guest, START)).lock).toEqual({ roles, missing: [] })
    const bound = open({ ...address, user }, true)
    expect(await bound.inTenant('ten_a', tx => tx`SELECT job_id FROM jobs`)).toHaveLength(1)
    expect(await bound.acrossTenants(tx => tx`SELECT job_id FROM jobs`)).toHaveLength(2)
    const back = bound.inTenant('ten_a', async tx => {
      await tx`SELECT set_config('role', 'none', true)`
      return tx`SELECT job_id FROM jobs`
    })
    expect(await failure(back)).toBe('42501')
  })

  it('refuses a role that could bypass the policies', async () => {
    const strong = nameRoles(`strong_${address.database.slice(-8)}`)
    await owner.sql.unsafe(`CREATE ROLE ${strong.tenant} BYPASSRLS`)
    await expect(migrate(owner, START, { roles: strong })).rejects.toThrow('may bypass')
  })
})
