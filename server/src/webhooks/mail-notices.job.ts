// Tells owners and admins by mail when webhooks fail or are disabled, and of keys of people who left; the line in the
// dashboard stays either way.
import { listAdminEmails } from '../accounts/memberships.queries.ts'
import { DAY, type Instant, MINUTE, SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Job } from '../platform/jobs.ts'
import { canMail, deliverMail, HOLD, isRefused, mailFault } from '../platform/mail.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import {
  claimUnmailed,
  type InboxRow,
  type News,
  settleMail,
  tenantsWithUnmailed,
} from './inbox.queries.ts'
import { describeNotice } from './notice-words.ts'

/** What is mailed, under which subject, and what helps. */
const MAILS: Readonly<Record<string, { subject: string; more: string }>> = {
  'webhook.failing': {
    subject: 'A webhook needs attention',
    more: 'The dashboard shows every attempt.',
  },
  'webhook.disabled': {
    subject: 'A webhook needs attention',
    more: 'The dashboard shows every attempt.',
  },
  'key.creator_left': {
    subject: 'API keys of somebody who has left',
    more: 'The dashboard marks them under API keys.',
  },
}
const KINDS = Object.keys(MAILS)
/** A mail server may be down over a weekend. What is older stands in the dashboard; as a mail it would mislead. */
const NEWS_MS = 3 * DAY
const CHUNK = 25
const AGAIN_MS = 10 * MINUTE

export function mailNoticesJob(): Job {
  return createTenantJob({
    name: 'mail-notices',
    every_ms: 10 * SECOND,
    tenants: 50,
    find: async (context, after, limit, now) => {
      if (!canMail(context)) return []
      const [news, at] = [newsAt(now), new Date(now)]
      return context.db.acrossTenants(tx => tenantsWithUnmailed(tx, news, at, after, limit))
    },
    work: (context, { tenant_id }) => mailNotices(context, tenant_id),
  })
}

function newsAt(now: Instant): News {
  return { kinds: KINDS, since: new Date(now - NEWS_MS) }
}

/** Held while it is sent and marked when the server has taken it: a kill in between repeats it, under its id. */
async function mailNotices(context: Context, tenant_id: string): Promise<boolean> {
  const now = context.clock.now()
  const [at, until] = [new Date(now), new Date(now + HOLD.lease_ms)]
  const { notices, to } = await context.db.inTenant(tenant_id, async tx => {
    const to = await listAdminEmails(tx, tenant_id)
    return { notices: await claimUnmailed(tx, tenant_id, newsAt(now), at, until, CHUNK), to }
  })
  for (const notice of notices) {
    if (context.clock.now() >= now + HOLD.begin_ms) return false
    const { notification_id, raised_at } = notice
    const told = await mailNotice(context, tenant_id, notice, to)
    const settled = told
      ? { mailed_at: raised_at, rests_until: null }
      : { mailed_at: null, rests_until: new Date(context.clock.now() + AGAIN_MS) }
    await context.db.inTenant(tenant_id, tx => settleMail(tx, tenant_id, notification_id, settled))
  }
  return notices.length === CHUNK
}

/** Where nobody is left to be told, or the server refuses for good, it counts as told. */
async function mailNotice(
  context: Context,
  tenant_id: string,
  notice: InboxRow & { raised_at: Date },
  to: readonly string[],
): Promise<boolean> {
  if (to.length === 0) return true
  const { notification_id } = notice
  const { subject, more } = MAILS[notice.kind]!
  const text = `${describeNotice(notice)}.\n\n${more}\n`
  const id = `${notification_id}.${notice.raised_at.getTime()}`
  try {
    await deliverMail(context, { to, subject, text }, id)
    return true
  } catch (error) {
    context.log.warn({ tenant_id, notification_id, reason: mailFault(error) }, 'mail not sent')
    return isRefused(error)
  }
}
