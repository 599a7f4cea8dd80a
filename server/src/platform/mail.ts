// Mail by the operator's SMTP server, where one is set; never inside a transaction, never awaited by an answer.
import { createTransport, type Transporter } from 'nodemailer'
import type { Context } from './context.ts'

export type Mail = { to: string; subject: string; text: string }

const transports = new WeakMap<object, Transporter>()

/** True when mail can be sent at all. */
export function canMail(context: Context): boolean {
  return context.config.smtp_url !== null
}

/** Sends in the background; a failure is logged without the mail's text, which may hold a link. */
export function sendMail(context: Context, mail: Mail): void {
  const { smtp_url, mail_from } = context.config
  if (smtp_url === null) return
  const transport = transports.get(context.config) ?? createTransport(smtp_url)
  transports.set(context.config, transport)
  transport
    .sendMail({
      from: mail_from,
      to: { name: '', address: mail.to },
      subject: mail.subject,
      text: mail.text,
    })
    .catch(error => context.log.error({ err: error, subject: mail.subject }, 'mail was not sent'))
}
