// Sends unmatched events through scoring once more, now that their people may be there.
import { CallError, call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import type { UnmatchedEvent } from '../generated/api.ts'

export const replay = ({ id }: UnmatchedEvent) =>
  call('POST /v1/events/unmatched/{id}/replay', { params: { id } })

/** Another window may have replayed it meanwhile: that is another 404 than the one for a person who is not there yet. */
export const isReplayed = (error: unknown): boolean =>
  error instanceof CallError && error.status === 404 && /unmatched event/.test(error.message)

export const refreshAll = () => refresh('/v1/events', '/v1/scores', '/v1/employees')

/** As they happened: what a rule's cooldown passes over depends on what came before. */
export const inOrder = (events: readonly UnmatchedEvent[]): UnmatchedEvent[] =>
  events.toSorted((a, b) => a.timestamp.localeCompare(b.timestamp))
