// Empties the events of an erased person who has very many, a page in each transaction; the note knows how far it is.
import { eraseEvents, listEventPage } from '../events/person.queries.ts'
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { saveEvents, takeEvents } from './erasures.queries.ts'

const PAGE = 5000

/** Goes on until an instant. False when nothing is left to do here: all are empty, or somebody else is at it. */
export async function emptyEvents(
  { db, clock }: Context,
  tenant_id: string,
  employee_id: string,
  until: Instant,
): Promise<boolean> {
  for (;;) {
    const more = await db.inTenant(tenant_id, tx => emptyPage(tx, tenant_id, employee_id))
    if (!more || clock.now() >= until) return more
  }
}

async function emptyPage(tx: Tx, tenant_id: string, employee_id: string): Promise<boolean> {
  const to = await takeEvents(tx, tenant_id, employee_id)
  if (to === undefined) return false
  const after = to === '' ? null : (JSON.parse(to) as [string, string])
  const page = await listEventPage(tx, tenant_id, employee_id, after, PAGE)
  const ids = page.map(one => one.event_id)
  await eraseEvents(tx, tenant_id, ids)
  const last = page.length < PAGE ? null : page.at(-1)!
  const next = last && JSON.stringify([last.timestamp, last.event_id])
  await saveEvents(tx, tenant_id, employee_id, next, page.length)
  return last !== null
}
