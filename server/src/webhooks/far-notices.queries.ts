// SQL that mends what a clock far ahead has written about mails to people: digests, and holds on the mail of a line.
import type { Tx } from '../platform/database.ts'
import type { Digest } from './inbox.queries.ts'

/** Instants beyond which no clock that is right can have written a hold, and the next digest of a day. */
export type FarNotices = { mail_after: Date; digest_after: Date; hold_after: Date }

/** Reads across tenants: ids only. A weekly digest may be further; how far each may be is seen in the tenant. */
export async function tenantsWithFarNotices(
  tx: Tx,
  { mail_after, digest_after, hold_after }: FarNotices,
  after: string,
  limit: number,
) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND (EXISTS (
      SELECT 1 FROM notification_digests d WHERE d.tenant_id = t.tenant_id
        AND (d.next_at > ${digest_after} OR d.lease_until > ${hold_after}))
    OR EXISTS (SELECT 1 FROM notifications n WHERE n.tenant_id = t.tenant_id
      AND n.mail_lease_until > ${mail_after}))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** A hold that is too far ends at the instant given. */
export async function mendHolds(
  tx: Tx,
  tenant_id: string,
  { mail_after, hold_after }: FarNotices,
  ends: { mail: Date; digest: Date },
): Promise<void> {
  await tx`UPDATE notifications SET mail_lease_until = ${ends.mail}
    WHERE tenant_id = ${tenant_id} AND mail_lease_until > ${mail_after}`
  await tx`UPDATE notification_digests SET lease_until = ${ends.digest}
    WHERE tenant_id = ${tenant_id} AND lease_until > ${hold_after}`
}

/** Those that may be too far away, held. */
export async function lockLaterDigests(tx: Tx, tenant_id: string, after: Date): Promise<Digest[]> {
  return tx<Digest[]>`SELECT user_id, frequency, told_until, next_at FROM notification_digests
    WHERE tenant_id = ${tenant_id} AND next_at > ${after} ORDER BY user_id FOR UPDATE`
}

/** Invariant: the caller holds the row. */
export async function placeDigest(
  tx: Tx,
  tenant_id: string,
  { user_id, told_until, next_at }: Digest,
): Promise<void> {
  await tx`UPDATE notification_digests SET told_until = ${told_until}, next_at = ${next_at}
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
}
