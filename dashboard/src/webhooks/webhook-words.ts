// Webhooks in words: what each kind of message tells, and how subscriptions and deliveries stand.
import type { Delivery, Webhook } from '../generated/api.ts'
import { count } from '../ui/numbers.ts'
import type { Tone } from '../ui/status-mark.tsx'

export type Kind = Webhook['events'][number]

export const KIND_WORDS: Record<Kind, string> = {
  'score.updated': 'A score changed',
  'score.band_changed': 'Someone moved to another band',
  'action.triggered': 'An action was set off',
  'action.completed': 'An action is done',
  'event.ingested': 'An event came in',
  'employee.created': 'A person was added',
  'employee.deactivated': 'A person was deactivated',
}
export const KINDS = Object.keys(KIND_WORDS) as Kind[]

/** After the word "Disabled". */
export const DISABLED_WORDS: Record<NonNullable<Webhook['disabled_reason']>, string> = {
  manual: 'by hand',
  failures: 'after ten failures in a row',
  gone: 'the receiver answered 410 (gone)',
  grant_ended: 'the access of the app that made it has ended',
}

type Standing = { tone: Tone; words: string }

/** `retrying`: how many messages are being tried again, as far as they were counted. */
export function standingOf({ status, disabled_reason, failures }: Webhook, retrying = 0): Standing {
  if (status === 'disabled') {
    return { tone: disabled_reason === 'manual' ? 'idle' : 'bad', words: 'Disabled' }
  }
  if (failures > 0) return { tone: 'waiting', words: `Failing (${failures})` }
  if (retrying > 0) return { tone: 'waiting', words: `Retrying (${sayCounted(retrying)})` }
  return { tone: 'good', words: 'Enabled' }
}

/** The server counts no further. */
const MOST_COUNTED = 1000
const sayCounted = (value: number) => `${count(value)}${value < MOST_COUNTED ? '' : ' or more'}`

export const DELIVERY_LOOK: Record<Delivery['status'], Standing> = {
  pending: { tone: 'idle', words: 'Pending' },
  retrying: { tone: 'waiting', words: 'Retrying' },
  delivered: { tone: 'good', words: 'Delivered' },
  failed: { tone: 'bad', words: 'Failed' },
  skipped: { tone: 'idle', words: 'Skipped' },
}
export const DELIVERY_STATUSES = Object.keys(DELIVERY_LOOK) as Delivery['status'][]

/** Made by an app and not adopted: it ends with the access somebody gave to that app. */
export const isOfApp = ({ created_by }: Pick<Webhook, 'created_by'>) =>
  created_by.startsWith('app:')

/** What went wrong, without the stage that stands before it for programs. */
export const sayError = (error: string): string => error.replace(/^\w+: /, '')

/** What people call it: its description, else where it goes. */
export function nameOf({ description, url }: Pick<Webhook, 'description' | 'url'>): string {
  if (description !== '') return description
  return URL.canParse(url) ? new URL(url).host : url
}
