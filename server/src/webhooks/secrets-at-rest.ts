// Signing secrets as they are stored: sealed, and bound to their subscription.
import type { Instant } from '../platform/clock.ts'
import { openOrNull, type Sealed, type Secrets } from '../platform/secrets.ts'
import { readSecret, type SigningKey, type SigningKeys } from './signatures.ts'
import type { WebhookRow } from './webhooks.queries.ts'

function purpose(tenant_id: string, webhook_id: string): string {
  return `webhook ${tenant_id} ${webhook_id}`
}

export function sealSecret(
  secrets: Secrets,
  tenant_id: string,
  webhook_id: string,
  secret: string,
): string {
  return secrets.seal(secret, purpose(tenant_id, webhook_id))
}

type Stored = Pick<
  WebhookRow,
  'webhook_id' | 'secret' | 'new_secret' | 'rotation_ends_at' | 'activated_at'
>

/**
 * Null: what it is to be signed with was sealed with a key that is gone. Where that is so of the old secret alone, the
 * new one signs, before its day is over.
 */
export function openKeys(secrets: Secrets, tenant_id: string, row: Stored): SigningKeys | null {
  const open = (sealed: string): SigningKey | null => {
    const text = openOrNull(secrets, sealed, purpose(tenant_id, row.webhook_id))
    return text === null ? null : readSecret(text)
  }
  const secret = open(row.secret)
  const alone = { fresh: null, rotation_ends_at: null, activated: false }
  if (row.new_secret === null) return secret && { secret, ...alone }
  const fresh = open(row.new_secret)
  if (fresh === null) return null
  if (secret === null) return { secret: fresh, ...alone }
  const rotation_ends_at = row.rotation_ends_at?.getTime() ?? null
  return { secret, fresh, rotation_ends_at, activated: row.activated_at !== null }
}

/** Those it still signs with: once the day of a rotation is over, the one before it is not asked any more. */
export function listInForce(tenant_id: string, row: Stored, now: Instant): Sealed[] {
  const { webhook_id, secret, new_secret, rotation_ends_at } = row
  const over = new_secret !== null && now >= (rotation_ends_at?.getTime() ?? 0)
  const texts = over ? [new_secret] : [secret, new_secret]
  return texts
    .filter(text => text !== null)
    .map(sealed => ({ sealed, purpose: purpose(tenant_id, webhook_id) }))
}
