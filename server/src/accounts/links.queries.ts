// All SQL of one-time links: invitations and resets, under the reserved tenant.
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'

const tenant_id = RESERVED_TENANT

export type LinkRow = {
  link_id: string
  purpose: 'invitation' | 'reset'
  user_id: string
  for_tenant: string | null
  created_by: string
  created_at: Date
  expires_at: Date
}

export async function insertLink(tx: Tx, token_hash: Buffer, row: LinkRow): Promise<void> {
  await tx`INSERT INTO account_links (tenant_id, link_id, token_hash, purpose, user_id, for_tenant, created_by,
      created_at, expires_at)
    VALUES (${tenant_id}, ${row.link_id}, ${token_hash}, ${row.purpose}, ${row.user_id}, ${row.for_tenant},
      ${row.created_by}, ${row.created_at}, ${row.expires_at})`
}

export async function findLink(
  tx: Tx,
  token_hash: Buffer,
  now: Date,
): Promise<LinkRow | undefined> {
  const [row] = await tx<LinkRow[]>`
    SELECT link_id, purpose, user_id, for_tenant, created_by, created_at, expires_at FROM account_links
    WHERE tenant_id = ${tenant_id} AND token_hash = ${token_hash} AND used_at IS NULL AND expires_at > ${now}`
  return row
}

/** True for the first use and for none after it, also in parallel. */
export async function useLink(tx: Tx, link_id: string, now: Date): Promise<boolean> {
  const rows = await tx`UPDATE account_links SET used_at = ${now}
    WHERE tenant_id = ${tenant_id} AND link_id = ${link_id} AND used_at IS NULL AND expires_at > ${now}
    RETURNING link_id`
  return rows.length === 1
}

/** Earlier links of the same purpose stop working: for one tenant, or of a reset altogether. */
export async function dropLinks(
  tx: Tx,
  user_id: string,
  purpose: LinkRow['purpose'],
  for_tenant: string | null,
): Promise<void> {
  await tx`DELETE FROM account_links WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}
    AND purpose = ${purpose} AND for_tenant IS NOT DISTINCT FROM ${for_tenant} AND used_at IS NULL`
}

/** What a tenant has given out to a person and nobody has used. */
export async function listOpenLinks(tx: Tx, user_id: string, for_tenant: string) {
  const rows = await tx<{ link_id: string }[]>`SELECT link_id FROM account_links
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND for_tenant = ${for_tenant} AND used_at IS NULL`
  return rows.map(row => row.link_id)
}

/** Invitations into a tenant that nobody has used and that have not expired. */
export async function listOpenInvitations(
  tx: Tx,
  for_tenant: string,
  user_ids: string[],
  now: Date,
) {
  return tx<{ user_id: string; created_by: string }[]>`SELECT user_id, created_by FROM account_links
    WHERE tenant_id = ${tenant_id} AND user_id = ANY(${user_ids}::text[]) AND purpose = 'invitation'
      AND for_tenant = ${for_tenant} AND used_at IS NULL AND expires_at > ${now}`
}

export async function deleteLinks(tx: Tx, link_ids: string[]): Promise<void> {
  await tx`DELETE FROM account_links
    WHERE tenant_id = ${tenant_id} AND link_id = ANY(${link_ids}::text[]) AND used_at IS NULL`
}

/** Of a tenant that is no more; whose they were. */
export async function dropLinksOf(tx: Tx, for_tenant: string): Promise<string[]> {
  const rows = await tx<{ user_id: string }[]>`DELETE FROM account_links
    WHERE tenant_id = ${tenant_id} AND for_tenant = ${for_tenant} RETURNING user_id`
  return rows.map(row => row.user_id)
}

/** A password chosen anew ends every reset of the person that is still open, whoever started it. */
export async function dropResets(tx: Tx, user_id: string): Promise<void> {
  await tx`DELETE FROM account_links WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}
    AND purpose = 'reset' AND used_at IS NULL`
}
