// Proves that nothing in a tenant's audit log was changed or removed, the end included, and no values but by an erasure.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { busy } from '../platform/errors.ts'
import { findHead, type Head, readEntriesAfter, type StoredEntry } from './audit.queries.ts'
import { hashEntry, hashGenesis, hashValues } from './audit-chain.ts'
import { inTurn } from './in-turn.ts'

export type Verdict = {
  tenant_id: string
  entries: number
  valid: boolean
  /** The first thing that does not hold, in words. */
  fault?: string
}

type Proof = { verdict: Verdict; head: Head }

/** Their values may be long, such as those of rules: half a megabyte each. */
const CHUNK = 100

/** The entry by which a person's values may be gone: those of the entries before it that name the person. */
const ERASURE = 'employee.erased'

/** `known` is a head noted earlier: an entry with that hash must still stand at its place. */
export async function verifyAudit(context: Context, tenant_id: string, known: Head | null) {
  const { verdict } = await proveAudit(context, tenant_id, known)
  return verdict
}

/**
 * Also says which head was found; ends early where nobody waits for it any more. A piece and the head are of
 * one still picture, as an entry written meanwhile would look like one beyond the head; the whole log is of many, so
 * that none is held for long.
 */
export async function proveAudit(
  { db }: Context,
  tenant_id: string,
  known: Head | null,
  isAwaited = () => true,
): Promise<Proof> {
  /** By person, the first entry whose values are gone with no erasure behind it yet. */
  const unexplained = new Map<string, number>()
  let last: Head = { seq: 0, hash: hashGenesis(tenant_id) }
  for (;;) {
    const proof = await inTurn(tenant_id, provePiece)
    if (proof) return proof
  }

  /** Null where there is more. */
  async function provePiece(): Promise<Proof | null> {
    if (!isAwaited()) throw busy()
    const { entries, head } = await db.readTenant(tenant_id, tx => readPiece(tx, tenant_id, last))
    for (const entry of entries) {
      const fault = judge(entry, last, known) ?? judgeValues(entry, unexplained)
      if (fault) return { verdict: say(tenant_id, last.seq, fault), head }
      last = { seq: entry.seq, hash: entry.hash }
    }
    if (entries.length === CHUNK) return null
    const fault = judgeEnd(tenant_id, last, head, known)
    const [gone] = unexplained.values()
    if (fault || gone === undefined) return { verdict: say(tenant_id, last.seq, fault), head }
    return { verdict: say(tenant_id, gone - 1, sayGone(gone)), head }
  }
}

function say(tenant_id: string, entries: number, fault?: string): Verdict {
  return fault ? { tenant_id, entries, valid: false, fault } : { tenant_id, entries, valid: true }
}

async function readPiece(tx: Tx, tenant_id: string, last: Head) {
  const [entries, head] = await Promise.all([
    readEntriesAfter(tx, tenant_id, last.seq, CHUNK),
    findHead(tx, tenant_id),
  ])
  return { entries, head: head ?? { seq: 0, hash: hashGenesis(tenant_id) } }
}

function judgeEnd(
  tenant_id: string,
  last: Head,
  head: Head,
  known: Head | null,
): string | undefined {
  if (last.seq === 0 && head.seq === 0 && tenant_id !== RESERVED_TENANT) {
    return 'the log is empty; it begins with the organization itself'
  }
  if (last.seq !== head.seq || !last.hash.equals(head.hash)) {
    return `the log ends at entry ${last.seq}, its head says ${head.seq}`
  }
  return known && known.seq > last.seq
    ? `entry ${known.seq} of the known head is missing`
    : undefined
}

function judge(entry: StoredEntry, last: Head, known: Head | null): string | undefined {
  const { seq } = entry
  if (seq !== last.seq + 1) return `entry ${last.seq + 1} is missing`
  if (!entry.prev_hash.equals(last.hash)) {
    return seq === 1
      ? 'entry 1 does not begin the log of this organization'
      : `entry ${seq} does not follow the one before it`
  }
  if (!hashEntry(last.hash, entry).equals(entry.hash)) return `entry ${seq} was changed`
  if (known?.seq === seq && !known.hash.equals(entry.hash))
    return `entry ${seq} is not the known one`
  return undefined
}

/** Of a person who may be erased further on nothing can be said yet. */
function judgeValues(entry: StoredEntry, unexplained: Map<string, number>): string | undefined {
  const { seq, employee_id, action, salt, content, values_hash } = entry
  if (employee_id !== null && action === ERASURE) unexplained.delete(employee_id)
  if (salt !== null && content !== null) {
    const hold = hashValues(salt, content).equals(values_hash)
    return hold ? undefined : `the values of entry ${seq} were changed`
  }
  if (employee_id === null) return sayGone(seq)
  if (!unexplained.has(employee_id)) unexplained.set(employee_id, seq)
  return undefined
}

const sayGone = (seq: number) => `the values of entry ${seq} are gone without an erasure`
