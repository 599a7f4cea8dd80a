// Signing secrets as they are stored: sealed, and bound to their subscription.
import type { Secrets } from '../platform/secrets.ts'
import { readSecret, type SigningKeys } from './signatures.ts'
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

type Sealed = Pick<
  WebhookRow,
  'webhook_id' | 'secret' | 'new_secret' | 'rotation_ends_at' | 'activated_at'
>

export function openKeys(secrets: Secrets, tenant_id: string, row: Sealed): SigningKeys {
  const open = (sealed: string) =>
    readSecret(secrets.open(sealed, purpose(tenant_id, row.webhook_id)))
  return {
    secret: open(row.secret),
    fresh: row.new_secret === null ? null : open(row.new_secret),
    rotation_ends_at: row.rotation_ends_at?.getTime() ?? null,
    activated: row.activated_at !== null,
  }
}
