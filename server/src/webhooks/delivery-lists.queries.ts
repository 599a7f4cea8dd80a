// SQL of the lists of deliveries. Every event adds to them, so only what is seldom has an index of its own; a list that is
// sorted by another column than the key is read part by part, each along an index, until the page is full.
import type { Tx } from '../platform/database.ts'
import type { Order, Sorting } from '../platform/sorting.ts'
import type { Write } from '../platform/write-together.ts'
import type { DeliveryRow, DeliveryStatus } from './deliveries.queries.ts'
import { isErased } from './person.queries.ts'

export type DeliveryFilter = { status?: DeliveryStatus; event?: string }
export type DeliverySorting = Sorting<'created_at' | 'event' | 'status' | 'attempts'>
type Reach = { per_page: number; offset: number }
type Log = { tx: Tx; tenant_id: string; webhook_id: string }

type By = 'delivery_id' | 'event' | 'status' | 'attempts'
/** A stretch of the sorted list: what is in it, and what it is sorted by before the key. */
type Part = { filter: DeliveryFilter; is: Write | null; by: By }

/** Sent for most events, in the order of their names; an index holds the other kinds. */
const FREQUENT = ['event.ingested', 'score.band_changed', 'score.updated'] as const
const STATUSES = ['delivered', 'failed', 'pending', 'retrying', 'skipped'] as const
/** A kind that is not among so many at the end where the list begins is not walked for by itself. */
const LOOKED_AT = 1000

function isSeldom(tx: Tx): Write {
  return tx`d.event NOT IN ('event.ingested', 'score.band_changed', 'score.updated')`
}

function isMissed(tx: Tx): Write {
  return tx`d.status IN ('failed', 'skipped')`
}

const isFrequent = (event: string) => FREQUENT.some(kind => kind === event)

/** Found by an index, so that all of it may be sorted. */
function isFew({ status, event }: DeliveryFilter): boolean {
  const isSent = status === undefined || status === 'delivered'
  return !isSent || (event !== undefined && !isFrequent(event))
}

/** What is to be sent has its next attempt, and so an index; what was missed has one by its status: said in the words of the index. */
function where(tx: Tx, { status, event }: DeliveryFilter) {
  return tx`${status ? tx`AND d.status = ${status}` : tx``}
    ${status === 'pending' || status === 'retrying' ? tx`AND d.next_attempt_at IS NOT NULL` : tx``}
    ${status === 'failed' || status === 'skipped' ? tx`AND ${isMissed(tx)}` : tx``}
    ${event === undefined ? tx`` : tx`AND d.event = ${event}`}
    ${event === undefined || isFrequent(event) ? tx`` : tx`AND ${isSeldom(tx)}`}`
}

function from({ tx, tenant_id, webhook_id }: Log, { filter, is }: Omit<Part, 'by'>) {
  return tx`FROM webhook_deliveries d WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = ${webhook_id}
    ${where(tx, filter)} ${is ? tx`AND ${is}` : tx``}`
}

function orderBy(tx: Tx, by: By, order: Order) {
  const column = tx(by)
  return order === 'asc' ? tx`d.${column}, d.delivery_id` : tx`d.${column} DESC, d.delivery_id DESC`
}

/** Invariant: in a transaction of one moment, or what changes meanwhile could be found in two parts. */
export async function listDeliveries(
  tx: Tx,
  tenant_id: string,
  webhook_id: string,
  filter: DeliveryFilter,
  { sort, order }: DeliverySorting,
  reach: Reach,
  count = () => countDeliveries(tx, tenant_id, webhook_id, filter),
): Promise<DeliveryRow[]> {
  const log = { tx, tenant_id, webhook_id }
  const parts = await cutList(log, filter, { sort, order })
  const ids = await findPage(log, parts, order, reach, count)
  return tx<DeliveryRow[]>`
    SELECT d.delivery_id AS id, d.webhook_id, d.event, d.status, d.attempts, d.last_response_status,
      CASE WHEN ${isErased(tx, tenant_id, tx`d`)} THEN NULL ELSE d.last_error END AS last_error,
      d.next_attempt_at, d.created_at
    FROM webhook_deliveries d WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = ${webhook_id}
      AND d.delivery_id = ANY(${ids}::text[])
    ORDER BY ${orderBy(tx, sort === 'created_at' ? 'delivery_id' : sort, order)}`
}

/** The keys of a page. A part before it is counted; only one that reaches into it is walked. */
async function findPage(
  log: Log,
  parts: readonly Part[],
  order: Order,
  { per_page, offset }: Reach,
  count: () => Promise<number>,
): Promise<string[]> {
  const ids: string[] = []
  let before = offset
  for (const part of parts) {
    const isAll = parts.length === 1
    const isCounted = before > 0 && (isAll || part !== parts.at(-1))
    const n = isCounted ? await (isAll ? count() : countPart(log, part)) : Infinity
    if (n <= before) {
      before -= n
      continue
    }
    ids.push(...(await walkPart(log, part, order, n, before, per_page - ids.length)))
    if (ids.length === per_page) break
    before = 0
  }
  return ids
}

