// SQL of erasures: the row of one, and emptying what leads to a person, whichever table it is in, page by page.
import type { Tx } from '../platform/database.ts'
import type { Fragment } from '../platform/sql.ts'
import { ALIAS, EMPTY, type Left, type Personal, TABLES } from '../platform/tables.ts'

export type NewErasure = {
  job_id: string
  employee_id: string
  /** The keyed hash of the address: while it stands there an event for it is kept nowhere. */
  email_hash: Buffer
  scope: { addresses: boolean }
  requested_by: string
  now: Date
  lease_until: Date
}

/** Held by whoever asked for it from the first. */
export async function insertErasure(tx: Tx, tenant_id: string, one: NewErasure): Promise<void> {
  await tx`INSERT INTO jobs (tenant_id, job_id, kind, status, scope, processed, changed, events, cursor, failures,
      lease_until, fence, requested_by, employee_id, email_hash, created_at, started_at)
    VALUES (${tenant_id}, ${one.job_id}, 'erasure', 'running', ${JSON.stringify(one.scope)}::text::jsonb, 0, 0,
      0, '', 0, ${one.lease_until}, 1,
      ${one.requested_by}, ${one.employee_id}, ${one.email_hash}, ${one.now}, ${one.now})`
}

/** Jobs that run for somebody alone and have not ended: none of them goes on. */
export async function cancelJobsOf(tx: Tx, tenant_id: string, employee_id: string, now: Date) {
  await tx`UPDATE jobs SET status = 'cancelled', finished_at = ${now}, error = 'the person was erased'
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND finished_at IS NULL`
}

export async function isOpenErasure(tx: Tx, tenant_id: string, employee_id: string) {
  const rows = await tx`SELECT 1 FROM jobs
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND kind = 'erasure' AND finished_at IS NULL LIMIT 1`
  return rows.length > 0
}

export async function findAddressHash(tx: Tx, tenant_id: string, job_id: string) {
  const [row] = await tx<{ email_hash: Buffer | null }[]>`
    SELECT email_hash FROM jobs WHERE tenant_id = ${tenant_id} AND job_id = ${job_id}`
  return row?.email_hash ?? null
}

function join(tx: Tx, parts: readonly Fragment[], by: Fragment = tx`,`): Fragment {
  return parts.reduce((list, part) => tx`${list} ${by} ${part}`)
}

const namesOf = (tx: Tx, columns: readonly string[]) =>
  join(
    tx,
    columns.map(name => tx`t.${tx(name)}`),
  )

/** The values of the columns behind the subject, in which the rows are gone through; null before the first. */
export type Place = readonly unknown[] | null

function behind(tx: Tx, columns: readonly string[], after: Place): Fragment {
  if (after === null) return tx``
  const values = join(
    tx,
    after.map(value => tx`${value as string}`),
  )
  return tx`AND (${namesOf(tx, columns)}) > (${values})`
}

/** Invariant: a row that does not name the person by its column is never among them. */
function leadsTo(tx: Tx, tenant_id: string, table: string, employee_id: string): Fragment {
  const { subject } = TABLES[table]!
  if (subject === 'employee_ids') return tx`t.employee_ids @> ARRAY[${employee_id}]::text[]`
  if (table !== 'audit_entries') return tx`t.employee_id = ${employee_id}`
  // The log is valid without values only where the erasure is entered behind them.
  return tx`t.employee_id = ${employee_id} AND t.seq < (SELECT max(x.seq) FROM audit_entries x
    WHERE x.tenant_id = ${tenant_id} AND x.employee_id = ${employee_id} AND x.action = 'employee.erased')`
}

type Key = Record<string, unknown>

/**
 * The next rows about somebody, as far as their keys go, and where they end; null: nothing is behind them. Where no index
 * leads to them so many rows of the tenant are looked at.
 */
