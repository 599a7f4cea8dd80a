// The one function through which a change enters the audit log, inside the change's own transaction.
import type { Origin } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { notFound } from '../platform/errors.ts'
import { inPauses } from '../platform/in-pauses.ts'
import { type AuditRow, insertEntries, lockHead, moveHead } from './audit.queries.ts'
import { hashEntry, hashGenesis, hashValues, newSalt } from './audit-chain.ts'

export type AuditedChange = {
  /** A dotted verb, for example `rule.created`. */
  action: string
  subject_kind: string
  subject_id: string
  /** Whom the values are about, where it is one employee: with that person they are erased. */
  employee_id?: string | null
  before?: unknown
  after?: unknown
}

/** Call it last in the transaction: it holds the tenant's chain until commit. */
export async function recordAudit(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  origin: Origin,
  changes: readonly AuditedChange[],
): Promise<void> {
  if (changes.length === 0) return
  // Before the chain is held: of a batch it takes as long as all the rest.
  const sealed = await inPauses(changes, change => sealValues(origin, change))
  const head = await lockHead(tx, tenant_id, hashGenesis(tenant_id))
  if (!head) throw notFound('tenant')
  let { seq, hash } = head
  const rows: AuditRow[] = []
  for (const { salt, content, ...change } of sealed) {
    const entry = {
      seq: ++seq,
      at: new Date(now),
      actor_kind: origin.actor.kind,
      actor_id: origin.actor.id,
      request_id: origin.request_id,
      ...change,
    }
    const prev_hash = hash
    hash = hashEntry(prev_hash, entry)
    rows.push({ ...entry, prev_hash, hash, salt, content })
  }
  await insertEntries(tx, tenant_id, rows)
  await moveHead(tx, tenant_id, { seq, hash })
}

function sealValues({ address }: Origin, change: AuditedChange) {
  const { employee_id = null, before = null, after = null, ...what } = change
  const salt = newSalt()
  const content = JSON.stringify({ address, before, after })
  return { ...what, employee_id, salt, content, values_hash: hashValues(salt, content) }
}
