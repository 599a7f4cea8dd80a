// The arithmetic of the audit log: each entry's hash covers the one before it, personal values only by a salted hash.
import { createHash, createHmac, randomBytes } from 'node:crypto'

export type ChainedEntry = {
  seq: number
  at: Date
  actor_kind: string
  actor_id: string
  action: string
  subject_kind: string
  subject_id: string
  /** Whom it holds something about, where it is one employee. */
  employee_id: string | null
  request_id: string
  values_hash: Buffer
}

/** What the first entry follows: the tenant's own, so that no log passes for another's. */
export function hashGenesis(tenant_id: string): Buffer {
  return createHash('sha256').update(tenant_id).digest()
}

/** The end of a log, as it is noted down and given to whoever proves the log later. */
export function writeHead({ seq, hash }: { seq: number; hash: Buffer }): string {
  return `${seq}:${hash.toString('hex')}`
}

export function hashValues(salt: Buffer, content: string): Buffer {
  return createHmac('sha256', salt).update(content).digest()
}

export function newSalt(): Buffer {
  return randomBytes(16)
}

/** Invariant: the order and form of these fields never change, or old chains no longer verify. */
export function hashEntry(prev_hash: Buffer, entry: ChainedEntry): Buffer {
  const fields = [
    entry.seq,
    entry.at.toISOString(),
    entry.actor_kind,
    entry.actor_id,
    entry.action,
    entry.subject_kind,
    entry.subject_id,
    entry.employee_id,
    entry.request_id,
    entry.values_hash.toString('hex'),
  ]
  return createHash('sha256').update(prev_hash).update(JSON.stringify(fields)).digest()
}
