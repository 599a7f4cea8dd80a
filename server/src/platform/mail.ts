// Mail by the operator's SMTP server, where one is set; never inside a transaction.
import { Socket } from 'node:net'
import type { Transporter } from 'nodemailer'
import { MINUTE } from './clock.ts'
import type { Context } from './context.ts'
import { withDeadline } from './deadline.ts'
import { TURNING } from './unseen-marks.ts'

export type Mail = { to: string | readonly string[]; subject: string; text: string }

/** Names and notes in a mail are texts of others. */
const TURNS = new RegExp(`[${TURNING}]`, 'g')

/** Mails that nobody waits for. */
const underWay = new WeakMap<object, Set<Promise<void>>>()
const CONNECT_MS = 5_000
const SILENCE_MS = 10_000
/** In all: a server can say for ever that it is still there, or take its time with each of many recipients. */
export const MAIL_MS = 90_000

/**
 * Of mails that a job has taken for itself: what it could not begin in time is left to whoever comes when the hold is
 * over. One mail takes no five minutes.
 */
export const HOLD = { begin_ms: 10 * MINUTE, lease_ms: 15 * MINUTE }

/** True when mail can be sent at all. */
export function canMail(context: Context): boolean {
  return context.config.smtp_url !== null
}

/** Sends in the background, never awaited by an answer; a failure is logged without text or address. */
export function sendMail(context: Context, mail: Mail): void {
  if (!canMail(context)) return
  const mails = underWay.get(context.config) ?? new Set()
  underWay.set(context.config, mails)
  const sending = deliverMail(context, mail)
    .catch(error =>
      context.log.error({ reason: mailFault(error), subject: mail.subject }, 'mail was not sent'),
    )
    .finally(() => mails.delete(sending))
  mails.add(sending)
}

/** Resolves once everything sent in the background so far was taken or has failed: asked before a process ends. */
export async function finishMail({ config }: Context): Promise<void> {
  await Promise.all(underWay.get(config) ?? [])
}

/** Resolves once the server has taken it. `id` makes a repeat of the same mail recognizable. */
export async function deliverMail(
  { config }: Context,
  mail: Mail,
  id?: string,
  deadline_ms = MAIL_MS,
): Promise<void> {
  const { smtp_url, mail_from } = config
  if (smtp_url === null) throw new Error('no mail server is set up')
  const socket = new Socket()
  const transport = await openTransport(smtp_url, socket)
  const sending = transport.sendMail({
    from: mail_from,
    to: [mail.to].flat().map(address => ({ name: '', address })),
    subject: mail.subject.replace(TURNS, ''),
    text: mail.text.replace(TURNS, ''),
    ...(id === undefined ? {} : { messageId: `<${id}@bellwether>` }),
  })
  await withDeadline(sending, deadline_ms).finally(() => socket.destroy())
}

/** Loaded with the first mail: most installations send none, and it would delay every start. */
async function openTransport(url: string, socket: Socket): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const waits = { connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS }
  return createTransport({ url, socket, ...waits, socketTimeout: SILENCE_MS } as object)
}

/** Why a mail was not taken, without what the server said: that may name the recipient. */
export function mailFault(error: unknown): string {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  if (responseCode !== undefined) return `the mail server answered ${responseCode}`
  if (code === 'DEADLINE') return 'the mail server took too long'
  return `the mail server could not be reached (${code ?? 'unknown error'})`
}

/** What is said of one mail; a refusal before it concerns the server's own settings, which the operator mends. */
const ABOUT_THE_MAIL = ['RCPT TO', 'DATA']

/** Whether the server refused this mail for good, so that trying it again is of no use. */
export function isRefused(error: unknown): boolean {
  const { command = '', responseCode = 0 } = error as { command?: string; responseCode?: number }
  return responseCode >= 500 && ABOUT_THE_MAIL.includes(command)
}
