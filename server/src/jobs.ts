// Every job of the worker, in one list.
import { forgetSessionsJob } from './accounts/forget-sessions.job.ts'
import { carryOutActionsJob } from './actions/carry-out-actions.job.ts'
import { expireActionsJob } from './actions/expire-actions.job.ts'
import { mendFarMailJob } from './actions/mend-far-mail.job.ts'
import { applyDueChangesJob } from './events/apply-due-changes.job.ts'
import { closeEventsJob } from './events/close-events.job.ts'
import { retainEventsJob } from './events/retain-events.job.ts'
import { housekeepingJob } from './housekeeping.job.ts'
import { endSpentGrantsJob } from './oauth/end-spent-grants.job.ts'
import { forgetTokensJob } from './oauth/forget-tokens.job.ts'
import type { Job } from './platform/jobs.ts'
import { measureTablesJob } from './platform/measure-tables.job.ts'
import { onlyIfTrusted, trustClock } from './platform/trust-clock.ts'
import { eraseRowsWork } from './privacy/erase-rows.ts'
import { forgetJobsJob } from './replays/forget-jobs.job.ts'
import { isReplaying } from './replays/jobs.queries.ts'
import { mendFarJobsJob } from './replays/mend-far-jobs.job.ts'
import { PACE } from './replays/run-pieces.ts'
import { replayJobsJob } from './replays/run-replay-jobs.job.ts'
import { addUpCountsJob } from './scores/add-up-counts.job.ts'
import { agePastJob } from './scores/age-past.job.ts'
import { closeDaysJob } from './scores/close-days.job.ts'
import { verifyOnlineJob } from './verify/verify-online.job.ts'
import { forgetDeliveriesJob } from './webhooks/forget-deliveries.job.ts'
import { forgetNoticesJob } from './webhooks/forget-notices.job.ts'
import { mailNoticesJob } from './webhooks/mail-notices.job.ts'
import { mendFarDeliveriesJob } from './webhooks/mend-far-deliveries.job.ts'
import { mendFarNoticesJob } from './webhooks/mend-far-notices.job.ts'
import { mendFirstAttemptsJob } from './webhooks/mend-first-attempts.job.ts'
import { recoverDeliveriesJob } from './webhooks/recover-deliveries.job.ts'
import { sendDigestsJob } from './webhooks/send-digests.job.ts'

export function listJobs(trusts = trustClock): Job[] {
  return [
    applyDueChangesJob(),
    replayJobsJob(PACE, { erasure: eraseRowsWork }),
    addUpCountsJob(),
    closeDaysJob(),
    agePastJob(),
    measureTablesJob,
    recoverDeliveriesJob(),
    mendFirstAttemptsJob(),
    closeEventsJob({ isReplaying }),
    carryOutActionsJob(),
    mailNoticesJob(),
    sendDigestsJob(),
    verifyOnlineJob(),
    ...listByTheClock().map(job => onlyIfTrusted(trusts, job)),
  ]
}

/** What is too old goes or ends for good, and what lies too far ahead is taken for a mistake: a matter of right clocks. */
function listByTheClock(): Job[] {
  return [
    mendFarJobsJob(),
    forgetJobsJob(),
    housekeepingJob(),
    forgetSessionsJob,
    endSpentGrantsJob(),
    forgetTokensJob(),
    mendFarDeliveriesJob(),
    forgetDeliveriesJob(),
    retainEventsJob(),
    mendFarMailJob(),
    expireActionsJob(),
    mendFarNoticesJob(),
    forgetNoticesJob(),
  ]
}
