// Actions in words: what each type does, and where one stands.
import type { Action } from '../generated/api.ts'
import type { Tone } from '../ui/status-mark.tsx'

export type ActionType = Action['type']
export type ActionStatus = Action['status']

type TypeWords = {
  label: string
  /** As the end of a sentence: "When …, then …". */
  phrase: string
  /** We send it ourselves; the others wait for a report. */
  mail: boolean
  asks_first: boolean
}

export const TYPES: Record<ActionType, TypeWords> = {
  notify_manager: {
    label: 'Tell the manager',
    phrase: 'mail the manager',
    mail: true,
    asks_first: false,
  },
  notify_admins: {
    label: 'Tell the administrators',
    phrase: 'mail owners and admins',
    mail: true,
    asks_first: false,
  },
  assign_training: {
    label: 'Assign training',
    phrase: 'assign a training',
    mail: false,
    asks_first: false,
  },
  require_mfa_reset: {
    label: 'Require a new second factor',
    phrase: 'require a new second factor',
    mail: false,
    asks_first: true,
  },
  restrict_access: {
    label: 'Restrict access',
    phrase: 'restrict access',
    mail: false,
    asks_first: true,
  },
  open_ticket: { label: 'Open a ticket', phrase: 'open a ticket', mail: false, asks_first: false },
  webhook_only: {
    label: 'Tell the subscribers',
    phrase: 'tell the subscribed webhooks',
    mail: false,
    asks_first: false,
  },
}
export const TYPE_NAMES = Object.keys(TYPES) as ActionType[]

export const STATUSES: Record<ActionStatus, { tone: Tone; words: string }> = {
  awaiting_approval: { tone: 'waiting', words: 'Awaits approval' },
  triggered: { tone: 'waiting', words: 'Under way' },
  completed: { tone: 'good', words: 'Done' },
  failed: { tone: 'bad', words: 'Failed' },
  rejected: { tone: 'idle', words: 'Rejected' },
  expired: { tone: 'idle', words: 'Expired' },
}
export const STATUS_NAMES = Object.keys(STATUSES) as ActionStatus[]

/** What is done, with the course where there is one. */
export function sayAction({ type, parameters }: Pick<Action, 'type' | 'parameters'>): string {
  const { course } = parameters
  return typeof course === 'string' ? `${TYPES[type].label}: ${course}` : TYPES[type].label
}
