// What an owner can do with a person: the question before, what it means, and the call itself.
import { callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { type Member, ROLES, type Role } from './member.ts'

export type MemberTask =
  | 'role'
  | 'invite'
  | 'disable'
  | 'enable'
  | 'reset'
  | 'second-factor'
  | 'sessions'
  | 'remove'
  | 'leave'

export type Question = {
  title: string
  action: string
  about: string
  done: string
  /** `named`: what cannot be taken back asks for the address. */
  danger: 'none' | 'some' | 'named'
  /** A link comes back where there is one to pass on: where mail is set up it goes by mail alone. */
  run: () => Promise<string | null>
}

export type Invitation = { id: string; email: string; setup_url: string | null }

/** Inviting someone again gives a new link and ends the old one. */
export async function invite(email: string, role: Role): Promise<Invitation> {
  const made = await callAdmin<Invitation>('POST', '/admin/users', { email, role })
  refresh('/admin/users')
  return made
}

async function call(method: string, { id }: Member, below = '', body?: object): Promise<null> {
  await callAdmin(method, `/admin/users/${id}${below}`, body)
  return null
}

type Reset = { reset_url: string | null }

async function startReset({ id }: Member): Promise<string | null> {
  const { reset_url } = await callAdmin<Reset>('POST', `/admin/users/${id}/reset`)
  return reset_url
}

export const QUESTIONS: Record<Exclude<MemberTask, 'role'>, (member: Member) => Question> = {
  disable: member => ({
    title: `Disable ${member.email}?`,
    action: 'Disable',
    about:
      'The person can do nothing in this organization until let in again. Keys they made go on ' +
      'working, unless the settings say otherwise; what apps may do in their name ends for good.',
    done: `${member.email} is disabled`,
    danger: 'some',
    run: () => call('PATCH', member, '', { status: 'disabled' }),
  }),
  enable: member => ({
    title: `Let ${member.email} in again?`,
    action: 'Let in again',
    about: `With the role ${ROLES[member.role].label}. Apps the person had allowed stay shut out.`,
    done: `${member.email} is active again`,
    danger: 'none',
    run: () => call('PATCH', member, '', { status: 'active' }),
  }),
  reset: member => ({
    title: `Reset the password of ${member.email}?`,
    action: 'Make a link',
    about:
      'A link goes by mail, or is shown to you to pass on where no mail is set up. With it the person ' +
      'chooses a new password, and all sessions end. The second factor stays.',
    done: `A link is on its way to ${member.email}`,
    danger: 'none',
    run: () => startReset(member),
  }),
  'second-factor': member => ({
    title: `Remove the second factor of ${member.email}?`,
    action: 'Remove the second factor',
    about:
      'For someone who lost phone and recovery codes. Make sure that it is really them: whoever ' +
      'knows the password gets in without it. All sessions end.',
    done: `${member.email} logs in without a second factor now`,
    danger: 'named',
    run: () => call('DELETE', member, '/second-factor'),
  }),
  sessions: member => ({
    title: `End all sessions of ${member.email}?`,
    action: 'End all sessions',
    about: 'The person is logged out everywhere and can log in again.',
    done: `All sessions of ${member.email} are ended`,
    danger: 'some',
    run: () => call('DELETE', member, '/sessions'),
  }),
  invite: member => ({
    title: `Invite ${member.email} again?`,
    action: 'Make a link',
    about:
      'A new link goes by mail, or is shown to you to pass on where no mail is set up; the old one ' +
      'stops working.',
    done: `The invitation is on its way to ${member.email}`,
    danger: 'none',
    run: async () => (await invite(member.email, member.role)).setup_url,
  }),
  remove: member => ({
    title: `Remove ${member.email}?`,
    action: 'Remove',
    about:
      'The person no longer belongs to this organization. Keys they made go on working, unless the ' +
      'settings say otherwise; what apps may do in their name ends, and so do webhooks these made.',
    done: `${member.email} is removed`,
    danger: 'named',
    run: () => call('DELETE', member),
  }),
  leave: member => ({
    title: 'Leave the organization?',
    action: 'Leave',
    about:
      'You no longer belong to this organization and come back only by an invitation. Keys you ' +
      'made go on working, unless the settings say otherwise; what apps may do in your name ends, ' +
      'and so do webhooks these made.',
    done: 'You have left the organization',
    danger: 'named',
    run: () => call('DELETE', member),
  }),
}
