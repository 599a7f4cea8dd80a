// SQL of inbound events that matched no employee: kept for a while, listed, replayed, removed.
import { createHash } from 'node:crypto'
import { emailKey } from '../employees/email-address.ts'
import type { Repeatable } from '../idempotency/answer-once.ts'
import { DAY, type Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import type { Sorting } from '../platform/sorting.ts'
import type { EventInput } from './event-input.ts'

const KEPT_DAYS = 30

export type UnmatchedRow = {
  unmatched_id: string
  source: string
  type: string
  employee_email: string
  timestamp: Date
  details: Record<string, unknown>
  external_id: string | null
  received_at: Date
  expires_at: Date
  actor: string
}

export type Lost = { input: EventInput; actor: string; repeatable: Repeatable }

/** What tells that two are the same: the external id, else the Idempotency-Key with the body. */
function sameness({ input, repeatable }: Lost): string | null {
  if (input.external_id !== null) return `${input.source}\n${input.external_id}`
  return repeatable && `${repeatable.request}\n${repeatable.body_hash.toString('hex')}`
}

/** Its id follows from what makes it the same, so that two are one row, and nothing is looked for by other columns. */
function nameUnmatched(lost: Lost, now: Instant): string {
  const same = sameness(lost)
  if (same === null) return newId('unm', now)
  return `unm_${createHash('sha256').update(same).digest('hex').slice(0, 32)}`
}

/**
 * Under an Idempotency-Key alone what was kept may be sent again and replayed. Either way it goes by the name it was
 * kept under, so that it is scored once. Asked in one statement: a replay takes the name before the row goes.
 */
export async function recallUnmatched<T extends Lost & { known_as?: string }>(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  asked: readonly T[],
): Promise<readonly T[]> {
  const mayBe = ({ input, repeatable }: Lost) =>
    input.keep_unmatched && input.external_id === null && repeatable !== null
  const names = new Map(asked.filter(mayBe).map(one => [one, nameUnmatched(one, now)]))
  if (names.size === 0) return asked
  const rows = await tx<{ name: string }[]>`
    SELECT u.name FROM (SELECT unnest(${[...names.values()]}::text[]) AS name,
      unnest(${[...names.keys()].map(one => one.input.source)}::text[]) AS source) AS u
    WHERE EXISTS (SELECT 1 FROM unmatched_events o
        WHERE o.tenant_id = ${tenant_id} AND o.unmatched_id = u.name)
      OR EXISTS (SELECT 1 FROM external_ids x
        WHERE x.tenant_id = ${tenant_id} AND x.source = u.source AND x.external_id = u.name)`
  const kept = new Set(rows.map(row => row.name))
  return asked.map(one => {
    const known_as = names.get(one)
    return known_as !== undefined && kept.has(known_as) ? { ...one, known_as } : one
  })
}

/** What was kept and came again, to be scored this time, is no longer unmatched. */
export async function dropMatched(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  matched: readonly (Lost & { known_as?: string })[],
): Promise<void> {
  const named = matched.filter(
    ({ input, known_as }) => input.keep_unmatched && (input.external_id ?? known_as) !== undefined,
  )
  if (named.length === 0) return
  const names = named.map(one => nameUnmatched(one, now)).sort()
  await tx`DELETE FROM unmatched_events WHERE tenant_id = ${tenant_id} AND unmatched_id = ANY(${names}::text[])`
}

/** One that is sent again is kept once; one that has expired makes room. */
export async function keepUnmatched(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  lost: readonly Lost[],
): Promise<void> {
  const named = lost.map(one => ({ ...one, unmatched_id: nameUnmatched(one, now) }))
  // In one order everywhere, so that no two writers cross.
  named.sort((a, b) => (a.unmatched_id < b.unmatched_id ? -1 : 1))
  for (const { input, actor, unmatched_id } of named) {
    await tx`INSERT INTO unmatched_events AS x (tenant_id, unmatched_id, source, type, employee_email, timestamp,
        details, external_id, received_at, expires_at, actor, email_key)
      SELECT tn.tenant_id, ${unmatched_id}, ${input.source}, ${input.type}, ${input.employee_email},
        ${new Date(input.timestamp ?? now)}::timestamptz, ${JSON.stringify(input.details)}::text::jsonb,
        ${input.external_id}::text, ${new Date(now)}::timestamptz,
        ${new Date(now + KEPT_DAYS * DAY)}::timestamptz, ${actor}, ${emailKey(input.employee_email)}
      FROM tenants tn WHERE tn.tenant_id = ${tenant_id}
      ON CONFLICT (tenant_id, unmatched_id) DO UPDATE SET type = EXCLUDED.type,
        employee_email = EXCLUDED.employee_email, email_key = EXCLUDED.email_key, timestamp = EXCLUDED.timestamp, details = EXCLUDED.details,
        received_at = EXCLUDED.received_at, expires_at = EXCLUDED.expires_at, actor = EXCLUDED.actor
      WHERE x.expires_at <= ${new Date(now)}`
  }
}

/** All are kept equally long, so they end in the order in which they came, and that has an index. */
const SORTED = {
  received_at: 'expires_at',
  type: 'type',
  source: 'source',
  email: 'employee_email',
} as const

function orderBy(tx: Tx, { sort, order }: Sorting<keyof typeof SORTED>) {
  const by = tx(SORTED[sort])
  return order === 'asc'
    ? tx`${by}, expires_at, unmatched_id`
    : tx`${by} DESC, expires_at DESC, unmatched_id DESC`
}

export async function listUnmatched(
  tx: Tx,
  tenant_id: string,
  now: Date,
  sorting: Sorting<keyof typeof SORTED>,
  { per_page, offset }: { per_page: number; offset: number },
) {
  return tx<UnmatchedRow[]>`
    SELECT unmatched_id, source, type, employee_email, timestamp, details, external_id, received_at,
      expires_at, actor
    FROM unmatched_events WHERE tenant_id = ${tenant_id} AND expires_at > ${now}
    ORDER BY ${orderBy(tx, sorting)} LIMIT ${per_page} OFFSET ${offset}`
}

export async function countUnmatched(tx: Tx, tenant_id: string, now: Date): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM unmatched_events WHERE tenant_id = ${tenant_id} AND expires_at > ${now}`
  return row?.n ?? 0
}

export async function findUnmatched(tx: Tx, tenant_id: string, unmatched_id: string, now: Date) {
  const [row] = await tx<UnmatchedRow[]>`
    SELECT unmatched_id, source, type, employee_email, timestamp, details, external_id, received_at,
      expires_at, actor
    FROM unmatched_events
    WHERE tenant_id = ${tenant_id} AND unmatched_id = ${unmatched_id} AND expires_at > ${now}`
  return row
}

export async function deleteUnmatched(tx: Tx, tenant_id: string, unmatched_id: string) {
  await tx`DELETE FROM unmatched_events WHERE tenant_id = ${tenant_id} AND unmatched_id = ${unmatched_id}`
}

/** Asked of the row itself too, which after a wait may have been renewed. */
export async function dropExpiredUnmatched(tx: Tx, tenant_id: string, now: Date) {
  await tx`DELETE FROM unmatched_events WHERE tenant_id = ${tenant_id} AND expires_at <= ${now} AND unmatched_id IN (
    SELECT unmatched_id FROM unmatched_events WHERE tenant_id = ${tenant_id} AND expires_at <= ${now} LIMIT 1000)`
}

/** Reads across tenants: ids only. */
export async function tenantsWithExpiredUnmatched(tx: Tx, now: Date, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
      SELECT 1 FROM unmatched_events u WHERE u.tenant_id = t.tenant_id AND u.expires_at <= ${now})
    ORDER BY t.tenant_id LIMIT ${limit}`
}
