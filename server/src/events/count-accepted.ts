// Notes how many events a tenant had accepted, once their transaction is through.
import type { UsageMeter } from '../access/usage-meter.ts'
import type { Ingest } from './ingest-queue.ts'

export function countAccepted(ingest: Ingest, meter: UsageMeter): Ingest {
  return async (tenant_id, submission) => {
    let accepted = 0
    const answer = await ingest(tenant_id, {
      ...submission,
      answer: outcomes => {
        accepted = outcomes.filter(outcome => outcome.kind === 'scored').length
        return submission.answer(outcomes)
      },
    })
    meter.count(tenant_id, 'events', accepted)
    return answer
  }
}
