// Creating, changing and removing subscriptions and rotating their secrets; the secret is shown once.
import { isDeepStrictEqual } from 'node:util'
import { requireScopeStill } from '../access/judge-originator.ts'
import type { Asked } from '../accounts/identity.ts'
import { requireStill } from '../accounts/require-still.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { holdGrant } from '../oauth/apps.queries.ts'
import { actorText, readActor } from '../platform/actor.ts'
import { HOUR, type Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { ApiError, conflict, invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { lockTenant } from '../tenants/tenants.queries.ts'
import { createGuard, NOT_ALLOWED } from './destination-guard.ts'
import { logRefusedUrl } from './log-destinations.ts'
import { sealSecret } from './secrets-at-rest.ts'
import { newSecret } from './signatures.ts'
import {
  countWebhooks,
  insertWebhook,
  lockWebhooks,
  updateWebhook,
  type WebhookRow,
} from './webhooks.queries.ts'
import type { NewWebhookInput, WebhookChangeInput } from './webhooks.schema.ts'

/** Bounds what one change costs to tell. */
export const MOST_WEBHOOKS = 50
/** How long the old secret is still valid. */
const ROTATION_MS = 24 * HOUR

export async function createWebhook(
  tx: Tx,
  asked: Asked,
  input: NewWebhookInput,
  context: Context,
) {
  const { tenant_id, origin, now } = asked
  const url = readUrl(context, asked, input.url)
  // Invariant: the tenant's row is held until commit, so that two of them cannot both be the last.
  await lockTenant(tx, tenant_id)
  await requireScopeStill(tx, asked, 'webhooks:write')
  await requireGrant(tx, asked)
  if ((await countWebhooks(tx, tenant_id)) >= MOST_WEBHOOKS) {
    throw conflict(`a tenant has at most ${MOST_WEBHOOKS} webhooks`)
  }
  const secret = newSecret()
  const webhook_id = newId('whk', now)
  const row: WebhookRow = {
    webhook_id,
    url,
    description: input.description ?? '',
    events: [...input.events],
    status: 'enabled',
    disabled_reason: null,
    disabled_at: null,
    secret: sealSecret(context.secrets, tenant_id, webhook_id, secret),
    new_secret: null,
    rotation_ends_at: null,
    activated_at: null,
    failures: 0,
    first_failed_at: null,
    created_by: actorText(origin.actor),
    grant_id: origin.actor.grant_id ?? null,
    created_at: new Date(now),
    updated_at: new Date(now),
  }
  await insertWebhook(tx, tenant_id, row)
  const after = { url: row.url, events: row.events, description: row.description }
  await audit(tx, asked, webhook_id, { action: 'webhook.created', after })
  return { ...showWebhook(row, now), secret }
}

/** Invariant: held until commit, so that a grant that ends finds all that was made through it. */
async function requireGrant(tx: Tx, { tenant_id, origin, now }: Asked): Promise<void> {
  const { grant_id } = origin.actor
  if (grant_id === undefined || (await holdGrant(tx, tenant_id, grant_id, new Date(now)))) return
  throw new ApiError('FORBIDDEN', 'the access of this token has ended')
}

/** What is not given stays; a change to what is there already is none. Whoever changes it does not become its maker. */
export async function changeWebhook(
  tx: Tx,
  asked: Asked,
  webhook_id: string,
  input: WebhookChangeInput,
  context: Context,
) {
  const { tenant_id, now } = asked
  const { url } = input
  const change = url === undefined ? input : { ...input, url: readUrl(context, asked, url) }
  const row = await lockOne(tx, asked, webhook_id)
  if (change.status === 'enabled' && row.disabled_reason === 'grant_ended') {
    throw conflict('the access it was made through has ended; an owner has to adopt it')
  }
  const before = changeable(row)
  Object.assign(row, change, whatFollows(row, change, now))
  const after = changeable(row)
  if (isDeepStrictEqual(before, after)) return showWebhook(row, now)
  row.updated_at = new Date(now)
  await updateWebhook(tx, tenant_id, row)
  await audit(tx, asked, webhook_id, { action: 'webhook.changed', before, after })
  return showWebhook(row, now)
}

/** What an app made becomes the owner's who asks: it is sent to again, and ends with no grant any more. */
export async function adoptWebhook(tx: Tx, asked: Asked, webhook_id: string) {
  const { tenant_id, origin, now } = asked
  await requireStill(tx, tenant_id, origin, 'webhooks:adopt')
  const row = await lockOne(tx, asked, webhook_id)
  if (readActor(row.created_by).kind !== 'app') throw conflict('only what an app made is adopted')
  const { status, created_by } = row
  Object.assign(row, whatFollows(row, { status: 'enabled' }, now))
  const own = { status: 'enabled', created_by: actorText(origin.actor), grant_id: null } as const
  Object.assign(row, own, { updated_at: new Date(now) })
  await updateWebhook(tx, tenant_id, row)
  const before = { status, created_by }
  const after = { status: row.status, created_by: row.created_by }
  await audit(tx, asked, webhook_id, { action: 'webhook.adopted', before, after })
  return showWebhook(row, now)
}

/** Enabling forgets the failures that came before, and so does another address: they were not its own. */
function whatFollows(
  row: WebhookRow,
  { url, status }: WebhookChangeInput,
  now: Instant,
): Partial<WebhookRow> {
  const moves = url !== undefined && url !== row.url
  const turns = status !== undefined && status !== row.status
  const enables = turns && status === 'enabled'
  return {
    ...(moves || enables ? { failures: 0, first_failed_at: null } : {}),
    ...(enables ? { disabled_reason: null, disabled_at: null } : {}),
    ...(turns && !enables ? { disabled_reason: 'manual', disabled_at: new Date(now) } : {}),
  }
}

/** The row stays, without secrets, until its log is forgotten; what is still due is not sent. */
export async function removeWebhook(tx: Tx, asked: Asked, webhook_id: string): Promise<void> {
  const { tenant_id, now } = asked
  const row = await lockOne(tx, asked, webhook_id)
  const before = changeable(row)
  Object.assign(row, { status: 'deleted', secret: '', new_secret: null, updated_at: new Date(now) })
  await updateWebhook(tx, tenant_id, row)
  await audit(tx, asked, webhook_id, { action: 'webhook.deleted', before })
}

/** For a day both secrets are valid; one that was not activated yet is replaced. */
export async function rotateSecret(tx: Tx, asked: Asked, webhook_id: string, { secrets }: Context) {
  const { tenant_id, now } = asked
  const row = await lockOne(tx, asked, webhook_id)
  const secret = newSecret()
  const before = rotation(row, now)
  const ended = isRotating(row, now) === false || row.activated_at !== null
  Object.assign(row, {
    secret: ended ? (row.new_secret ?? row.secret) : row.secret,
    new_secret: sealSecret(secrets, tenant_id, webhook_id, secret),
    rotation_ends_at: new Date(now + ROTATION_MS),
    activated_at: null,
    updated_at: new Date(now),
  })
  await updateWebhook(tx, tenant_id, row)
  await audit(tx, asked, webhook_id, {
    action: 'webhook.secret_rotated',
    before,
    after: rotation(row, now),
  })
  return { ...showWebhook(row, now), secret }
}

/** From here on X-Service-Signature is made with the new secret; without this, when the day has passed. */
export async function activateSecret(tx: Tx, asked: Asked, webhook_id: string) {
  const { tenant_id, now } = asked
  const row = await lockOne(tx, asked, webhook_id)
  if (!isRotating(row, now)) throw conflict('the secret is not being rotated')
  if (row.activated_at === null) {
    const before = rotation(row, now)
    Object.assign(row, { activated_at: new Date(now), updated_at: new Date(now) })
    await updateWebhook(tx, tenant_id, row)
    await audit(tx, asked, webhook_id, {
      action: 'webhook.secret_activated',
      before,
      after: rotation(row, now),
    })
  }
  return showWebhook(row, now)
}

/** Its plain form: by look-alike letters and marks of direction it would read as the address of somebody else. */
function readUrl(context: Context, asked: Asked, url: string): string {
  const { webhook_allow, webhook_deny } = context.config
  const fault = createGuard(webhook_allow, webhook_deny).checkUrl(url)
  if (fault?.message === NOT_ALLOWED) logRefusedUrl(context, asked, url)
  if (fault) throw invalid([fault])
  return new URL(url).href
}

async function lockOne(tx: Tx, asked: Asked, webhook_id: string): Promise<WebhookRow> {
  // A person is held before the webhook, as by whoever removes them; the others are asked again after the wait.
  await requireScopeStill(tx, asked, 'webhooks:write')
  const [row] = await lockWebhooks(tx, asked.tenant_id, [webhook_id])
  await requireScopeStill(tx, asked, 'webhooks:write')
  if (!row) throw notFound('webhook')
  requireOwn(row, asked)
  return row
}

/** By a token only what the same grant has made: anything else would go on, as the token left it, after the grant ends. */
function requireOwn({ grant_id }: WebhookRow, { origin }: Asked): void {
  const own = origin.actor.grant_id
  if (own === undefined || own === grant_id) return
  throw new ApiError('FORBIDDEN', 'an app changes only webhooks made through the same access')
}

function isRotating({ new_secret, rotation_ends_at }: WebhookRow, now: Instant): boolean {
  return new_secret !== null && (rotation_ends_at?.getTime() ?? 0) > now
}

/** What the log may know of a secret: whether a new one is on its way, and whether it signs already. */
function rotation(row: WebhookRow, now: Instant) {
  const { rotation_ends_at, new_secret_activated } = showWebhook(row, now)
  return { rotation_ends_at, new_secret_activated }
}

function changeable({ url, events, description, status }: WebhookRow) {
  return { url, events, description, status }
}

async function audit(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  webhook_id: string,
  change: { action: string; before?: unknown; after?: unknown },
): Promise<void> {
  const subject = { subject_kind: 'webhook', subject_id: webhook_id }
  await recordAudit(tx, tenant_id, now, origin, [{ ...subject, ...change }])
}

/** A subscription as callers see it. */
export function showWebhook(row: WebhookRow, now: Instant) {
  const rotating = isRotating(row, now)
  return {
    id: row.webhook_id,
    url: row.url,
    description: row.description,
    events: row.events,
    status: row.status as 'enabled' | 'disabled',
    disabled_reason: row.disabled_reason,
    disabled_at: row.disabled_at,
    failures: row.failures,
    rotation_ends_at: rotating ? row.rotation_ends_at : null,
    new_secret_activated: rotating && row.activated_at !== null,
    created_by: row.created_by,
    grant_id: row.grant_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
