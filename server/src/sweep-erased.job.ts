// Goes on with erasures that a request could not finish: a large tenant, a job that went first, a kill.
import { listOpenErasures, tenantsWithErasures } from './erasures.queries.ts'
import { SECOND } from './platform/clock.ts'
import { ApiError } from './platform/errors.ts'
import type { Job } from './platform/jobs.ts'
import { sweepPerson } from './sweep-person.ts'

const TENANTS_PER_TURN = 16
const PEOPLE_PER_TURN = 20
/** Rows of one person in one turn, so that a large tenant does not keep the others waiting. */
const ROWS_PER_TURN = 20_000

export function sweepErasedJob(): Job {
  let cursor = ''
  return {
    name: 'sweep-erased',
    every_ms: 2 * SECOND,
    async run(context) {
      const { db } = context
      const tenants = await db.acrossTenants(tx =>
        tenantsWithErasures(tx, cursor, TENANTS_PER_TURN),
      )
      let more = false
      const faults: unknown[] = []
      for (const tenant_id of tenants) {
        // Should it fail, the next run begins after it: it keeps no other waiting.
        cursor = tenant_id
        const people = await db.inTenant(tenant_id, tx =>
          listOpenErasures(tx, tenant_id, PEOPLE_PER_TURN),
        )
        for (const employee_id of people) {
          try {
            more = (await sweepPerson(context, tenant_id, employee_id, ROWS_PER_TURN)) || more
          } catch (error) {
            // A database that is away is away for everybody; any other fault is of this one person.
            if (error instanceof ApiError) throw error
            faults.push(error)
          }
        }
      }
      const full = tenants.length === TENANTS_PER_TURN
      if (!full) cursor = ''
      if (faults.length > 0) throw faults[0]
      return more || full
    },
  }
}
