// Ends a job whose originator has lost the right to it; what was done before stays.
import { mayStill, NO_LONGER_ALLOWED } from '../access/judge-originator.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { engineOrigin } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { Scope } from '../tenants/scopes.ts'
import { type JobKind, type JobRow, saveJob } from './jobs.queries.ts'

/**
 * The scope by which each kind is asked for. Null: a change of settings is in force once it is answered, and half a
 * tenant must not keep the old ones; and who is erased is so once it is answered.
 */
const NEEDS: Readonly<Record<JobKind, Scope | null>> = {
  recalculation: 'rules:write',
  preview: 'rules:write',
  retraction: 'events:write',
  settings: null,
  erasure: null,
}

/** Invariant: the caller holds the job's row. True when the job is over. */
export async function endIfAbandoned(
  tx: Tx,
  tenant_id: string,
  job: JobRow,
  now: Instant,
): Promise<boolean> {
  const scope = NEEDS[job.kind]
  const at = new Date(now)
  if (scope === null || (await mayStill(tx, tenant_id, job.requested_by, scope, at))) return false
  const after = { status: 'cancelled' as const, error: NO_LONGER_ALLOWED }
  await saveJob(tx, tenant_id, { ...job, ...after, finished_at: at, lease_until: null })
  await recordAudit(tx, tenant_id, now, engineOrigin(), [
    {
      action: `${job.kind}.cancelled`,
      subject_kind: 'job',
      subject_id: job.job_id,
      before: { status: job.status, requested_by: job.requested_by },
      after,
    },
  ])
  return true
}
