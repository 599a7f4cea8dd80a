// Queues the job that carries the settings in force to everybody.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import { insertJob, supersedeSettingsJobs } from './jobs.queries.ts'

/** It waits behind one that runs; of several waiting only the last is run. */
export async function queueSettingsJob(
  tx: Tx,
  tenant_id: string,
  requested_by: string,
  now: Instant,
): Promise<string> {
  const job_id = newId('job', now)
  const created_at = new Date(now)
  await supersedeSettingsJobs(tx, tenant_id, job_id, created_at)
  const job = { job_id, kind: 'settings', scope: {}, employee_id: null } as const
  await insertJob(tx, tenant_id, { ...job, requested_by, created_at })
  return job_id
}
