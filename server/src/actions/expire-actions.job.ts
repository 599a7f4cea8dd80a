// Ends what nobody decided or reported in time.
import { MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { expireActions, tenantsWithExpired } from './carry-out.queries.ts'

const TENANTS = 200
const CHUNK = 1000

const OUTCOMES = {
  awaiting_approval: 'nobody approved or rejected it in time',
  triggered: 'nobody reported how it went in time',
}

export const expireActionsJob: Job = {
  name: 'expire-actions',
  every_ms: MINUTE,
  async run({ db, clock }) {
    const now = new Date(clock.now())
    const tenants = await db.acrossTenants(tx => tenantsWithExpired(tx, now, TENANTS))
    let more = false
    for (const tenant_id of tenants) {
      const ended = await db.inTenant(tenant_id, tx =>
        expireActions(tx, tenant_id, now, OUTCOMES, CHUNK),
      )
      more = more || ended === CHUNK
    }
    return more
  },
}
