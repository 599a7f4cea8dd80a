// Changing the scoring settings of a tenant: the new versions, the job that carries them to everyone, the audit log.
import type { Asked } from '../accounts/identity.ts'
import { requireStill } from '../accounts/require-still.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { revokesKeysOfLeavers } from '../endings/endings.queries.ts'
import { actorText } from '../platform/actor.ts'
import type { Tx } from '../platform/database.ts'
import {
  changeSettings,
  readSettings,
  type SettingsChange,
  type TenantSettings,
} from '../tenants/change-settings.ts'
import { requireTenant } from '../tenants/require-tenant.ts'
import { recalculationView } from './job-views.ts'
import { listOpenJobs } from './jobs.queries.ts'
import { queueSettingsJob } from './queue-settings-job.ts'

/** Gives the job; null: nothing changed. */
export async function changeScoringSettings(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  change: SettingsChange,
): Promise<string | null> {
  await requireStill(tx, tenant_id, origin, 'settings:manage')
  const changed = await changeSettings(tx, tenant_id, now, change)
  if (!changed) return null
  const job_id = await queueSettingsJob(tx, tenant_id, actorText(origin.actor), now)
  const { before, after } = changed
  const names = (Object.keys(after) as (keyof TenantSettings)[]).filter(
    name => before[name] !== after[name],
  )
  const pick = (settings: TenantSettings) =>
    Object.fromEntries(names.map(name => [name, settings[name]]))
  await recordAudit(tx, tenant_id, now, origin, [
    {
      action: 'tenant.settings_changed',
      subject_kind: 'tenant',
      subject_id: tenant_id,
      before: pick(before),
      after: pick(after),
    },
  ])
  return job_id
}

/** All settings in force, and the jobs that still carry something to people. */
export async function readScoringSettings(tx: Tx, tenant_id: string) {
  const tenant = await requireTenant(tx, tenant_id)
  const [settings, open, revoke_keys_of_leavers] = await Promise.all([
    readSettings(tx, tenant),
    listOpenJobs(tx, tenant_id),
    revokesKeysOfLeavers(tx, tenant_id),
  ])
  const jobs = open
    .filter(job => job.kind === 'settings' || job.kind === 'recalculation')
    .map(job => {
      const { job_id, status, employees_total, employees_processed } = recalculationView(job)
      return { job_id, kind: job.kind, status, employees_total, employees_processed }
    })
  return { tenant_id, ...settings, revoke_keys_of_leavers, jobs }
}
