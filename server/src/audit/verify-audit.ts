// Proves that nothing in a tenant's audit log was changed or removed, the end included.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { findHead, type Head, readEntriesAfter, type StoredEntry } from './audit.queries.ts'
import { GENESIS, hashEntry, hashValues } from './audit-chain.ts'

export type Verdict = {
  tenant_id: string
  entries: number
  valid: boolean
  /** The first thing that does not hold, in words. */
  fault?: string
}

const CHUNK = 1000

/** `known` is a head noted earlier: an entry with that hash must still stand at its place. */
export async function verifyAudit({ db }: Context, tenant_id: string, known: Head | null) {
  return db.readTenant(tenant_id, tx => verifyLog(tx, tenant_id, known))
}

/** Invariant: `tx` is a still picture, as an entry written meanwhile would look like one beyond the head. */
export async function verifyLog(tx: Tx, tenant_id: string, known: Head | null): Promise<Verdict> {
  const head = (await findHead(tx, tenant_id)) ?? { seq: 0, hash: GENESIS }
  let last: Head = { seq: 0, hash: GENESIS }
  const verdict = (fault?: string): Verdict => {
    const entries = last.seq
    return fault ? { tenant_id, entries, valid: false, fault } : { tenant_id, entries, valid: true }
  }
  for (;;) {
    const entries = await readEntriesAfter(tx, tenant_id, last.seq, CHUNK)
    for (const entry of entries) {
      const fault = judge(entry, last, known)
      if (fault) return verdict(fault)
      last = { seq: entry.seq, hash: entry.hash }
    }
    if (entries.length < CHUNK) break
  }
  if (last.seq === 0 && head.seq === 0 && tenant_id !== RESERVED_TENANT) {
    return verdict('the log is empty; it begins with the organization itself')
  }
  if (last.seq !== head.seq || !last.hash.equals(head.hash)) {
    return verdict(`the log ends at entry ${last.seq}, its head says ${head.seq}`)
  }
  if (known && known.seq > last.seq)
    return verdict(`entry ${known.seq} of the known head is missing`)
  return verdict()
}

function judge(entry: StoredEntry, last: Head, known: Head | null): string | undefined {
  const { seq } = entry
  if (seq !== last.seq + 1) return `entry ${last.seq + 1} is missing`
  if (!entry.prev_hash.equals(last.hash)) return `entry ${seq} does not follow the one before it`
  if (!hashEntry(last.hash, entry).equals(entry.hash)) return `entry ${seq} was changed`
  const { salt, content } = entry
  if (salt && content !== null && !hashValues(salt, content).equals(entry.values_hash)) {
    return `the values of entry ${seq} were changed`
  }
  if (known?.seq === seq && !known.hash.equals(entry.hash))
    return `entry ${seq} is not the known one`
  return undefined
}
