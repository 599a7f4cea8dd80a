// Asking for jobs, reading them and calling them off; one of a kind at a time for each tenant.
import { conditionsFaults } from '../../../scoring/conditions.ts'
import type { Asked } from '../accounts/identity.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { actorText } from '../platform/actor.ts'
import { type Instant, MOST_AHEAD_MS } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { readWindow } from '../platform/dates.ts'
import { ApiError, conflict, invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { sayWait } from '../platform/say-wait.ts'
import { step } from '../platform/steps.ts'
import type { Limits } from '../tenants/plans.ts'
import { noSuchTenant } from '../tenants/require-tenant.ts'
import { lockTenant } from '../tenants/tenants.queries.ts'
import {
  findJob,
  insertJob,
  type JobKind,
  type JobRow,
  listOpenJobs,
  listRequests,
  lockJob,
  saveJob,
} from './jobs.queries.ts'
import { readScope } from './recalculation-scope.ts'
import { departmentExists } from './replays.queries.ts'
import type { RecalculateInput } from './replays.schema.ts'
import type { RetractByFilterInput } from './retractions.schema.ts'

/** Kinds of which an unfinished one refuses another request. */
const EXCLUDES: Readonly<Record<Exclude<JobKind, 'settings' | 'erasure'>, readonly JobKind[]>> = {
  recalculation: ['recalculation', 'settings'],
  preview: ['preview'],
  retraction: ['retraction'],
}

export async function requestRecalculation(
  tx: Tx,
  asked: Asked,
  limits: Limits,
  input: RecalculateInput,
  dry_run: boolean,
) {
  const scope = readScope(input)
  const { department } = scope
  if (department !== null && !(await departmentExists(tx, asked.tenant_id, department))) {
    throw notFound('department')
  }
  const kind = dry_run ? 'preview' : 'recalculation'
  await holdPlace(tx, asked, kind)
  if (!dry_run) await checkLimit(tx, asked, limits)
  return addJob(tx, asked, kind, scope)
}

export async function requestRetraction(
  tx: Tx,
  asked: Asked,
  { reason, filter }: RetractByFilterInput,
  dry_run: boolean,
) {
  const { from, to } = readWindow(filter, 'filter.')
  const { type = null, source = null, employee_id = null, conditions = {} } = filter
  const faults = conditionsFaults(conditions)
  if (faults.length > 0) {
    throw invalid(faults.map(fault => ({ ...fault, path: `filter.${fault.path}` })))
  }
  if (type === null && source === null && employee_id === null && isEmpty(conditions)) {
    const message = 'must name a type, a source, an employee_id or conditions'
    throw invalid([{ path: 'filter', message }])
  }
  await holdPlace(tx, asked, 'retraction')
  const window = { from: isoOf(from), to: isoOf(to) }
  const kept = { type, source, employee_id, ...window, conditions }
  return addJob(tx, asked, 'retraction', { filter: kept, reason, dry_run }, employee_id)
}

const isEmpty = (conditions: object) => Object.keys(conditions).length === 0

const isoOf = (at: Instant | null) => (at === null ? null : new Date(at).toISOString())

/** Invariant: the tenant's row is held until commit, so that two requests cannot both find the place free. */
async function holdPlace(tx: Tx, { tenant_id }: Asked, kind: keyof typeof EXCLUDES): Promise<void> {
  if (!(await lockTenant(tx, tenant_id))) throw noSuchTenant(tenant_id)
  const open = await listOpenJobs(tx, tenant_id)
  const busy = open.find(job => EXCLUDES[kind].includes(job.kind))
  if (busy) throw new ApiError('JOB_RUNNING', sayRunning(busy))
}

function sayRunning({ job_id, kind }: JobRow): string {
  return kind === 'settings'
    ? `the job ${job_id}, which follows a change of settings, is not finished yet; wait for it`
    : `the job ${job_id} is not finished yet; wait for it or cancel it`
}

/** Counts the requests of the last window themselves: never more than the plan, in whichever window. */
async function checkLimit(tx: Tx, { tenant_id, now }: Asked, limits: Limits): Promise<void> {
  const { recalculations: most, recalculation_window_ms: window } = limits
  const requests = await listRecalculations(tx, tenant_id, limits, now)
  if (requests.length < most) return
  const again = requests.at(-1)! + window
  const seconds = Math.max(1, Math.ceil((again - now) / 1000))
  throw new ApiError('RATE_LIMITED', `too many recalculations; try again in ${sayWait(seconds)}`, {
    headers: {
      'retry-after': String(seconds),
      'x-ratelimit-limit': String(most),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil((requests[0]! + window) / 1000)),
    },
  })
}

/** Those that count, newest first. One dated further ahead than clocks may differ was written by a wrong clock. */
export function listRecalculations(tx: Tx, tenant_id: string, limits: Limits, now: Instant) {
  const { recalculations: most, recalculation_window_ms: window } = limits
  const span = { after: new Date(now - window), until: new Date(now + MOST_AHEAD_MS) }
  return listRequests(tx, tenant_id, 'recalculation', span, most)
}

async function addJob(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  kind: JobKind,
  scope: Record<string, unknown>,
  employee_id: string | null = null,
) {
  const job_id = newId('job', now)
  const requested_by = actorText(origin.actor)
  const created_at = new Date(now)
  await insertJob(tx, tenant_id, { job_id, kind, scope, requested_by, employee_id, created_at })
  await recordAudit(tx, tenant_id, now, origin, [
    {
      action: `${kind}.requested`,
      subject_kind: 'job',
      subject_id: job_id,
      employee_id,
      after: scope,
    },
  ])
  step('recalculation.requested')
  return { job_id, status: 'queued' as const }
}

export async function readJob(
  tx: Tx,
  tenant_id: string,
  job_id: string,
  kinds: readonly JobKind[],
): Promise<JobRow> {
  const job = await findJob(tx, tenant_id, job_id)
  if (!job || !kinds.includes(job.kind)) throw notFound('job')
  return job
}

/** Acts between pieces: what is done stays. */
export async function cancelJob(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  job_id: string,
  kinds: readonly JobKind[],
): Promise<void> {
  const job = await lockJob(tx, tenant_id, job_id)
  if (!job || !kinds.includes(job.kind)) throw notFound('job')
  if (job.kind === 'settings') {
    throw conflict('a change of settings cannot be called off halfway; change them back instead')
  }
  if (job.status === 'cancelled') return
  if (job.finished_at) throw conflict(`the job has ${job.status} already`)
  await saveJob(tx, tenant_id, { ...job, status: 'cancelled', finished_at: new Date(now) })
  await recordAudit(tx, tenant_id, now, origin, [
    {
      action: `${job.kind}.cancelled`,
      subject_kind: 'job',
      subject_id: job_id,
      before: { status: job.status },
      after: { status: 'cancelled' },
    },
  ])
}
