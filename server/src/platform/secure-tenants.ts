// Keeps the second lock shut: two roles, and a policy on every table that has a tenant_id, whoever made it.
import type { Database } from './database.ts'
import { errorCode } from './database-errors.ts'
import { type DatabaseRoles, nameRoles, SCAN_COLUMNS, TENANT_VIEWS } from './database-roles.ts'
import { inTurn } from './migration-turns.ts'

type Session = Database['sql']

export type Lock = {
  /** Null: the lock is open, and `missing` shuts it. */
  readonly roles: DatabaseRoles | null
  /** SQL for someone who may run it. */
  readonly missing: readonly string[]
}

export type LockOptions = {
  readonly roles?: DatabaseRoles
  /**
   * The password by which the tenants' role may sign in itself, so that a session has nothing to go back to; and it may
   * refresh the planner's statistics, which the demo does half-way.
   */
  readonly login?: string
}

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']
const NOT_ALLOWED = '42501'
/** Another runner, on another database of the same server, was faster. */
const THERE_ALREADY = ['42710', '23505']

/** Runs what is missing, a table at a time, and gives back what it may not run. */
export async function secureTenants(session: Session, options: LockOptions = {}): Promise<Lock> {
  const { roles = nameRoles(), login } = options
  const rights = login ? [...RIGHTS, 'MAINTAIN'] : RIGHTS
  const missing = await runAll(session, await listRoleFaults(session, roles, login))
  // Without its roles a policy could not be written down.
  if (missing.length === 0)
    missing.push(...(await runAll(session, await listFaults(session, roles, rights))))
  return { roles: missing.length === 0 ? roles : null, missing }
}

/** From the first that may not be run on, as the later ones rest on it. */
async function runAll(session: Session, statements: readonly string[]): Promise<string[]> {
  for (const [i, statement] of statements.entries()) {
    try {
      await inTurn(session, tx => tx.unsafe(statement))
    } catch (error) {
      const code = errorCode(error)
      if (code === NOT_ALLOWED) return statements.slice(i)
      if (!THERE_ALREADY.includes(code)) throw error
    }
  }
  return []
}

async function listRoleFaults(
  session: Session,
  { tenant, scan }: DatabaseRoles,
  login: string | undefined,
): Promise<string[]> {
  const rows = await session<{ name: string; strong: boolean; login: boolean }[]>`
    SELECT rolname AS name, rolsuper OR rolbypassrls AS strong, rolcanlogin AS login
    FROM pg_roles WHERE rolname IN (${tenant}, ${scan})`
  const strong = rows.find(row => row.strong)
  if (strong) throw new Error(`the role ${strong.name} may bypass row-level security`)
  const known = (name: string) => rows.find(row => row.name === name)
  const made = [tenant, scan].filter(name => !known(name))
  const user = await readUser(session, [tenant, scan].filter(known))
  return [
    ...made.map(name => `CREATE ROLE ${name} NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT`),
    ...(user.strong ? [] : [...made, ...user.strange].map(name => `GRANT ${name} TO ${user.name}`)),
    ...(login && !known(tenant)?.login
      ? [`ALTER ROLE ${tenant} LOGIN PASSWORD '${login}'`, `GRANT ${scan} TO ${tenant}`]
      : []),
  ]
}

/** Which of the roles the signed-in user could not take. */
async function readUser(session: Session, names: readonly string[]) {
  const [user] = await session<{ name: string; strong: boolean; may: string; session: string }[]>`
    SELECT quote_ident(session_user) AS name, rolsuper AS strong, session_user AS session,
      CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END AS may
    FROM pg_roles WHERE rolname = session_user`
  const strange: string[] = []
  for (const name of names) {
    const [row] = await session<{ fits: boolean }[]>`
      SELECT pg_has_role(${user!.session}, ${name}, ${user!.may}) AS fits`
    if (!row!.fits) strange.push(name)
  }
  return { name: user!.name, strong: user!.strong, strange }
}

type Table = {
  name: string
  quoted: string
  secured: boolean
  granted: boolean
  tenant_policy: boolean
  scan_policy: boolean
}

