// A job that had to leave somebody out: it goes on with the others, and says at its end who is missing.

import { addNotice } from '../notifications/notifications.queries.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import type { JobRow } from './jobs.queries.ts'

const MOST_NAMED = 20

/** The job behind this person; nothing of them was changed. */
export function leaveOut(job: JobRow, employee_id: string): JobRow {
  const processed = job.processed + 1
  return {
    ...job,
    processed,
    total: Math.max(job.total ?? 0, processed),
    cursor: employee_id,
    failures: 0,
    lease_until: null,
    error: sayLeftOut(job.error, employee_id),
  }
}

function sayLeftOut(said: string | null, employee_id: string): string {
  if (said === null) {
    return `all is done but for those with too many events for the time there is, who stay as they were: ${employee_id}`
  }
  const named = said.split(', ').length
  if (named > MOST_NAMED) return said.endsWith(' …') ? said : `${said} …`
  return `${said}, ${employee_id}`
}

/** How a job ends that went through everybody. */
export function endJob(job: JobRow, now: Instant): JobRow {
  const status = job.error === null ? 'completed' : 'failed'
  return { ...job, status, finished_at: new Date(now) }
}

/** Failures of one kind are one line until somebody reads it. */
export async function tellOfFailure(
  tx: Tx,
  tenant_id: string,
  { job_id, kind }: JobRow,
  now: Instant,
): Promise<void> {
  await addNotice(tx, tenant_id, {
    notification_id: newId('ntf', now),
    kind: 'job.failed',
    subject_kind: 'job',
    subject_id: kind,
    data: { job_id, kind },
    at: new Date(now),
    raise: true,
  })
}
