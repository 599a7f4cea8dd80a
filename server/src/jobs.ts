// Every job of the worker, in one list.
import { applyDueChangesJob } from './events/apply-due-changes.job.ts'
import { housekeepingJob } from './housekeeping.job.ts'
import type { Job } from './platform/jobs.ts'
import { agePastJob } from './scores/age-past.job.ts'
import { closeDaysJob } from './scores/close-days.job.ts'
import { forgetDeliveriesJob } from './webhooks/forget-deliveries.job.ts'
import { recoverDeliveriesJob } from './webhooks/recover-deliveries.job.ts'

export function listJobs(): Job[] {
  return [
    applyDueChangesJob(),
    closeDaysJob(),
    agePastJob(),
    housekeepingJob,
    recoverDeliveriesJob,
    forgetDeliveriesJob,
  ]
}
