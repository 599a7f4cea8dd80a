// All SQL of the audit log; entries are only ever added.
import type { Tx } from '../platform/database.ts'
import type { ChainedEntry } from './audit-chain.ts'

export type Head = { seq: number; hash: Buffer }

/** Locks the end of the tenant's chain until commit, so that entries follow one another. */
export async function lockHead(tx: Tx, tenant_id: string, genesis: Buffer): Promise<Head> {
  await tx`INSERT INTO audit_heads (tenant_id, seq, hash) VALUES (${tenant_id}, 0, ${genesis})
    ON CONFLICT (tenant_id) DO NOTHING`
  const [head] = await tx<Head[]>`
    SELECT seq, hash FROM audit_heads WHERE tenant_id = ${tenant_id} FOR UPDATE`
  return head!
}

export async function moveHead(tx: Tx, tenant_id: string, head: Head): Promise<void> {
  await tx`UPDATE audit_heads SET seq = ${head.seq}, hash = ${head.hash} WHERE tenant_id = ${tenant_id}`
}

export type AuditRow = ChainedEntry & {
  prev_hash: Buffer
  hash: Buffer
  salt: Buffer
  content: string
}

export async function insertEntry(tx: Tx, tenant_id: string, row: AuditRow): Promise<void> {
  await tx`INSERT INTO audit_entries (tenant_id, seq, at, actor_kind, actor_id, action, subject_kind,
      subject_id, request_id, values_hash, prev_hash, hash)
    VALUES (${tenant_id}, ${row.seq}, ${row.at}, ${row.actor_kind}, ${row.actor_id}, ${row.action},
      ${row.subject_kind}, ${row.subject_id}, ${row.request_id}, ${row.values_hash}, ${row.prev_hash}, ${row.hash})`
  await tx`INSERT INTO audit_values (tenant_id, seq, salt, content)
    VALUES (${tenant_id}, ${row.seq}, ${row.salt}, ${row.content})`
}
