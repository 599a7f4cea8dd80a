// SQL of reading notifications: who has read what, and the digests people have asked for.

import type { NotificationRow } from '../notifications/notifications.queries.ts'
import type { Tx } from '../platform/database.ts'

export type InboxRow = Omit<NotificationRow, 'raised_at' | 'mailed_at' | 'read_at'> & {
  read: boolean
}

/** Looked up for each line by its key (LIMIT 1), whatever is known of the table: for lines taken in their order. */
function isRead(tx: Tx, tenant_id: string, user_id: string) {
  return tx`(SELECT true FROM notification_reads r WHERE r.tenant_id = ${tenant_id} AND r.user_id = ${user_id}
    AND r.notification_id = n.notification_id LIMIT 1) IS NOT NULL`
}

/** The lines a person has read: left out of all of them, both are read once, whatever is known of the tables. */
function allRead(tx: Tx, tenant_id: string, user_id: string) {
  return tx`SELECT r.notification_id FROM notification_reads r
    WHERE r.tenant_id = ${tenant_id} AND r.user_id = ${user_id}`
}

/** Newest first. The page is found first: whether a line was read is looked up for those shown alone (LIMIT 1). */
export async function listInbox(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  only_unread: boolean,
  { per_page, offset }: { per_page: number; offset: number },
): Promise<InboxRow[]> {
  return tx<InboxRow[]>`
    SELECT n.notification_id, n.kind, n.subject_kind, n.subject_id, n.count, n.data, n.first_at, n.last_at,
      ${isRead(tx, tenant_id, user_id)} AS read
    FROM (SELECT n.notification_id FROM notifications n WHERE n.tenant_id = ${tenant_id}
      ${only_unread ? tx`AND NOT (${isRead(tx, tenant_id, user_id)})` : tx``}
      ORDER BY n.last_at DESC, n.notification_id DESC LIMIT ${per_page} OFFSET ${offset}) AS page
    JOIN notifications n ON n.tenant_id = ${tenant_id} AND n.notification_id = page.notification_id
    ORDER BY n.last_at DESC, n.notification_id DESC`
}

export async function countInbox(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM notifications n WHERE n.tenant_id = ${tenant_id}`
  return row!.n
}

export async function countUnread(tx: Tx, tenant_id: string, user_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM (
      SELECT n.notification_id FROM notifications n WHERE n.tenant_id = ${tenant_id}
      EXCEPT ${allRead(tx, tenant_id, user_id)}) AS unread`
  return row!.n
}

/** Marks lines as read; null means all up to now. What repeats afterwards begins a line of its own. */
export async function markRead(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  ids: string[] | null,
  now: Date,
): Promise<void> {
  const chosen = ids === null ? tx`` : tx`AND n.notification_id = ANY(${ids}::text[])`
  const known = ids === null ? tx`` : tx`AND r.notification_id = ANY(${ids}::text[])`
  // Closed first: on a line that somebody has read nothing more is counted.
  await tx`UPDATE notifications n SET read_at = ${now}
    WHERE n.tenant_id = ${tenant_id} AND n.read_at IS NULL AND n.last_at <= ${now} ${chosen}`
  await tx`INSERT INTO notification_reads AS x (tenant_id, user_id, notification_id, read_at)
    SELECT tn.tenant_id, ${user_id}, unread.notification_id, ${now}::timestamptz FROM tenants tn, (
      SELECT n.notification_id FROM notifications n
      WHERE n.tenant_id = ${tenant_id} AND n.last_at <= ${now} AND n.read_at IS NOT NULL ${chosen}
      EXCEPT ${allRead(tx, tenant_id, user_id)} ${known}) AS unread
    WHERE tn.tenant_id = ${tenant_id} ORDER BY unread.notification_id
    ON CONFLICT (tenant_id, user_id, notification_id) DO NOTHING`
}

export type Frequency = 'daily' | 'weekly'
export type Digest = { user_id: string; frequency: Frequency; told_until: Date; next_at: Date }

export async function findDigest(tx: Tx, tenant_id: string, user_id: string) {
  const [row] = await tx<Digest[]>`
    SELECT user_id, frequency, told_until, next_at FROM notification_digests
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
  return row
}

export async function saveDigest(tx: Tx, tenant_id: string, row: Digest): Promise<void> {
  await tx`INSERT INTO notification_digests (tenant_id, user_id, frequency, told_until, next_at)
    VALUES (${tenant_id}, ${row.user_id}, ${row.frequency}, ${row.told_until}, ${row.next_at})
    ON CONFLICT (tenant_id, user_id) DO UPDATE SET frequency = EXCLUDED.frequency,
      told_until = EXCLUDED.told_until, next_at = EXCLUDED.next_at, lease_until = NULL`
}

export async function deleteDigest(tx: Tx, tenant_id: string, user_id: string): Promise<void> {
  await tx`DELETE FROM notification_digests WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
}

/** Due digests, held for a while: whoever dies over one leaves it to another. */
export async function claimDigests(
  tx: Tx,
  tenant_id: string,
  now: Date,
  lease_until: Date,
  limit: number,
): Promise<Digest[]> {
  return tx<Digest[]>`
    UPDATE notification_digests d SET lease_until = ${lease_until}
    WHERE d.tenant_id = ${tenant_id} AND d.user_id = ANY(ARRAY(
      SELECT c.user_id FROM notification_digests c WHERE c.tenant_id = ${tenant_id} AND c.next_at <= ${now}
        AND (c.lease_until IS NULL OR c.lease_until <= ${now})
      ORDER BY c.next_at, c.user_id LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING d.user_id, d.frequency, d.told_until, d.next_at`
}

