// Goes on with erasures that a request could not finish: a large tenant, a job that went first, a kill.
import { openTraces } from '../employees/being-erased.ts'
import { SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { ApiError } from '../platform/errors.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { isEmptying, listOpenErasures, tenantsWithErasures } from './erasures.queries.ts'
import { sweepPerson } from './sweep-person.ts'

const PEOPLE_PER_TURN = 20
/** Rows of one person in one turn, so that a large tenant does not keep the others waiting. */
const ROWS_PER_TURN = 20_000

export function sweepErasedJob(): Job {
  const told = new Set<string>()
  return createTenantJob({
    name: 'sweep-erased',
    every_ms: 2 * SECOND,
    tenants: 16,
    find: ({ db }, after, limit) => db.acrossTenants(tx => tenantsWithErasures(tx, after, limit)),
    work: (context, { tenant_id }) => sweepTenant(context, tenant_id, told),
  })
}

async function sweepTenant(context: Context, tenant_id: string, told: Set<string>) {
  const people = await findPeople(context, tenant_id, told)
  const faults: unknown[] = []
  let more = false
  for (const employee_id of people) {
    try {
      more = (await sweepPerson(context, tenant_id, employee_id, ROWS_PER_TURN)) || more
    } catch (error) {
      // A database that is away is away for everybody; any other fault is of this one person.
      if (error instanceof ApiError) throw error
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
  return more
}

/**
 * The next of whom something is to be emptied, or whose note can be opened; the others wait for the key that sealed it,
 * which is said once each.
 */
async function findPeople(context: Context, tenant_id: string, told: Set<string>) {
  for (let after = ''; ; ) {
    const open = await context.db.inTenant(tenant_id, tx =>
      listOpenErasures(tx, tenant_id, after, PEOPLE_PER_TURN),
    )
    const people: string[] = []
    for (const row of open) {
      const { employee_id } = row
      if (isEmptying(row) || openTraces(context, tenant_id, row)) people.push(employee_id)
      else if (!told.has(employee_id)) {
        told.add(employee_id)
        const who = { tenant_id, employee_id }
        context.log.error(who, 'an erasure waits for the key that sealed its note')
      }
    }
    if (people.length > 0 || open.length < PEOPLE_PER_TURN) return people
    after = open.at(-1)!.employee_id
  }
}
