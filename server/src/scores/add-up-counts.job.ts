// Adds the entries of every tenant to its kept counts, so that views have few of them to read.
import { addUpScores } from '../employees/score-counts.queries.ts'
import { addUpEvents } from '../events/event-counts.queries.ts'
import { SECOND } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { tenantsWithEntries } from './add-up-counts.queries.ts'

/** The more entries at once, the more of them meet in one cell. */
const EVERY_MS = 2 * SECOND
/** At once, in one transaction. */
export const MOST_ENTRIES = 200

/** Sums stay as they are, so no reader sees a difference. */
export function addUpCountsJob(): Job {
  return createTenantJob({
    name: 'add-up-counts',
    every_ms: EVERY_MS,
    tenants: 200,
    find: ({ db }, after, tenants) =>
      db.acrossTenants(tx => tenantsWithEntries(tx, after, tenants)),
    work: async ({ db }, { tenant_id }) => {
      const scores = await db.inTenant(tenant_id, tx => addUpScores(tx, tenant_id, MOST_ENTRIES))
      const events = await db.inTenant(tenant_id, tx => addUpEvents(tx, tenant_id, MOST_ENTRIES))
      return Math.max(scores, events) === MOST_ENTRIES
    },
  })
}
