// "I forgot my password": the same answer for every address; the work is done after it is sent.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import { canMail } from '../platform/mail.ts'
import { accountKey } from './email-address.ts'
import type { Visit } from './identity.ts'
import { personOrigin } from './log-in.ts'
import { createLink, mailReset } from './send-links.ts'
import { linkAttempt, resetAttempt, takeAttempt } from './take-attempt.ts'
import { tellTenantsLater } from './tell-later.ts'
import { auditPerson } from './tell-tenant.ts'
import { findUserByEmail } from './users.queries.ts'

/** Asking counts like a failure. */
export async function requestReset(
  context: Context,
  visit: Visit,
  base_url: string,
  email: string,
) {
  const email_key = accountKey(email)
  await takeAttempt(context, resetAttempt(email_key, visit.address))
  if (!canMail(context)) return
  mailLink(context, visit, base_url, email_key).catch(error => {
    context.log.error({ err: error }, 'a reset link was not sent')
  })
}

async function mailLink(context: Context, visit: Visit, base_url: string, email_key: string) {
  const user = await context.db.inTenant(RESERVED_TENANT, tx => findUserByEmail(tx, email_key))
  if (user?.status !== 'active' || user.password_hash === null) return
  const { user_id } = user
  if (!(await mayMail(context, user_id))) return
  const now = context.clock.now()
  const origin = personOrigin(visit, user_id)
  const link = { purpose: 'reset', user_id, for_tenant: null } as const
  const { url } = await createLink(context, origin, base_url, link)
  const change = { action: 'password.reset_asked', subject_kind: 'user', subject_id: user_id }
  await context.db.inTenant(RESERVED_TENANT, tx => auditPerson(tx, now, origin, change))
  tellTenantsLater(context, user, origin, change)
  mailReset(context, user.email, url)
}

/** Whoever asks again and again floods no mailbox: the link that was mailed last is there, and stays good. */
async function mayMail(context: Context, user_id: string): Promise<boolean> {
  try {
    await takeAttempt(context, linkAttempt(RESERVED_TENANT, user_id))
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMITED') return false
    throw error
  }
}
