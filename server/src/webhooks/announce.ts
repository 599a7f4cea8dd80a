// The one door through which every change of score, band, employee and event is told to the outside.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'

export const EVENT_KINDS = [
  'score.updated',
  'score.band_changed',
  'action.triggered',
  'action.completed',
  'event.ingested',
  'employee.created',
  'employee.deactivated',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

export type Message = {
  kind: EventKind
  at: Instant
  /** Messages about one employee keep their order. */
  employee_id: string
  /** Built only where somebody listens. */
  data: () => Record<string, unknown>
}

/** Invariant: called inside the transaction of the change, in the order of the changes. */
export async function announce(
  _tx: Tx,
  _tenant_id: string,
  _now: Instant,
  _messages: readonly Message[],
): Promise<void> {}
