// A digest, or a hold on a mail, may have been written by a process whose clock ran far ahead: neither must wait until the
// others' clocks have come so far.
import { HOUR, type Instant, MINUTE, MOST_AHEAD_MS } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import {
  type FarNotices,
  lockLaterDigests,
  mendHolds,
  placeDigest,
  tenantsWithFarNotices,
} from './far-notices.queries.ts'
import type { Digest } from './inbox.queries.ts'
import { PERIOD_MS } from './send-digests.job.ts'

/** The longest that a mail of a line and a digest are held, or rest after one that failed. */
const MAIL_HELD_MS = 15 * MINUTE
const DIGEST_HELD_MS = HOUR

export function mendFarNoticesJob(): Job {
  return createTenantJob({
    name: 'mend-far-notices',
    every_ms: 10 * MINUTE,
    tenants: 200,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithFarNotices(tx, farAt(now), after, limit)),
    work: async ({ db }, { tenant_id }, now) => {
      const far = farAt(now)
      const ends = { mail: new Date(now + MAIL_HELD_MS), digest: new Date(now + DIGEST_HELD_MS) }
      await db.inTenant(tenant_id, async tx => {
        await mendHolds(tx, tenant_id, far, ends)
        const later = await lockLaterDigests(tx, tenant_id, far.digest_after)
        for (const digest of later.filter(one => isFar(one, now))) {
          await placeDigest(tx, tenant_id, movedBack(digest, now))
        }
      })
      return false
    },
  })
}

function farAt(now: Instant): FarNotices {
  const latest = now + MOST_AHEAD_MS
  return {
    mail_after: new Date(latest + MAIL_HELD_MS),
    digest_after: new Date(latest + PERIOD_MS.daily),
    hold_after: new Date(latest + DIGEST_HELD_MS),
  }
}

function isFar({ frequency, next_at }: Digest, now: Instant): boolean {
  return next_at.getTime() > now + PERIOD_MS[frequency] + MOST_AHEAD_MS
}

/**
 * Whole periods back, so that it keeps its time of day. One that counts as told up to later than now tells of its last
 * period: rather a line twice than none.
 */
function movedBack(digest: Digest, now: Instant): Digest {
  const period = PERIOD_MS[digest.frequency]
  const away = digest.next_at.getTime() - now
  const next_at = new Date(now + away - (Math.ceil(away / period) - 1) * period)
  const isAhead = digest.told_until.getTime() > now
  return { ...digest, next_at, told_until: isAhead ? new Date(now - period) : digest.told_until }
}
