// Notifications in words: what happened, and where it leads.
import { plural } from '../ui/numbers.ts'
import { sayError } from '../webhooks/webhook-words.ts'

export type Notice = {
  id: string
  kind: string
  subject_kind: string
  subject_id: string
  count: number
  data: Record<string, unknown>
  first_at: string
  last_at: string
  read: boolean
}

const text = (value: unknown) => (value === undefined || value === null ? '' : String(value))

type Say = (notice: Notice) => string
type Words = { title: Say; about?: Say; to: Say }

/** A job's subject is its kind. */
const JOB_PAGES: Record<string, string> = {
  retraction: '/events/retract',
  settings: '/settings',
}

const WORDS: Record<string, Words> = {
  'webhook.failing': {
    title: ({ count }) => `${plural(count, 'delivery', 'deliveries')} failed`,
    about: ({ data }) => `${text(data.url)}: ${sayError(text(data.last_error))}`,
    to: ({ subject_id }) => `/webhooks/${subject_id}`,
  },
  'webhook.disabled': {
    title: () => 'A webhook was disabled',
    about: ({ data }) =>
      data.reason === 'grant_ended'
        ? `${text(data.url)}; the access of the app that made it has ended, an owner can adopt it`
        : `${text(data.url)}; nothing is sent until it is enabled`,
    to: ({ subject_id }) => `/webhooks/${subject_id}`,
  },
  'key.creator_left': {
    title: ({ count }) => `Whoever made ${plural(count, 'API key')} has left`,
    about: ({ data }) => (data.revoked ? 'They are revoked' : 'They go on until they are revoked'),
    to: ({ data }) => (data.revoked ? '/keys?show=all' : '/keys'),
  },
  'job.failed': {
    title: ({ count }) => `${plural(count, 'job')} failed`,
    about: ({ data }) => text(data.error ?? data.kind),
    to: ({ subject_id }) => JOB_PAGES[subject_id] ?? '/rules/recalculate',
  },
  'employee.critical': {
    // One person may have fallen several times.
    title: ({ count }) =>
      count === 1
        ? '1 person fell to critical'
        : `People fell to critical ${plural(count, 'time')}`,
    to: () => '/employees?band=critical&sort=score&order=asc',
  },
  'score.unproven': {
    title: ({ count }) => `${plural(count, 'stored number is', 'stored numbers are')} not proven`,
    about: () => 'They do not follow from the recorded events; tell your operator',
    to: () => '/employees',
  },
  'action.awaiting_approval': {
    // It tells what happened; some may have been decided since.
    title: ({ count }) => `${plural(count, 'action')} asked for approval`,
    to: () => '/actions?tab=approvals',
  },
}

export function sayNotice(notice: Notice): { title: string; about: string; to: string } {
  const words = WORDS[notice.kind]
  if (!words) return { title: `${notice.kind} (${notice.count})`, about: '', to: '/' }
  const { title, about, to } = words
  return { title: title(notice), about: about?.(notice) ?? '', to: to(notice) }
}
