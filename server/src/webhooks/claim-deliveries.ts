// Claims due deliveries of one tenant: a lease with a fencing id on as many as there is room and rate for.
import { randomBytes, randomInt } from 'node:crypto'
import { addBuckets, lockBuckets, saveBuckets } from '../access/access.queries.ts'
import { type BucketSpec, type BucketState, fullBucket, refill } from '../access/token-bucket.ts'
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { relaxCommit } from '../platform/relax-commit.ts'
import { step } from '../platform/steps.ts'
import { sendOff } from '../platform/write-together.ts'
import { limitsOf } from '../tenants/plans.ts'
import { findTenant, type Tenant } from '../tenants/tenants.queries.ts'
import {
  type ClaimedRow,
  type DuePlace,
  type DueWebhook,
  findClaim,
  findDueSpan,
  leaseDue,
  listDueWebhooks,
  type Quota,
  releaseLeases,
  skipDue,
} from './claims.queries.ts'
import { stopDeliveries } from './person.queries.ts'
import { openKeys } from './secrets-at-rest.ts'
import type { SigningKeys } from './signatures.ts'

/** At most so many of a tenant in one turn, so that none starves. */
const MOST_CLAIMED = 200
const MOST_SKIPPED = 500
/** Of so many subscriptions it is looked in one turn what is due behind people with very much, so many times each. */
const MOST_SHORT = 4
const MOST_LOOKS = 5

export type Delivery = ClaimedRow & {
  tenant_id: string
  fence: string
  lease_until: Instant
  /** When the rest was read. */
  known_at: Instant
  url: string
  /** Null: its secret cannot be opened. */
  keys: SigningKeys | null
}

/** How many more this process can hold, of the tenant and of each subscription. */
export type Room = {
  /** At most so many now, whatever the rest allows. */
  readonly all: number
  readonly tenant: number
  of(webhook_id: string): number
  /** Those of them it may have although the tenant has no room left. */
  kept(webhook_id: string): number
}

export type Claim = {
  deliveries: Delivery[]
  /** More can be claimed at once. */
  more: boolean
  /** Something due could not be claimed and may be once others are done. */
  hungry: boolean
  /** When the plan's rate allows the next one, counted from now. */
  wait_ms: number | null
}

const NOTHING: Claim = { deliveries: [], more: false, hungry: false, wait_ms: null }

export async function claimDeliveries(
  context: Context,
  tenant_id: string,
  room: Room,
  lease_ms: number,
): Promise<Claim> {
  const now = context.clock.now()
  const at = new Date(now)
  return context.db.inTenant(tenant_id, async tx => {
    const [, tenant, due, buckets] = await Promise.all([
      relaxCommit(tx),
      findTenant(tx, tenant_id),
      listDueWebhooks(tx, tenant_id, at, MOST_CLAIMED + 1),
      lockBuckets(tx, tenant_id, ['outbound']),
    ])
    if (tenant?.status !== 'active' || due.length === 0) return NOTHING
    const closed = due.filter(one => one.status !== 'enabled').map(one => one.webhook_id)
    const skipped = closed.length > 0 ? await skipDue(tx, tenant_id, closed, at, MOST_SKIPPED) : 0
    const open = due.filter(one => one.status === 'enabled')
    const spec = outboundBucket(tenant)
    const bucket = buckets[0]
      ? refill({ ...buckets[0], updated_at: buckets[0].updated_at.getTime() }, spec, now)
      : await firstBucket(tx, tenant_id, spec, now)
    const limit = Math.min(MOST_CLAIMED, Math.floor(bucket.tokens), room.all)
    const quotas = shareOut(open, room, limit)
    const lease_until = now + lease_ms
    const { rows, stopped } = await lease(tx, tenant_id, quotas, at, new Date(lease_until), bucket)
    if (rows.length > 0) step('delivery.leased')
    const times = { lease_until, known_at: now }
    const deliveries = prepare(context, tenant_id, rows, open, times)
    const left = open.reduce((sum, one) => sum + one.due, 0) - rows.length - stopped
    const { tokens } = bucket
    const spent = left > 0 && tokens < 1
    return {
      deliveries,
      more:
        skipped === MOST_SKIPPED ||
        (left > 0 && !spent && (stopped > 0 || (rows.length > 0 && rows.length === limit))),
      hungry: left > 0,
      wait_ms: spent ? Math.ceil(((1 - tokens) * 60_000) / spec.per_minute) : null,
    }
  })
}

/** Retries count too: the limit is on requests sent. */
function outboundBucket({ plan, limits }: Tenant): BucketSpec {
  const { outbound } = limitsOf(plan, limits)
  return { bucket: 'outbound', per_minute: outbound, capacity: outbound }
}

async function firstBucket(
  tx: Tx,
  tenant_id: string,
  spec: BucketSpec,
  now: Instant,
): Promise<BucketState> {
  const { tokens } = fullBucket(spec, now)
  const first = { bucket: 'outbound', tokens, updated_at: new Date(now) }
  await addBuckets(tx, tenant_id, [first])
  // Of a tenant that was just deleted none is kept.
  const [row = first] = await lockBuckets(tx, tenant_id, ['outbound'])
  return refill({ tokens: row.tokens, updated_at: row.updated_at.getTime() }, spec, now)
}

/** Of a subscription; `is_all`: nothing more is due to it than what is looked at. */
type Share = Quota & { is_all: boolean }

const BEGINNING: DuePlace = { at: new Date(0), position: 0 }

/**
 * Deals the room out one by one in a circle, so that a subscription with much due takes from no other; where the tenant
 * has none left, only what is kept for each.
 */
