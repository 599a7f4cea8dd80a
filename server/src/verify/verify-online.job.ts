// Proves some employees each minute, on and on through all tenants, and raises the alarm when a number is wrong.

import { addNotice } from '../notifications/notifications.queries.ts'
import { DAY, type Instant, MINUTE, SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { wasTooSlow } from '../platform/database-errors.ts'
import { isUnavailable } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { Job } from '../platform/jobs.ts'
import { createCounter } from '../platform/metrics.ts'
import { tenantsAfter } from './verify.queries.ts'
import { verifyChunk } from './verify-tenant.ts'

/** What a turn may cost at most: whichever comes first. */
const MOST_EMPLOYEES = 500
const MOST_MS = SECOND
const CHUNK = 50
const MOST_FAULTS_LOGGED = 20

const proven = createCounter(
  'bellwether_verified_employees_total',
  'Employees whose numbers were proven.',
)
const wrong = createCounter(
  'bellwether_verify_faults_total',
  'Stored numbers that do not follow from their rows.',
)

/** Where the next turn goes on: after this employee of this tenant; null: with the tenant after it. */
type Cursor = { tenant_id: string; after: string | null }

/** The place is kept in memory: a new process begins somewhere, so that no tenant is always first. */
export function verifyOnlineJob(random: () => number = Math.random): Job {
  let cursor: Cursor | null = null
  const told = new Map<string, Instant>()
  return {
    name: 'verify-online',
    every_ms: MINUTE,
    run: async context => {
      const began = context.clock.now()
      let at = cursor ?? (await startSomewhere(context, random))
      try {
        for (let checked = 0; checked < MOST_EMPLOYEES; ) {
          if (context.clock.now() - began > MOST_MS) break
          const next = await verifySome(context, at, told)
          at = next.cursor
          checked += next.checked
          // Behind the last tenant a turn ends, however few there are.
          if (at.tenant_id === '') break
        }
      } catch (error) {
        // A database that is away is away for everybody; any other fault, such as being deleted, is of this tenant. So is
        // too little time: where somebody has too many events for it, the round goes on with the next tenant.
        if (!isUnavailable(error) || wasTooSlow(error)) at = { ...at, after: null }
        throw error
      } finally {
        cursor = at
      }
      return false
    },
  }
}

async function startSomewhere({ db }: Context, random: () => number): Promise<Cursor> {
  const ids = await db.acrossTenants(tx => tenantsAfter(tx, '', 10_000))
  return { tenant_id: ids[Math.floor(random() * ids.length)] ?? '', after: null }
}

async function verifySome(
  context: Context,
  { tenant_id, after }: Cursor,
  told: Map<string, Instant>,
): Promise<{ cursor: Cursor; checked: number }> {
  if (after === null) {
    const [next = ''] = await context.db.acrossTenants(tx => tenantsAfter(tx, tenant_id, 1))
    return { cursor: { tenant_id: next, after: next === '' ? null : '' }, checked: 0 }
  }
  const { ids, faults } = await verifyChunk(context, tenant_id, after, CHUNK)
  proven.add([], ids.length)
  if (faults.length > 0) await raiseAlarm(context, tenant_id, faults, told)
  const isLast = ids.length < CHUNK
  return { cursor: { tenant_id, after: isLast ? null : ids.at(-1)! }, checked: ids.length }
}

/** In the log and the metrics for the operator, in the dashboard for the tenant; there it is told once a day. */
async function raiseAlarm(
  { db, clock, log }: Context,
  tenant_id: string,
  faults: readonly string[],
  told: Map<string, Instant>,
): Promise<void> {
  const now = clock.now()
  wrong.add([], faults.length)
  log.error(
    { tenant_id, faults: faults.slice(0, MOST_FAULTS_LOGGED) },
    'stored numbers are wrong; bellwether verify --tenant shows all of them',
  )
  const raise = now - (told.get(tenant_id) ?? Number.NEGATIVE_INFINITY) >= DAY
  if (raise) told.set(tenant_id, now)
  await db.inTenant(tenant_id, async tx => {
    await addNotice(tx, tenant_id, {
      notification_id: newId('ntf', now),
      kind: 'score.unproven',
      subject_kind: 'tenant',
      subject_id: tenant_id,
      count: faults.length,
      data: { fault: faults[0] },
      at: new Date(now),
      raise,
    })
  })
}