export async function readPage(
  tx: Tx,
  tenant_id: string,
  table: string,
  employee_id: string,
  after: Place,
  limit: number,
): Promise<{ rows: readonly Key[]; end: Place }> {
  const { key, walk, all = false } = { ...TABLES[table]!, ...TABLES[table]!.walk }
  const { by } = walk!
  const columns = [...new Set([...by, ...key, ...dependentsOf(table).flatMap(one => one.by)])]
  const theirs = leadsTo(tx, tenant_id, table, employee_id)
  const order = namesOf(tx, by)
  const from = tx`FROM ${tx(table)} t WHERE t.tenant_id = ${tenant_id} ${behind(tx, by, after)}`
  const page = all ? tx`` : tx`AND ${theirs}`
  const last = await tx<Key[]>`
    SELECT ${order} ${from} ${page} ORDER BY ${order} LIMIT 1 OFFSET ${limit - 1}`
  const end = last.length === 0 ? null : by.map(name => last[0]![name])
  const until =
    end &&
    tx`AND (${order}) <= (${join(
      tx,
      end.map(value => tx`${value as string}`),
    )})`
  const rows = await tx<
    Key[]
  >`SELECT ${namesOf(tx, columns)} ${from} AND ${theirs} ${until ?? tx``} ORDER BY ${order} FOR UPDATE`
  return { rows, end }
}

/** Some rows that hold an address in the column, as far as their keys go. */
export async function readByAddress(
  tx: Tx,
  tenant_id: string,
  table: string,
  column: string,
  email_key: string,
  limit: number,
): Promise<readonly Key[]> {
  const key = namesOf(tx, TABLES[table]!.key)
  return tx<Key[]>`SELECT ${key} FROM ${tx(table)} t WHERE t.tenant_id = ${tenant_id}
    AND t.${tx(column)} = ${email_key} ORDER BY ${key} LIMIT ${limit} FOR UPDATE`
}

/** The addresses in a column, each once, in order. */
export async function listAddresses(
  tx: Tx,
  tenant_id: string,
  table: string,
  column: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await tx<{ address: string }[]>`
    SELECT DISTINCT t.${tx(column)} AS address FROM ${tx(table)} t
    WHERE t.tenant_id = ${tenant_id} AND t.${tx(column)} <> '' AND t.${tx(column)} > ${after}
    ORDER BY 1 LIMIT ${limit}`
  return rows.map(row => row.address)
}

/** Tables whose rows lead to a person by way of another table. */
export function dependentsOf(table: string) {
  return Object.entries(TABLES).flatMap(([name, { subject, personal }]) =>
    typeof subject === 'object' && subject?.of === table && personal !== null
      ? [{ table: name, by: subject.by, personal }]
      : [],
  )
}

/** Of all columns by which rows are found one alone is no text. */
const typeOf = (column: string) => (column === 'seq' ? 'int8' : 'text')

/** Leaves of these rows what is said, or nothing. */
export async function emptyRows(
  tx: Tx,
  tenant_id: string,
  { table, by, personal }: { table: string; by: readonly string[]; personal: Personal },
  rows: readonly Key[],
  alias: string,
): Promise<void> {
  if (rows.length === 0) return
  const lists = by.map(name => tx`${rows.map(row => row[name] as string)}::${tx(typeOf(name))}[]`)
  const names = by.map(name => tx`${tx(name)}`)
  const same = join(
    tx,
    by.map(name => tx`t.${tx(name)} = u.${tx(name)}`),
    tx`AND`,
  )
  if (personal === 'delete') {
    await tx`DELETE FROM ${tx(table)} t USING unnest(${join(tx, lists)}) AS u(${join(tx, names)})
      WHERE t.tenant_id = ${tenant_id} AND ${same}`
    return
  }
  const changes = Object.entries(personal).map(([column, left]) => leave(tx, column, left, alias))
  await tx`UPDATE ${tx(table)} t SET ${join(tx, changes)}
    FROM unnest(${join(tx, lists)}) AS u(${join(tx, names)})
    WHERE t.tenant_id = ${tenant_id} AND ${same}`
}

function leave(tx: Tx, column: string, left: Left, alias: string): Fragment {
  const name = tx(column)
  if (left === null) return tx`${name} = NULL`
  if (left === EMPTY) return tx`${name} = '{}'::jsonb`
  if (typeof left === 'object' && 'put' in left) {
    return tx`${name} = t.${name} || ${JSON.stringify(left.put)}::text::jsonb`
  }
  const text = left === ALIAS ? alias : (left as string)
  return tx`${name} = CASE WHEN t.${name} IS NULL THEN NULL ELSE ${text}::text END`
}
