// Every job of the worker, in one list.
import { applyDueChangesJob } from './events/apply-due-changes.job.ts'
import { housekeepingJob } from './housekeeping.job.ts'
import type { Job } from './platform/jobs.ts'

export function listJobs(): Job[] {
  return [applyDueChangesJob(), housekeepingJob]
}