function shareOut(open: readonly DueWebhook[], room: Room, limit: number): Share[] {
  const quotas = open.map(({ webhook_id, due, last_at, last_position }) => {
    const [kept, most] = [room.kept(webhook_id), Math.min(due, room.of(webhook_id))]
    const last = { at: last_at, position: last_position }
    const span = { first: BEGINNING, last, is_all: due <= MOST_CLAIMED }
    return { webhook_id, kept: Math.min(kept, most), most, limit: 0, ...span }
  })
  let [left, shared] = [limit, room.tenant]
  while (left > 0) {
    const [bound, some] =
      shared > 0 ? (['most', Math.min(left, shared)] as const) : (['kept', left] as const)
    const takers = quotas.filter(quota => quota.limit < quota[bound]).slice(0, some)
    if (takers.length === 0) break
    for (const quota of takers) quota.limit += 1
    left -= takers.length
    shared -= takers.length
  }
  return quotas.filter(quota => quota.limit > 0)
}

type Leased = ClaimedRow & { fence: string }

/** Takes a token for each delivery leased; what tells of somebody erased is stopped instead. */
async function lease(
  tx: Tx,
  tenant_id: string,
  quotas: readonly Share[],
  now: Date,
  until: Date,
  bucket: BucketState,
): Promise<{ rows: Leased[]; stopped: number }> {
  if (quotas.length === 0) return { rows: [], stopped: 0 }
  const fence = randomBytes(12).toString('base64url')
  const found = await leaseDue(tx, tenant_id, quotas, [], now, fence, until)
  for (const quota of chooseShort(quotas, found)) {
    found.push(...(await leaseAround(tx, tenant_id, quota, now, fence, until)))
  }
  const erased = found.filter(row => row.erased)
  if (erased.length > 0) await stopDeliveries(tx, tenant_id, erased)
  const rows = found.filter(row => !row.erased)
  if (rows.length === 0) return { rows: [], stopped: erased.length }
  bucket.tokens -= rows.length
  const { tokens, updated_at } = bucket
  const left = { bucket: 'outbound', tokens, updated_at: new Date(updated_at) }
  sendOff(saveBuckets(tx, tenant_id, [left]))
  return { rows: rows.map(row => ({ ...row, fence })), stopped: erased.length }
}

/** Those that got less than they may although more is due, as far as this turn has time for them. */
function chooseShort(quotas: readonly Share[], rows: readonly ClaimedRow[]): Quota[] {
  const short = quotas
    .filter(quota => !quota.is_all)
    .map(quota => {
      const own = rows.filter(row => row.webhook_id === quota.webhook_id).length
      return { ...quota, limit: quota.limit - own }
    })
    .filter(quota => quota.limit > 0)
  const from = short.length > MOST_SHORT ? randomInt(short.length) : 0
  return [...short.slice(from), ...short.slice(0, from)].slice(0, MOST_SHORT)
}

/**
 * Where what is due next is about people of whom much is due and something is in somebody's hand, what is behind it is
 * claimed.
 */
async function leaseAround(
  tx: Tx,
  tenant_id: string,
  quota: Quota,
  now: Date,
  fence: string,
  until: Date,
): Promise<ClaimedRow[]> {
  const { webhook_id } = quota
  const held: string[] = []
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const span = await findDueSpan(tx, tenant_id, webhook_id, held, now, MOST_CLAIMED)
    if (span.first_at === null) return []
    held.push(...span.held)
    if (span.held.length > 0) continue
    const first = { at: span.first_at, position: span.first_position }
    const last = { at: span.last_at, position: span.last_position }
    return leaseDue(tx, tenant_id, [{ ...quota, first, last }], held, now, fence, until)
  }
  return []
}

function prepare(
  context: Context,
  tenant_id: string,
  rows: readonly Leased[],
  open: readonly DueWebhook[],
  times: Pick<Delivery, 'lease_until' | 'known_at'>,
): Delivery[] {
  const used = new Set(rows.map(row => row.webhook_id))
  const known = new Map(
    open
      .filter(({ webhook_id }) => used.has(webhook_id))
      .map(one => [
        one.webhook_id,
        { url: one.url, keys: openKeys(context.secrets, tenant_id, one) },
      ]),
  )
  return rows.map(row => ({ ...row, tenant_id, ...times, ...known.get(row.webhook_id)! }))
}

/** Asks again how a claimed delivery is to be sent; null: not at all, or not by us. */
export async function renewClaim(context: Context, delivery: Delivery): Promise<Delivery | null> {
  const { tenant_id } = delivery
  const known_at = context.clock.now()
  const row = await context.db.readTenant(tenant_id, tx => findClaim(tx, tenant_id, delivery))
  if (!row) return null
  const keys = openKeys(context.secrets, tenant_id, { ...delivery, ...row })
  return { ...delivery, url: row.url, keys, known_at }
}

/** Gives claimed deliveries back unsent, and the tokens that were taken for them. */
export async function giveBack(
  { db }: Context,
  tenant_id: string,
  unsent: readonly Delivery[],
): Promise<void> {
  await db.inTenant(tenant_id, async tx => {
    // Invariant: the bucket is locked before deliveries, as by whoever claims.
    const [bucket] = await lockBuckets(tx, tenant_id, ['outbound'])
    const given = await releaseLeases(tx, tenant_id, unsent)
    if (!bucket || given === 0) return
    await saveBuckets(tx, tenant_id, [{ ...bucket, tokens: bucket.tokens + given }])
  })
}
