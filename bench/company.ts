// The tenant most benchmarks work on, loaded to the size they ask for, with a key of its own.
import { asOperator } from '../server/src/accounts/identity.ts'
import type { Random } from '../server/src/demo/random.ts'
import { applyDueChangesJob } from '../server/src/events/apply-due-changes.job.ts'
import { closeEventsJob } from '../server/src/events/close-events.job.ts'
import { WAIT_MS } from '../server/src/events/close-events.ts'
import { createKey, readScopes } from '../server/src/keys/manage-keys.ts'
import { DAY } from '../server/src/platform/clock.ts'
import type { Context } from '../server/src/platform/context.ts'
import { runDueJobs } from '../server/src/platform/jobs.ts'
import { addUpCountsJob } from '../server/src/scores/add-up-counts.job.ts'
import { agePastJob } from '../server/src/scores/age-past.job.ts'
import { closeDaysJob } from '../server/src/scores/close-days.job.ts'
import { listTenants } from '../server/src/tenants/tenants.queries.ts'
import type { Size } from './bench.ts'
import { emailOf, fillCompany, makeDetails } from './fill-company.ts'
import { fillSameRows } from './same-rows.ts'
import { openStage, type Stage } from './stage.ts'
import { fillUsualTables } from './usual-tables.ts'

const AWAY_DAYS = 8

export type Company = { tenant_id: string; key: string; employees: number }

/** `compared`: beside it stand the tables of the usual way and of the limit, filled alike. */
export async function openCompany(
  size: Size,
  options: { compared?: boolean; copy?: boolean } = {},
): Promise<{ stage: Stage; company: Company }> {
  const { employees = 0, events = 0 } = size
  const stage = await openStage(companyName(size, options.compared), {
    copy: options.copy ?? true,
    refresh: refreshCompany,
    fill: async context => {
      await fillCompany(context, { employees, events }, context.clock.now())
      if (!options.compared) return
      await fillUsualTables(context, { employees, events })
      await fillSameRows(context)
    },
  })
  return { stage, company: await enterCompany(stage.context, employees) }
}

/** What the worker would have done by now; the past of events is closed in two steps, with a wait between them. */
async function refreshCompany(context: Context): Promise<void> {
  await runDueJobs(context, [applyDueChangesJob(), closeDaysJob(), agePastJob(), closeEventsJob()])
  const later = { ...context, clock: { now: () => context.clock.now() + WAIT_MS } }
  await runDueJobs(later, [closeEventsJob(), addUpCountsJob()])
}

export function companyName({ employees, events }: Size, compared = false): string {
  return `${compared ? 'compared' : 'company'}-${employees}-${events}`
}

/** A company as a worker finds it that was away for days: everybody has lost enough risk to be due. */
export async function openDueCompany(employees: number): Promise<Stage> {
  const size = { employees, events: employees, types: ['auth.mfa_disabled'] }
  return openStage(`due-${employees}`, {
    fill: context => fillCompany(context, size, context.clock.now() - AWAY_DAYS * DAY),
  })
}

export async function enterCompany(context: Context, employees: number): Promise<Company> {
  const [tenant] = await context.db.acrossTenants(tx => listTenants(tx, 1, 0))
  if (!tenant) throw new Error('the company is not loaded')
  const { tenant_id } = tenant
  return { tenant_id, key: await giveKey(context, tenant_id), employees }
}

export async function giveKey(context: Context, tenant_id: string): Promise<string> {
  const wanted = { name: 'bench', scopes: readScopes('all'), expires_at: null }
  return (await asOperator(context, tenant_id, createKey, wanted)).key
}

/** One of the events that the ingest benchmarks send: somebody at random. */
export function newEvent(random: Random, { employees }: Company) {
  return {
    type: 'custom.vpn_anomaly',
    employee_email: emailOf(Math.floor(random() * employees)),
    details: makeDetails(random),
  }
}
