// The types of action and the states they pass through: policy as tables.
import { DAY } from '../platform/clock.ts'

/** `mail`: we send it ourselves. The others are carried out by whoever hears of them and reports back. */
export const ACTION_TYPES = {
  notify_manager: { mail: true, asks_first: false, about: "an email to the employee's manager" },
  notify_admins: { mail: true, asks_first: false, about: 'an email to owners and admins' },
  assign_training: { mail: false, asks_first: false, about: 'assign the course in `parameters`' },
  require_mfa_reset: { mail: false, asks_first: true, about: 'a new second factor' },
  restrict_access: { mail: false, asks_first: true, about: 'take access away for now' },
  open_ticket: { mail: false, asks_first: false, about: 'open a ticket' },
  webhook_only: { mail: false, asks_first: false, about: 'tell the subscribers' },
} as const satisfies Record<string, { mail: boolean; asks_first: boolean; about: string }>

export type ActionType = keyof typeof ACTION_TYPES
export const ACTION_TYPE_NAMES = Object.keys(ACTION_TYPES) as ActionType[]

export const ACTION_STATUSES = [
  'awaiting_approval',
  'triggered',
  'completed',
  'failed',
  'rejected',
  'expired',
] as const
export type ActionStatus = (typeof ACTION_STATUSES)[number]

/** How long an action waits for a person, and how long for its report. */
export const EXPIRY_MS = { awaiting_approval: 7 * DAY, triggered: 30 * DAY } as const