/** `rests_until`: one that could not be sent is not tried again before. */
export type SettledDigest = Pick<Digest, 'told_until' | 'next_at'> & { rests_until: Date | null }

/** Moves a digest on, unless its person has asked for another one meanwhile. */
export async function moveDigest(
  tx: Tx,
  tenant_id: string,
  before: Digest,
  { told_until, next_at, rests_until }: SettledDigest,
): Promise<void> {
  await tx`UPDATE notification_digests SET told_until = ${told_until}, next_at = ${next_at},
      lease_until = ${rests_until}
    WHERE tenant_id = ${tenant_id} AND user_id = ${before.user_id} AND next_at = ${before.next_at}
      AND frequency = ${before.frequency}`
}

/** What a person has not read and was not told of yet, newest first. */
export async function listUntold(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  since: Date,
  limit: number,
): Promise<InboxRow[]> {
  return tx<InboxRow[]>`
    SELECT n.notification_id, n.kind, n.subject_kind, n.subject_id, n.count, n.data, n.first_at, n.last_at,
      false AS read
    FROM notifications n WHERE n.tenant_id = ${tenant_id} AND n.last_at > ${since}
      AND NOT (${isRead(tx, tenant_id, user_id)})
    ORDER BY n.last_at DESC, n.notification_id DESC LIMIT ${limit}`
}

/** What is worth a mail: lines of these kinds that were raised after an instant. */
export type News = { kinds: string[]; since: Date }

/** Lines whose mail is due, held for a while: whoever dies over it leaves it to another. */
export async function claimUnmailed(
  tx: Tx,
  tenant_id: string,
  { kinds, since }: News,
  now: Date,
  lease_until: Date,
  limit: number,
) {
  return tx<(InboxRow & { raised_at: Date })[]>`
    UPDATE notifications n SET mail_lease_until = ${lease_until}
    WHERE n.tenant_id = ${tenant_id} AND n.notification_id = ANY(ARRAY(
      SELECT c.notification_id FROM notifications c
      WHERE c.tenant_id = ${tenant_id} AND (c.mailed_at IS NULL OR c.mailed_at < c.raised_at)
        AND c.kind = ANY(${kinds}::text[]) AND c.raised_at > ${since}
        AND (c.mail_lease_until IS NULL OR c.mail_lease_until <= ${now})
      ORDER BY c.raised_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING n.notification_id, n.kind, n.subject_kind, n.subject_id, n.count, n.data, n.first_at, n.last_at,
      n.raised_at, false AS read`
}

/** `mailed_at`: up to when the line was mailed; null where it was not, and is not tried again before it has rested. */
export async function settleMail(
  tx: Tx,
  tenant_id: string,
  notification_id: string,
  { mailed_at, rests_until }: { mailed_at: Date | null; rests_until: Date | null },
): Promise<void> {
  await tx`UPDATE notifications SET mailed_at = coalesce(${mailed_at}::timestamptz, mailed_at),
      mail_lease_until = ${rests_until}
    WHERE tenant_id = ${tenant_id} AND notification_id = ${notification_id}`
}

/** Reads across tenants: ids only. */
export async function tenantsWithUnmailed(
  tx: Tx,
  { kinds, since }: News,
  now: Date,
  after: string,
  limit: number,
) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status = 'active' AND EXISTS (
      SELECT 1 FROM notifications n WHERE n.tenant_id = t.tenant_id AND n.kind = ANY(${kinds}::text[])
        AND (n.mailed_at IS NULL OR n.mailed_at < n.raised_at) AND n.raised_at > ${since}
        AND (n.mail_lease_until IS NULL OR n.mail_lease_until <= ${now}))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** Reads across tenants: ids only. */
export async function tenantsWithDueDigests(tx: Tx, now: Date, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status = 'active' AND EXISTS (
      SELECT 1 FROM notification_digests d WHERE d.tenant_id = t.tenant_id AND d.next_at <= ${now}
        AND (d.lease_until IS NULL OR d.lease_until <= ${now}))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** Reads across tenants: ids only. */
export async function tenantsWithOldNotices(tx: Tx, before: Date, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
      SELECT 1 FROM notifications n WHERE n.tenant_id = t.tenant_id AND n.last_at < ${before})
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** Asked of the row itself too, which after a wait may have been raised again. */
export async function deleteOldNotices(tx: Tx, tenant_id: string, before: Date, limit: number) {
  const rows = await tx<{ notification_id: string }[]>`
    DELETE FROM notifications WHERE tenant_id = ${tenant_id} AND last_at < ${before} AND notification_id IN (
      SELECT notification_id FROM notifications WHERE tenant_id = ${tenant_id} AND last_at < ${before} LIMIT ${limit})
    RETURNING notification_id`
  await tx`DELETE FROM notification_reads WHERE tenant_id = ${tenant_id}
    AND notification_id = ANY(${rows.map(row => row.notification_id)}::text[])`
  return rows.length
}