/** Some of a part of `n`, in either order: from its end where that is nearer. */
async function walkPart(
  log: Log,
  part: Part,
  order: Order,
  n: number,
  before: number,
  most: number,
): Promise<string[]> {
  const { tx } = log
  const limit = Math.min(most, n - before)
  const behind = n - before - limit
  const isFar = behind < before
  const way = isFar === (order === 'asc') ? 'desc' : 'asc'
  const rows = await tx<{ delivery_id: string }[]>`SELECT d.delivery_id ${from(log, part)}
    ORDER BY ${orderBy(tx, part.by, way)} LIMIT ${limit} OFFSET ${isFar ? behind : before}`
  return rows.map(row => row.delivery_id)
}

async function cutList(log: Log, filter: DeliveryFilter, { sort, order }: DeliverySorting) {
  const isOne = sort === 'created_at' || (sort !== 'attempts' && filter[sort] !== undefined)
  if (isOne) return [{ filter, is: null, by: 'delivery_id' as const }]
  if (isFew(filter)) return [{ filter, is: null, by: sort }]
  if (sort === 'event') return cutByEvent(log, filter, order)
  const parts = sort === 'status' ? cutByStatus(filter) : cutByAttempts(log.tx, filter)
  return order === 'asc' ? parts : parts.toReversed()
}

function cutByStatus(filter: DeliveryFilter): Part[] {
  return STATUSES.map(status => ({ filter: { ...filter, status }, is: null, by: 'delivery_id' }))
}

/** What was never attempted is still to be sent, or was missed. */
function cutByAttempts(tx: Tx, filter: DeliveryFilter): Part[] {
  const never = tx`d.attempts = 0
    AND (d.next_attempt_at IS NOT NULL OR ${isMissed(tx)})`
  return [
    { filter, is: never, by: 'delivery_id' },
    { filter, is: tx`d.attempts = 1`, by: 'delivery_id' },
    { filter, is: tx`d.attempts > 1`, by: 'attempts' },
  ]
}

/** Seldom kinds, a frequent one, and so on; from a frequent one on that is rare here, the rest is one part. */
async function cutByEvent(log: Log, filter: DeliveryFilter, order: Order): Promise<Part[]> {
  const { tx } = log
  const isAsc = order === 'asc'
  const near = await listKindsNear(log, order)
  const parts: Part[] = []
  let since: string | null = null
  const seldom = (until: string | null): Part => {
    const [low, high] = isAsc ? [since, until] : [until, since]
    const is = tx`${isSeldom(tx)} ${low === null ? tx`` : tx`AND d.event > ${low}`}
      ${high === null ? tx`` : tx`AND d.event < ${high}`}`
    return { filter, is, by: 'event' }
  }
  for (const event of isAsc ? FREQUENT : FREQUENT.toReversed()) {
    parts.push(seldom(event))
    if (!near.has(event)) {
      const rest = isAsc ? tx`d.event >= ${event}` : tx`d.event <= ${event}`
      return [...parts, { filter, is: rest, by: 'event' }]
    }
    parts.push({ filter: { ...filter, event }, is: null, by: 'delivery_id' })
    since = event
  }
  return [...parts, seldom(null)]
}

async function listKindsNear(log: Log, order: Order): Promise<ReadonlySet<string>> {
  const { tx } = log
  const rows = await tx<{ event: string }[]>`SELECT DISTINCT n.event FROM (
    SELECT d.event ${from(log, { filter: {}, is: null })}
    ORDER BY ${orderBy(tx, 'delivery_id', order)} LIMIT ${LOOKED_AT}) n`
  return new Set(rows.map(row => row.event))
}

export async function countDeliveries(
  tx: Tx,
  tenant_id: string,
  webhook_id: string,
  filter: DeliveryFilter,
): Promise<number> {
  return countPart({ tx, tenant_id, webhook_id }, { filter, is: null })
}

/** What was delivered is the rest: all of it, what is to be sent and what was missed have indexes. */
async function countPart(log: Log, { filter, is }: Omit<Part, 'by'>): Promise<number> {
  const { tx } = log
  const { status, event } = filter
  const count = (part: Omit<Part, 'by'>) => tx`SELECT count(*) ${from(log, part)}`
  const isRest = status === 'delivered' && event === undefined && is === null
  const to_send = tx`d.next_attempt_at IS NOT NULL`
  const n = isRest
    ? tx`(${count({ filter: {}, is })}) - (${count({ filter: {}, is: to_send })})
      - (${count({ filter: {}, is: isMissed(tx) })})`
    : tx`(${count({ filter, is })})`
  const [row] = await tx<{ n: number }[]>`SELECT ${n} AS n`
  return row!.n
}
