// Empties the messages about an erased person, then the events of one who has very many, a piece in each transaction.
import { eraseEvents, listEventPage } from '../events/person.queries.ts'
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { BEFORE_ALL, eraseMessages } from '../webhooks/person.queries.ts'
import { saveEmptied, takeEmptying } from './erasures.queries.ts'

const EVENTS = 5000

/**
 * Goes on until an instant, with so many deliveries at once. False when nothing is left to do here: all are empty, or
 * somebody else is at it.
 */
export async function emptyRows(
  { db, clock }: Context,
  tenant_id: string,
  employee_id: string,
  until: Instant,
  deliveries: number,
): Promise<boolean> {
  for (;;) {
    const piece = (tx: Tx) => emptyPiece(tx, tenant_id, employee_id, deliveries)
    const more = await db.inTenant(tenant_id, piece)
    if (!more || clock.now() >= until) return more
  }
}

async function emptyPiece(tx: Tx, tenant_id: string, employee_id: string, deliveries: number) {
  const left = await takeEmptying(tx, tenant_id, employee_id)
  if (!left) return false
  const { messages_to, events_to } = left
  if (messages_to !== null) {
    const after = messages_to === '' ? BEFORE_ALL : JSON.parse(messages_to)
    const { read, last } = await eraseMessages(tx, tenant_id, employee_id, after, deliveries)
    const next = { messages_to: last && JSON.stringify(last), events_to }
    return saveEmptied(tx, tenant_id, employee_id, next, read)
  }
  const after = events_to ? (JSON.parse(events_to) as [string, string]) : null
  const page = await listEventPage(tx, tenant_id, employee_id, after, EVENTS)
  const ids = page.map(one => one.event_id)
  await eraseEvents(tx, tenant_id, ids)
  const last = page.length < EVENTS ? null : page.at(-1)!
  const next = { messages_to, events_to: last && JSON.stringify([last.timestamp, last.event_id]) }
  return saveEmptied(tx, tenant_id, employee_id, next, page.length)
}
