// Mails people who asked for it what they have not read yet, once a day or a week; nothing new, no mail.
import { findMembership } from '../accounts/memberships.queries.ts'
import { DAY, HOUR, type Instant, MINUTE } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import type { Job } from '../platform/jobs.ts'
import { canMail, deliverMail, HOLD, isRefused, mailFault } from '../platform/mail.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import {
  claimDigests,
  type Digest,
  deleteDigest,
  type Frequency,
  type InboxRow,
  listUntold,
  moveDigest,
  type SettledDigest,
  tenantsWithDueDigests,
} from './inbox.queries.ts'
import { describeNotice } from './notice-words.ts'

export const PERIOD_MS: Readonly<Record<Frequency, Instant>> = { daily: DAY, weekly: 7 * DAY }
const CHUNK = 25
const MOST_LINES = 50
const AGAIN_MS = HOUR
/** Longer than any transaction that writes: what one of them was writing meanwhile is in the next digest. */
const UNDER_WAY_MS = 5 * MINUTE

export function sendDigestsJob(): Job {
  return createTenantJob({
    name: 'send-digests',
    every_ms: MINUTE,
    tenants: 50,
    find: async (context, after, limit, now) => {
      if (!canMail(context)) return []
      const at = new Date(now)
      return context.db.acrossTenants(tx => tenantsWithDueDigests(tx, at, after, limit))
    },
    work: async (context, { tenant_id }) => {
      await sendDue(context, tenant_id)
      return true
    },
  })
}

type Letter = { digest: Digest; to: string; notices: InboxRow[] }

/** By its own clock: the mails of the tenants before it may have taken long. */
async function sendDue(context: Context, tenant_id: string): Promise<void> {
  const now = context.clock.now()
  const letters = await context.db.inTenant(tenant_id, tx => collect(tx, tenant_id, now))
  for (const { digest, to, notices } of letters) {
    if (context.clock.now() >= now + HOLD.begin_ms) return
    const text = `${listLines(notices).join('\n')}\n`
    const id = `digest.${digest.user_id}.${digest.next_at.getTime()}`
    const settled = await deliverMail(context, { to, subject: 'Bellwether: what is new', text }, id)
      .then(() => movedOn(digest, now))
      .catch(error => {
        const { user_id } = digest
        context.log.warn({ tenant_id, user_id, reason: mailFault(error) }, 'digest not sent')
        // Refused for good it counts as told: its lines are in the dashboard, and the next one may be taken.
        if (isRefused(error)) return movedOn(digest, now)
        return { ...digest, rests_until: new Date(now + AGAIN_MS) }
      })
    await context.db.inTenant(tenant_id, tx => moveDigest(tx, tenant_id, digest, settled))
  }
}

function listLines(notices: readonly InboxRow[]): string[] {
  const lines = notices.slice(0, MOST_LINES).map(one => `- ${describeNotice(one)}`)
  return notices.length > MOST_LINES ? [...lines, '- More is in the dashboard.'] : lines
}

/** Whole periods on, so that it keeps its time of day. */
function movedOn(digest: Digest, now: Instant): SettledDigest {
  const [due, period] = [digest.next_at.getTime(), PERIOD_MS[digest.frequency]]
  const next_at = new Date(due + (Math.floor((now - due) / period) + 1) * period)
  return { told_until: new Date(now - UNDER_WAY_MS), next_at, rests_until: null }
}

/** Those with something to say, held until they are sent; the others are moved on. */
async function collect(tx: Tx, tenant_id: string, now: Instant): Promise<Letter[]> {
  const letters: Letter[] = []
  const until = new Date(now + HOLD.lease_ms)
  for (const digest of await claimDigests(tx, tenant_id, new Date(now), until, CHUNK)) {
    const { user_id, told_until } = digest
    const member = await findMembership(tx, tenant_id, user_id)
    if (member?.status !== 'active') {
      await deleteDigest(tx, tenant_id, user_id)
      continue
    }
    const notices = await listUntold(tx, tenant_id, user_id, told_until, MOST_LINES + 1)
    if (notices.length > 0) letters.push({ digest, to: member.email, notices })
    else await moveDigest(tx, tenant_id, digest, movedOn(digest, now))
  }
  return letters
}
