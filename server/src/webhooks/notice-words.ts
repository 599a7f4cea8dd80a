// What a notification says in a mail, by its kind. Pure.
import { countOf } from '../platform/counted.ts'
import type { InboxRow } from './inbox.queries.ts'

type Words = (notice: InboxRow) => string

const text = (value: unknown) => (value === undefined || value === null ? '' : String(value))

const WORDS: Record<string, Words> = {
  'webhook.failing': ({ count, data }) =>
    `${countOf(count, 'delivery', 'deliveries')} to ${text(data.url)} failed; last: ${text(data.last_error)}`,
  'webhook.disabled': ({ data }) =>
    data.reason === 'grant_ended'
      ? `The webhook ${text(data.url)} was disabled: the access of the app that made it has ended; an owner can adopt it`
      : `The webhook ${text(data.url)} was disabled (${text(data.reason)}); nothing is sent to it until it is enabled`,
  'key.creator_left': ({ count, data }) =>
    `Whoever made ${countOf(count, 'API key')} has left; ${data.revoked ? 'they are revoked' : 'they go on until they are revoked'}`,
  'job.failed': ({ count, data }) => `${countOf(count, 'job')} failed: ${text(data.kind)}`,
  // One person may have entered it several times.
  'employee.critical': ({ count }) =>
    count === 1
      ? '1 person entered the critical band'
      : `People entered the critical band ${countOf(count, 'time')}`,
  'score.unproven': ({ count }) =>
    `${countOf(count, 'stored number does', 'stored numbers do')} not follow from the record; tell your operator`,
  // Some may have been decided since.
  'action.awaiting_approval': ({ count }) => `${countOf(count, 'action')} asked for approval`,
}

export function describeNotice(notice: InboxRow): string {
  return WORDS[notice.kind]?.(notice) ?? `${notice.kind} (${notice.count})`
}
