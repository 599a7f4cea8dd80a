// Tells owners and admins by mail when webhooks fail or are disabled; the line in the dashboard stays either way.
import { listMemberships } from '../accounts/memberships.queries.ts'
import { SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Job } from '../platform/jobs.ts'
import { canMail, deliverMail, mailFault } from '../platform/mail.ts'
import { claimUnmailed, tenantsWithUnmailed, unclaimMailed } from './inbox.queries.ts'
import { describeNotice } from './notice-words.ts'

const KINDS = ['webhook.failing', 'webhook.disabled']
const TENANTS = 50
const CHUNK = 25

export const mailNoticesJob: Job = {
  name: 'mail-notices',
  every_ms: 10 * SECOND,
  async run(context) {
    if (!canMail(context)) return false
    const tenants = await context.db.acrossTenants(tx => tenantsWithUnmailed(tx, KINDS, TENANTS))
    for (const tenant_id of tenants) await mailNotices(context, tenant_id)
    // What could not be sent rests until the next turn.
    return false
  },
}

/** Claimed before it is sent: two workers never send the same, a kill in between loses one mail. */
async function mailNotices(context: Context, tenant_id: string): Promise<void> {
  const { notices, to } = await context.db.inTenant(tenant_id, async tx => {
    const members = await listMemberships(tx, tenant_id)
    const admins = members.filter(
      ({ status, role }) => status === 'active' && (role === 'owner' || role === 'admin'),
    )
    const to = admins.map(one => one.email)
    return { notices: await claimUnmailed(tx, tenant_id, KINDS, CHUNK), to }
  })
  if (to.length === 0) return
  for (const notice of notices) {
    const text = `${describeNotice(notice)}.\n\nThe dashboard shows every attempt.\n`
    const id = `${notice.notification_id}.${notice.raised_at.getTime()}`
    try {
      await deliverMail(context, { to, subject: 'A webhook needs attention', text }, id)
    } catch (error) {
      const { notification_id } = notice
      context.log.warn({ tenant_id, notification_id, reason: mailFault(error) }, 'mail not sent')
      await context.db.inTenant(tenant_id, tx => unclaimMailed(tx, tenant_id, notification_id))
    }
  }
}
