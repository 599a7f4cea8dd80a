// SQL of jobs: asked for, claimed with a fence, moved on piece by piece, finished.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'

export type JobKind = 'recalculation' | 'preview' | 'settings' | 'retraction' | 'erasure'
export type JobStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'

export type JobRow = {
  job_id: string
  kind: JobKind
  status: JobStatus
  /** What it covers, in the words of its kind. */
  scope: Record<string, unknown>
  /** Employees in all; null until it has begun. */
  total: number | null
  processed: number
  /** Scores changed. */
  changed: number
  events: number
  /** The last employee done. */
  cursor: string
  result: unknown
  failures: number
  lease_until: Date | null
  fence: number
  requested_by: string
  /** Whose events a retraction takes back, or who is erased. */
  employee_id: string | null
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
  error: string | null
}

function columns(tx: Tx) {
  return tx`job_id, kind, status, scope, total, processed, changed, events, cursor, result, failures,
    lease_until, fence, requested_by, employee_id, created_at, started_at, finished_at, error`
}

export type NewJob = Pick<
  JobRow,
  'job_id' | 'kind' | 'scope' | 'requested_by' | 'employee_id' | 'created_at'
>

export async function insertJob(tx: Tx, tenant_id: string, job: NewJob): Promise<void> {
  await tx`INSERT INTO jobs (tenant_id, job_id, kind, status, scope, processed, changed, events, cursor, failures,
      fence, requested_by, employee_id, created_at)
    VALUES (${tenant_id}, ${job.job_id}, ${job.kind}, 'queued', ${JSON.stringify(job.scope)}::text::jsonb, 0, 0,
      0, '', 0, 0, ${job.requested_by}, ${job.employee_id}, ${job.created_at})`
}

export async function findJob(tx: Tx, tenant_id: string, job_id: string) {
  const [row] = await tx<JobRow[]>`
    SELECT ${columns(tx)} FROM jobs WHERE tenant_id = ${tenant_id} AND job_id = ${job_id}`
  return row
}

/** Unfinished jobs, in the order they were asked for. */
export async function listOpenJobs(tx: Tx, tenant_id: string): Promise<JobRow[]> {
  return tx<JobRow[]>`
    SELECT ${columns(tx)} FROM jobs WHERE tenant_id = ${tenant_id} AND finished_at IS NULL
    ORDER BY created_at, job_id`
}

/** Whether a job of the tenant that may change scores is under way. */
export async function isReplaying(tx: Tx, tenant_id: string): Promise<boolean> {
  const [row] = await tx`
    SELECT 1 FROM jobs WHERE tenant_id = ${tenant_id} AND finished_at IS NULL AND status = 'running'
      AND kind <> 'erasure' LIMIT 1`
  return row !== undefined
}

/** The newest jobs of these kinds; of what they found only how much, not the lists. */
export async function listLatestJobs(
  tx: Tx,
  tenant_id: string,
  kinds: readonly JobKind[],
  limit: number,
): Promise<JobRow[]> {
  return tx<JobRow[]>`
    SELECT job_id, kind, status, scope, total, processed, changed, events, cursor,
      CASE WHEN kind = 'retraction' THEN result - 'preview' END AS result, failures, lease_until, fence,
      requested_by, employee_id, created_at, started_at, finished_at, error
    FROM jobs WHERE tenant_id = ${tenant_id} AND kind = ANY(${kinds as JobKind[]}::text[])
    ORDER BY created_at DESC, job_id DESC LIMIT ${limit}`
}

/** When the newest jobs of a kind were asked for, newest first. */
export async function listRequests(
  tx: Tx,
  tenant_id: string,
  kind: JobKind,
  { after, until }: { after: Date; until: Date },
  limit: number,
): Promise<Instant[]> {
  const rows = await tx<{ created_at: Date }[]>`
    SELECT created_at FROM jobs WHERE tenant_id = ${tenant_id} AND kind = ${kind}
      AND created_at > ${after} AND created_at <= ${until}
    ORDER BY created_at DESC LIMIT ${limit}`
  return rows.map(row => row.created_at.getTime())
}

/** Reads across tenants: ids only, of those with work that nobody holds. */
export async function tenantsWithJobs(tx: Tx, now: Date, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
      SELECT 1 FROM jobs j WHERE j.tenant_id = t.tenant_id AND j.finished_at IS NULL
        AND (j.lease_until IS NULL OR j.lease_until <= ${now}))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** Reads across tenants: ids only, of those whose work is held beyond an instant. */
