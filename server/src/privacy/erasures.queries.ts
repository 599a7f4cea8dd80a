// SQL of erasures: what is left to look for, and looking for it in whichever table, a chunk at a time.
import type { Tx } from '../platform/database.ts'
import type { Row, Statement } from '../platform/sql.ts'
import type { Column, Field, Target } from './sweep-plan.ts'

export type ErasureRow = {
  employee_id: string
  /** Sealed; null once nothing is left to look for. */
  traces: string | null
  pass: number
  /** Empty before the first. */
  table_name: string
  /** The key of the last row read, as JSON; empty at the beginning of a table. */
  cursor: string
  /** The key of the last delivery looked at for messages about the person; null when all of them are emptied. */
  messages_to: string | null
  /** That of the last event emptied, of somebody with very many; null when all of them are. */
  events_to: string | null
  rows_read: number
  rows_changed: number
  started_at: Date
  finished_at: Date | null
}

function columns(tx: Tx) {
  return tx`employee_id, traces, pass, table_name, cursor, messages_to, events_to, rows_read, rows_changed,
    started_at, finished_at`
}

/** Whoever was erased before keeps what is still being looked for. */
export async function insertErasure(
  tx: Tx,
  tenant_id: string,
  row: { employee_id: string; traces: string; started_at: Date },
): Promise<void> {
  await tx`INSERT INTO erasures (tenant_id, employee_id, traces, pass, table_name, cursor, messages_to, rows_read,
      rows_changed, started_at)
    VALUES (${tenant_id}, ${row.employee_id}, ${row.traces}, 0, '', '', '', 0, 0, ${row.started_at})
    ON CONFLICT (tenant_id, employee_id) DO NOTHING`
}

export async function findErasure(tx: Tx, tenant_id: string, employee_id: string) {
  const [row] = await tx<ErasureRow[]>`
    SELECT ${columns(tx)} FROM erasures WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}`
  return row
}

type Emptying = Pick<ErasureRow, 'messages_to' | 'events_to'>

/** Whether messages or events are to be emptied yet: before anything else is looked through. */
export const isEmptying = ({ messages_to, events_to }: Emptying): boolean =>
  messages_to !== null || events_to !== null

/** The release before ends a search without having emptied anything. In the words of the index. */
const isOpen = (tx: Tx) =>
  tx`(finished_at IS NULL OR messages_to IS NOT NULL OR events_to IS NOT NULL)`

export async function listOpenErasures(
  tx: Tx,
  tenant_id: string,
  after: string,
  limit: number,
): Promise<ErasureRow[]> {
  return tx<ErasureRow[]>`
    SELECT ${columns(tx)} FROM erasures
    WHERE tenant_id = ${tenant_id} AND ${isOpen(tx)} AND employee_id > ${after}
    ORDER BY employee_id LIMIT ${limit}`
}

/**
 * One whose messages and events are emptied. Invariant: held until commit, so that a piece is done by one worker only;
 * whoever comes second gets nothing.
 */
export async function takeErasure(tx: Tx, tenant_id: string, employee_id: string) {
  const [row] = await tx<ErasureRow[]>`
    SELECT ${columns(tx)} FROM erasures
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND finished_at IS NULL AND messages_to IS NULL
      AND events_to IS NULL
    FOR UPDATE SKIP LOCKED`
  return row
}

/** Invariant: in the transaction that takes the person out. */
export async function emptyEventsLater(tx: Tx, tenant_id: string, employee_id: string) {
  await tx`UPDATE erasures SET events_to = '' WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}`
}

/** How far messages and events are emptied, where some are left. Invariant: held likewise. */
export async function takeEmptying(tx: Tx, tenant_id: string, employee_id: string) {
  const [row] = await tx<Emptying[]>`
    SELECT messages_to, events_to FROM erasures
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}
      AND (messages_to IS NOT NULL OR events_to IS NOT NULL)
    FOR UPDATE SKIP LOCKED`
  return row
}

/** True where some are left. Invariant: the caller holds the row. */
export async function saveEmptied(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  next: Emptying,
  read: number,
): Promise<boolean> {
  await tx`UPDATE erasures SET messages_to = ${next.messages_to}, events_to = ${next.events_to},
      rows_read = rows_read + ${read}
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}`
  return isEmptying(next)
}

/** Invariant: the caller holds the row. */
export async function saveErasure(tx: Tx, tenant_id: string, row: ErasureRow): Promise<void> {
  await tx`UPDATE erasures SET traces = ${row.traces}, pass = ${row.pass}, table_name = ${row.table_name},
      cursor = ${row.cursor}, rows_read = ${row.rows_read}, rows_changed = ${row.rows_changed},
      finished_at = ${row.finished_at}
    WHERE tenant_id = ${tenant_id} AND employee_id = ${row.employee_id}`
}

