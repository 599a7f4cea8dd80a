// Adds the entries of every tenant to its kept counts, so that views have few of them to read.
import { addUpScores } from '../employees/score-counts.queries.ts'
import { addUpEvents } from '../events/event-counts.queries.ts'
import { SECOND } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { tenantsWithEntries } from './add-up-counts.queries.ts'

const EVERY_MS = 2 * SECOND
/** Few entries cost a view nothing, and the more are added up at once, the more of them meet in one cell. */
const MANY = 32
/** So long the last ones of a tenant wait for others. */
export const OLD_MS = 30 * SECOND
/** At once, in one transaction. */
export const MOST_ENTRIES = 200

/** Sums stay as they are, so no reader sees a difference. */
export function addUpCountsJob(): Job {
  return createTenantJob({
    name: 'add-up-counts',
    every_ms: EVERY_MS,
    tenants: 200,
    find: ({ db }, after, tenants, now) => {
      const asked = { many: MANY, old: now - OLD_MS, after, tenants }
      return db.acrossTenants(tx => tenantsWithEntries(tx, asked))
    },
    work: ({ db }, { tenant_id }) =>
      db.inTenant(tenant_id, async tx => {
        const scores = await addUpScores(tx, tenant_id, MOST_ENTRIES)
        const events = await addUpEvents(tx, tenant_id, MOST_ENTRIES)
        return Math.max(scores, events) === MOST_ENTRIES
      }),
  })
}
