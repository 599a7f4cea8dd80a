// Removes what nobody asks for any more: idle buckets of addresses, answers of repeated requests, unmatched events.
import { dropIdleBuckets } from './access/access.queries.ts'
import { dropExpiredUnmatched, tenantsWithExpiredUnmatched } from './events/unmatched.queries.ts'
import { dropOldAnswers, tenantsWithOldAnswers } from './idempotency/answers.queries.ts'
import { DAY, MINUTE } from './platform/clock.ts'
import { RESERVED_TENANT } from './platform/database.ts'
import type { Job } from './platform/jobs.ts'
import { createTenantTurns } from './platform/tenant-turns.ts'

const TENANTS_PER_TURN = 200
/** By then an address has all its tokens again. */
const IDLE_MS = 10 * MINUTE

/** Each turn removes a bounded piece of each kind, so what is left over is found again by the next. */
export function housekeepingJob(): Job {
  const answersInTurns = createTenantTurns(TENANTS_PER_TURN)
  const unmatchedInTurns = createTenantTurns(TENANTS_PER_TURN)
  return {
    name: 'housekeeping',
    every_ms: MINUTE,
    async run({ db, clock }) {
      const now = clock.now()
      const [idle, day, at] = [new Date(now - IDLE_MS), new Date(now - DAY), new Date(now)]
      await db.inTenant(RESERVED_TENANT, tx => dropIdleBuckets(tx, RESERVED_TENANT, idle))
      const answers = await answersInTurns(
        (after, limit) => db.acrossTenants(tx => tenantsWithOldAnswers(tx, day, after, limit)),
        async ({ tenant_id }) => {
          await db.inTenant(tenant_id, tx => dropOldAnswers(tx, tenant_id, day))
          return true
        },
      )
      const unmatched = await unmatchedInTurns(
        (after, limit) => db.acrossTenants(tx => tenantsWithExpiredUnmatched(tx, at, after, limit)),
        async ({ tenant_id }) => {
          await db.inTenant(tenant_id, tx => dropExpiredUnmatched(tx, tenant_id, at))
          return true
        },
      )
      return answers || unmatched
    },
  }
}