/** What each table lacks, as one piece of SQL: no moment has the grant without the policy. */
async function listFaults(
  session: Session,
  roles: DatabaseRoles,
  rights: readonly string[],
): Promise<string[]> {
  const faults = await listSchemaFaults(session, roles)
  for (const table of await listTables(session, roles, rights)) {
    const lacks = [
      ...(table.secured ? [] : [`ALTER TABLE ${table.quoted} ENABLE ROW LEVEL SECURITY`]),
      ...(table.tenant_policy ? [] : writePolicy(table, 'tenant_rows', `TO ${roles.tenant}`, OWN)),
      ...(table.granted
        ? []
        : [`GRANT ${rights.join(', ')} ON ${table.quoted} TO ${roles.tenant}`]),
      ...(await listScanFaults(session, roles, table)),
    ]
    if (lacks.length > 0) faults.push(lacks.join('; '))
  }
  return faults
}

/** As a subquery it is asked once a statement, not once a row. Where nothing is set it is null and no row fits. */
const OWN = `tenant_id = (SELECT current_setting('bellwether.tenant_id', true))`

function writePolicy({ quoted }: Table, name: string, to: string, using: string): string[] {
  return [
    `DROP POLICY IF EXISTS ${name} ON ${quoted}`,
    `CREATE POLICY ${name} ON ${quoted} ${to} USING (${using})`,
  ]
}

async function listTables(
  session: Session,
  { tenant, scan }: DatabaseRoles,
  rights: readonly string[],
): Promise<Table[]> {
  return session<Table[]>`
    SELECT c.relname AS name, quote_ident(c.relname) AS quoted, c.relrowsecurity AS secured,
      (SELECT bool_and(has_table_privilege(${tenant}, c.oid, r)) FROM unnest(${rights}::text[]) r) AS granted,
      ${hasPolicy(session, 'tenant_rows', tenant)} AS tenant_policy,
      ${hasPolicy(session, 'scan_rows', scan)} AS scan_policy
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') ORDER BY c.relname`
}

function hasPolicy(session: Session, name: string, role: string) {
  return session`EXISTS (SELECT 1 FROM pg_policy p
    WHERE p.polrelid = c.oid AND p.polname = ${name} AND p.polroles = ARRAY[${role}::regrole::oid])`
}

async function listScanFaults(session: Session, { scan }: DatabaseRoles, table: Table) {
  const columns = SCAN_COLUMNS[table.name]
  if (!columns) return []
  const rows = await session<{ column: string }[]>`
    SELECT quote_ident(a.attname) AS column FROM pg_attribute a
    WHERE a.attrelid = ${table.quoted}::regclass AND a.attname IN ${session(columns)}
      AND NOT has_column_privilege(${scan}, a.attrelid, a.attnum, 'SELECT') ORDER BY a.attnum`
  const unseen = rows.map(row => row.column).join(', ')
  return [
    ...(table.scan_policy ? [] : writePolicy(table, 'scan_rows', `FOR SELECT TO ${scan}`, 'true')),
    ...(unseen ? [`GRANT SELECT (${unseen}) ON ${table.quoted} TO ${scan}`] : []),
  ]
}

/** The schema itself, the list of migrations, which whoever starts reads first, and the views that hold to the tenant themselves. */
async function listSchemaFaults(session: Session, roles: DatabaseRoles): Promise<string[]> {
  const both = [roles.tenant, roles.scan]
  const rows = await session<{ text: string }[]>`
    SELECT format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), r) AS text
    FROM unnest(${both}::text[]) r WHERE NOT has_schema_privilege(r, current_schema(), 'USAGE')
    UNION ALL SELECT 'GRANT SELECT ON schema_migrations TO PUBLIC'
    WHERE NOT has_table_privilege('public', 'schema_migrations', 'SELECT')
    UNION ALL SELECT format('GRANT SELECT ON %I TO %I', v, ${roles.tenant}::text)
    FROM unnest(${TENANT_VIEWS}::text[]) v
    WHERE to_regclass(v) IS NOT NULL AND NOT has_table_privilege(${roles.tenant}, to_regclass(v), 'SELECT')`
  return rows.map(row => row.text)
}
