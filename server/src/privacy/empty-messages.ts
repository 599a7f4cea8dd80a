// Empties the messages about an erased person, piece by piece: they are looked for among all deliveries of the tenant.
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { BEFORE_ALL, eraseMessages } from '../webhooks/person.queries.ts'
import { saveMessages, takeMessages } from './erasures.queries.ts'

/** Goes on until an instant. False when nothing is left to do here: all are empty, or somebody else is at it. */
export async function emptyMessages(
  { db, clock }: Context,
  tenant_id: string,
  employee_id: string,
  until: Instant,
  size: number,
): Promise<boolean> {
  for (;;) {
    const more = await db.inTenant(tenant_id, tx => emptyPiece(tx, tenant_id, employee_id, size))
    if (!more || clock.now() >= until) return more
  }
}

async function emptyPiece(tx: Tx, tenant_id: string, employee_id: string, size: number) {
  const to = await takeMessages(tx, tenant_id, employee_id)
  if (to === undefined) return false
  const after = to === '' ? BEFORE_ALL : JSON.parse(to)
  const { read, last } = await eraseMessages(tx, tenant_id, employee_id, after, size)
  await saveMessages(tx, tenant_id, employee_id, last && JSON.stringify(last), read)
  return last !== null
}
