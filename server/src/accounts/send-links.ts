// One-time links: made here, and mailed; where no mail is set up they are shown to whoever asked for them.
import { actorText, type Origin } from '../platform/actor.ts'
import { DAY, type Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { conflict } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { sendMail } from '../platform/mail.ts'
import { hashToken, newToken } from '../platform/tokens.ts'
import { dropLinks, insertLink, type LinkRow } from './links.queries.ts'
import { lockUser } from './users.queries.ts'

const LINK_MS: Instant = DAY

export type SentLink = { url: string; expires_at: Date }

/** A new link ends the earlier ones for the same purpose. */
export async function createLink(
  context: Context,
  origin: Origin,
  base_url: string,
  link: Pick<LinkRow, 'purpose' | 'user_id' | 'for_tenant'>,
): Promise<SentLink> {
  const now = context.clock.now()
  const token = newToken()
  const expires_at = new Date(now + LINK_MS)
  await context.db.inTenant(RESERVED_TENANT, async tx => {
    // Invariant: held, so that an account of nobody else either has gone by now, or is kept by the invitation.
    if (!(await lockUser(tx, link.user_id))) {
      throw conflict('the account of this person was removed at this moment; try again')
    }
    await dropLinks(tx, link.user_id, link.purpose, link.for_tenant)
    await insertLink(tx, hashToken(token), {
      ...link,
      link_id: newId('inv', now),
      created_by: actorText(origin.actor),
      created_at: new Date(now),
      expires_at,
    })
  })
  return { url: `${base_url}/${link.purpose}?token=${token}`, expires_at }
}

export function mailInvitation(
  context: Context,
  to: string,
  tenant_name: string,
  url: string,
): void {
  sendMail(context, {
    to,
    subject: 'An invitation to Bellwether',
    text: `You are invited to Bellwether, for ${tenant_name}.\n\nOpen this link within 24 hours:\n${url}\n`,
  })
}

export function mailReset(context: Context, to: string, url: string): void {
  sendMail(context, {
    to,
    subject: 'A new password for Bellwether',
    text: `Choose a new password with this link within 24 hours:\n${url}\n\nIf you did not ask for it, do nothing.\n`,
  })
}
