// Removes what nobody asks for any more: idle buckets of addresses, answers of repeated requests, unmatched events.
import { dropIdleBuckets, dropOldAnswers, tenantsWithOldAnswers } from './access/access.queries.ts'
import { dropExpiredUnmatched, tenantsWithExpiredUnmatched } from './events/unmatched.queries.ts'
import { DAY, MINUTE } from './platform/clock.ts'
import { RESERVED_TENANT } from './platform/database.ts'
import type { Job } from './platform/jobs.ts'

const TENANTS_PER_TURN = 200
/** By then an address has all its tokens again. */
const IDLE_MS = 10 * MINUTE

/** Each turn removes a bounded piece of each kind, so what is left over is found again by the next. */
export const housekeepingJob: Job = {
  name: 'housekeeping',
  every_ms: MINUTE,
  async run({ db, clock }) {
    const now = clock.now()
    const [idle, day] = [new Date(now - IDLE_MS), new Date(now - DAY)]
    await db.inTenant(RESERVED_TENANT, tx => dropIdleBuckets(tx, RESERVED_TENANT, idle))
    const answers = await db.acrossTenants(tx => tenantsWithOldAnswers(tx, day, TENANTS_PER_TURN))
    for (const tenant_id of answers) {
      await db.inTenant(tenant_id, tx => dropOldAnswers(tx, tenant_id, day))
    }
    const at = new Date(now)
    const lost = await db.acrossTenants(tx => tenantsWithExpiredUnmatched(tx, at, TENANTS_PER_TURN))
    for (const tenant_id of lost) {
      await db.inTenant(tenant_id, tx => dropExpiredUnmatched(tx, tenant_id, at))
    }
    return answers.length + lost.length > 0
  },
}
