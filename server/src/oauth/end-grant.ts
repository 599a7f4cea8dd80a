// Ends a grant, and with it every token that came of it, on every process within a second, and every webhook.
import type { Asked } from '../accounts/identity.ts'
import { requireStill } from '../accounts/require-still.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { endWebhooks, type WhyEnded } from '../endings/end-access.ts'
import type { Tx } from '../platform/database.ts'
import { notFound } from '../platform/errors.ts'
import { findGrant, revokeGrant } from './apps.queries.ts'

export async function endGrant(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  grant_id: string,
  why: WhyEnded,
): Promise<void> {
  const before = await revokeGrant(tx, tenant_id, grant_id, new Date(now))
  if (!before) return
  const subject = { subject_kind: 'grant', subject_id: grant_id }
  const after = { why, revoked_at: new Date(now) }
  const ended = await endWebhooks(tx, tenant_id, now, { grant_id }, why)
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'grant.revoked', ...subject, before, after },
    ...ended,
  ])
}

/** By the person who gave it (`user_id`), or by someone who manages the tenant's apps (null). */
export async function endGrantById(
  tx: Tx,
  asked: Asked,
  grant_id: string,
  user_id: string | null,
): Promise<void> {
  const { tenant_id, origin } = asked
  if (user_id === null) await requireStill(tx, tenant_id, origin, 'apps:manage')
  const grant = await findGrant(tx, tenant_id, grant_id)
  const own = grant && (user_id === null || grant.user_id === user_id)
  if (!own || grant.revoked_at !== null) throw notFound('grant')
  await endGrant(tx, asked, grant_id, user_id === null ? 'admin' : 'user')
}
