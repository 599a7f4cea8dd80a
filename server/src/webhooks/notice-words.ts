// What a notification says in a mail, by its kind. Pure.
import type { InboxRow } from './inbox.queries.ts'

type Words = (notice: InboxRow) => string

const text = (value: unknown) => (value === undefined || value === null ? '' : String(value))
const many = (count: number, one: string, more: string) =>
  count === 1 ? `1 ${one}` : `${count} ${more}`

const WORDS: Record<string, Words> = {
  'webhook.failing': ({ count, data }) =>
    `${many(count, 'delivery', 'deliveries')} to ${text(data.url)} failed; last: ${text(data.last_error)}`,
  'webhook.disabled': ({ data }) =>
    `The webhook ${text(data.url)} was disabled (${text(data.reason)}); nothing is sent to it until it is enabled`,
  'job.failed': ({ count, data }) => `${many(count, 'job', 'jobs')} failed: ${text(data.kind)}`,
  'employee.critical': ({ count }) =>
    `${many(count, 'person', 'people')} entered the critical band`,
  'score.unproven': ({ count }) =>
    `${many(count, 'stored number does', 'stored numbers do')} not follow from the record; tell your operator`,
  'action.awaiting_approval': ({ count }) =>
    `${many(count, 'action waits', 'actions wait')} for approval`,
}

export function describeNotice(notice: InboxRow): string {
  return WORDS[notice.kind]?.(notice) ?? `${notice.kind} (${notice.count})`
}