export async function tenantsWithFarJobs(tx: Tx, beyond: Date, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
      SELECT 1 FROM jobs j WHERE j.tenant_id = t.tenant_id AND j.finished_at IS NULL AND j.lease_until > ${beyond})
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** Leases beyond an instant end at another. */
export async function mendFarJobs(tx: Tx, tenant_id: string, beyond: Date, until: Date) {
  await tx`UPDATE jobs SET lease_until = ${until}
    WHERE tenant_id = ${tenant_id} AND finished_at IS NULL AND lease_until > ${beyond}`
}

/** Takes a job over if nobody else has since it was read; the fence shuts the former holder out. */
export async function claimJob(
  tx: Tx,
  tenant_id: string,
  { job_id, fence }: JobRow,
  now: Date,
  lease_until: Date,
): Promise<JobRow | undefined> {
  const [row] = await tx<JobRow[]>`
    UPDATE jobs SET status = 'running', fence = fence + 1, lease_until = ${lease_until},
      started_at = coalesce(started_at, ${now})
    WHERE tenant_id = ${tenant_id} AND job_id = ${job_id} AND fence = ${fence} AND finished_at IS NULL
    RETURNING ${columns(tx)}`
  return row
}

/** Invariant: held until commit, so that a piece of a job is done by one worker only. */
export async function lockHeldJob(
  tx: Tx,
  tenant_id: string,
  job_id: string,
  fence: number,
): Promise<JobRow | undefined> {
  const [row] = await tx<JobRow[]>`
    SELECT ${columns(tx)} FROM jobs
    WHERE tenant_id = ${tenant_id} AND job_id = ${job_id} AND fence = ${fence} AND status = 'running' FOR UPDATE`
  return row
}

export async function lockJob(tx: Tx, tenant_id: string, job_id: string) {
  const [row] = await tx<JobRow[]>`
    SELECT ${columns(tx)} FROM jobs WHERE tenant_id = ${tenant_id} AND job_id = ${job_id} FOR UPDATE`
  return row
}

/** Invariant: the caller holds the job's row. */
export async function saveJob(tx: Tx, tenant_id: string, job: JobRow): Promise<void> {
  const result = job.result === null ? null : JSON.stringify(job.result)
  await tx`UPDATE jobs SET status = ${job.status}, total = ${job.total}, processed = ${job.processed},
      changed = ${job.changed}, events = ${job.events}, cursor = ${job.cursor},
      result = ${result}::text::jsonb, failures = ${job.failures}, lease_until = ${job.lease_until},
      finished_at = ${job.finished_at}, error = ${job.error}
    WHERE tenant_id = ${tenant_id} AND job_id = ${job.job_id}`
}

/** Gives a job back between pieces; somebody else's is left alone. */
export async function releaseJob(tx: Tx, tenant_id: string, { job_id, fence }: JobRow) {
  await tx`UPDATE jobs SET lease_until = NULL
    WHERE tenant_id = ${tenant_id} AND job_id = ${job_id} AND fence = ${fence} AND finished_at IS NULL`
}

/** Of several waiting changes of settings only the last is run: it does what the others would have. */
export async function supersedeSettingsJobs(tx: Tx, tenant_id: string, by: string, now: Date) {
  await tx`UPDATE jobs SET status = 'cancelled', finished_at = ${now}, error = ${`superseded by ${by}`}
    WHERE tenant_id = ${tenant_id} AND kind = 'settings' AND status = 'queued' AND finished_at IS NULL`
}

/** Until when the jobs and the addresses that are forgotten had ended. */
export type Forgotten = { floor: string; ended_before: Date }

/** Reads across tenants: ids only. */
export async function tenantsWithOldJobs(
  tx: Tx,
  { floor, ended_before }: Forgotten,
  after: string,
  limit: number,
) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND (EXISTS (
      SELECT 1 FROM jobs j WHERE j.tenant_id = t.tenant_id AND j.job_id < ${floor} AND j.finished_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM jobs j WHERE j.tenant_id = t.tenant_id AND j.email_hash IS NOT NULL
      AND j.finished_at < ${ended_before}))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** The address of somebody erased is any address again. */
export async function forgetAddresses(tx: Tx, tenant_id: string, ended_before: Date) {
  await tx`UPDATE jobs SET email_hash = NULL
    WHERE tenant_id = ${tenant_id} AND email_hash IS NOT NULL AND finished_at < ${ended_before}`
}

export async function dropOldJobs(tx: Tx, tenant_id: string, floor: string): Promise<void> {
  await tx`DELETE FROM jobs WHERE tenant_id = ${tenant_id} AND job_id < ${floor} AND finished_at IS NOT NULL`
}
