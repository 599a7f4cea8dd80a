// The kinds of message a subscription can choose, as the contract names them.

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

/** Sent on request to any subscription, whatever it has chosen. */
export const TEST_KIND = 'webhook.test'
export type SentKind = EventKind | typeof TEST_KIND