/** Reads across tenants: ids only. */
export async function tenantsWithErasures(tx: Tx, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
      SELECT 1 FROM erasures e WHERE e.tenant_id = t.tenant_id AND ${isOpen(tx)})
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** Reads the catalog: every column of every table that holds rows of tenants, with its place in the key. */
export async function listColumns(tx: Tx): Promise<Column[]> {
  return tx<Column[]>`
    SELECT c.relname AS table, a.attname AS column, t.typname AS type,
      array_position(i.indkey::int2[], a.attnum) AS key
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname <> 'tenants' AND EXISTS (
      SELECT 1 FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'tenant_id')
    ORDER BY c.relname, a.attnum`
}

type Fragment = Statement<Row[]>

function join(tx: Tx, parts: readonly Fragment[]): Fragment {
  return parts.reduce((list, part) => tx`${list}, ${part}`)
}

const keyNames = (tx: Tx, { keys }: Target) =>
  join(
    tx,
    keys.map(({ name }) => tx`${tx(name)}`),
  )

const keyValues = (tx: Tx, { keys }: Target, cursor: readonly string[]) =>
  join(
    tx,
    keys.map(({ type }, i) => tx`${cursor[i]!}::text::${tx(type)}`),
  )

/** What a receiver answered may be kept as base64; it is looked through as the bytes it stands for. */
function readText(tx: Tx, { table }: Target, { name }: Field): Fragment {
  if (table === 'webhook_attempts' && name === 'response_body') {
    return tx`CASE WHEN response_encoding = 'base64'
      THEN encode(decode(response_body, 'base64'), 'escape') ELSE response_body END`
  }
  return tx`${tx(name)}::text`
}

export type SweptRow = { key: string; suspect: boolean; text: string }

/** The next rows after a key, and whether they may name the person; without a pattern all may, and their text comes too. */
export async function readSwept(
  tx: Tx,
  tenant_id: string,
  target: Target,
  cursor: readonly string[] | null,
  rough: string | null,
  limit: number,
): Promise<SweptRow[]> {
  const { table, keys, fields, chosen } = target
  const texts = [
    ...fields.map(field => readText(tx, target, field)),
    ...chosen.map(name => tx`${tx(name)}`),
  ]
  const text = tx`concat_ws(chr(10), ${join(tx, texts)})`
  const judged =
    rough === null
      ? tx`true AS suspect, ${text} AS text`
      : tx`lower(${text}) ~ (SELECT lower(${rough})) AS suspect, '' AS text`
  const after = cursor && tx`AND (${keyNames(tx, target)}) > (${keyValues(tx, target, cursor)})`
  return tx<SweptRow[]>`
    SELECT jsonb_build_array(${join(
      tx,
      keys.map(({ name }) => tx`${tx(name)}::text`),
    )})::text AS key, ${judged}
    FROM ${tx(table)} WHERE tenant_id = ${tenant_id} ${after ?? tx``}
    ORDER BY ${keyNames(tx, target)} LIMIT ${limit}`
}

/** Its texts, in the order of the target's fields and then of the chosen parts of its key; held until commit. */
export async function lockSwept(tx: Tx, tenant_id: string, target: Target, key: string[]) {
  const texts = [
    ...target.fields.map(field => readText(tx, target, field)),
    ...target.chosen.map(name => tx`${tx(name)}`),
  ]
  const [row] = await tx<{ texts: (string | null)[] }[]>`
    SELECT jsonb_build_array(${join(tx, texts)}) AS texts FROM ${tx(target.table)}
    WHERE tenant_id = ${tenant_id} AND (${keyNames(tx, target)}) = (${keyValues(tx, target, key)}) FOR UPDATE`
  return row?.texts
}

export async function removeSwept(tx: Tx, tenant_id: string, target: Target, key: string[]) {
  await tx`DELETE FROM ${tx(target.table)}
    WHERE tenant_id = ${tenant_id} AND (${keyNames(tx, target)}) = (${keyValues(tx, target, key)})`
}

/** Invariant: the caller holds the row. */
export async function rewriteSwept(
  tx: Tx,
  tenant_id: string,
  target: Target,
  key: string[],
  changed: readonly (Field & { text: string | null })[],
): Promise<void> {
  const changes = changed.map(
    ({ name, type, text }) => tx`${tx(name)} = ${text}::text::${tx(type)}`,
  )
  await tx`UPDATE ${tx(target.table)} SET ${join(tx, changes)}
    WHERE tenant_id = ${tenant_id} AND (${keyNames(tx, target)}) = (${keyValues(tx, target, key)})`
}

/** What unfinished jobs were asked for, where that may name the person. */
export async function listOpenScopes(tx: Tx, tenant_id: string, rough: string): Promise<string[]> {
  const rows = await tx<{ scope: string }[]>`
    SELECT scope::text AS scope FROM jobs
    WHERE tenant_id = ${tenant_id} AND finished_at IS NULL AND lower(scope::text) ~ lower(${rough})`
  return rows.map(row => row.scope)
}
