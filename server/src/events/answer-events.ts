// How outcomes of the ingestion become HTTP answers.
import type { Answer } from '../idempotency/answer-once.ts'
import { errorItem } from '../platform/batches.ts'
import { type ApiError, errorBody, invalid, notFound } from '../platform/errors.ts'
import type { Outcome } from './ingest-events.ts'

function refusal(outcome: Exclude<Outcome, { kind: 'scored' | 'repeated' }>): ApiError {
  if (outcome.kind === 'invalid') return invalid(outcome.faults)
  const error = notFound('employee with this email')
  if (outcome.kept) error.message += '; the event is kept for 30 days and can be replayed'
  return error
}

/** One event: 201, 200 for a repeat, or its error in full. */
export function answerOne(outcome: Outcome, request_id: string): Answer {
  if (outcome.kind === 'scored') {
    return { status: 201, body: outcome.event, location: `/v1/events/${outcome.event.id}` }
  }
  if (outcome.kind === 'repeated') return { status: 200, body: outcome.event }
  const error = refusal(outcome)
  return { status: error.status, body: errorBody(error, request_id) }
}

/** One event of a batch: the same, as an item of the list. */
export function answerItem(index: number, outcome: Outcome | ApiError) {
  if (outcome instanceof Error) return errorItem(index, outcome)
  if (outcome.kind === 'scored') return { index, status: 201, event: outcome.event }
  if (outcome.kind === 'repeated') return { index, status: 200, event: outcome.event }
  return errorItem(index, refusal(outcome))
}
