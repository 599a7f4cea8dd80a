// The public ways in: one custom event, a batch, the inbound webhook, and the replay of an unmatched one.
import type { FastifyRequest } from 'fastify'
import { identityOf, originOf } from '../accounts/identity.ts'
import { type Answer, readRepeatable } from '../idempotency/answer-once.ts'
import { actorText } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { ApiError, errorBody, invalid, notFound } from '../platform/errors.ts'
import { answerItem, answerOne } from './answer-events.ts'
import { checkNewEvent } from './check-new-event.ts'
import {
  type CustomEvent,
  type EventInput,
  type InboundEvent,
  type Read,
  readCustomEvent,
  readInboundEvent,
} from './event-input.ts'
import type { Outcome } from './ingest-events.ts'
import type { Ingest } from './ingest-queue.ts'
import { deleteUnmatched, findUnmatched, type UnmatchedRow } from './unmatched.queries.ts'

export function submitEvent(
  context: Context,
  ingest: Ingest,
  request: FastifyRequest,
  body: CustomEvent,
) {
  return submitOne(ingest, request, readCustomEvent(body, context.clock.now()))
}

export function submitInbound(
  context: Context,
  ingest: Ingest,
  request: FastifyRequest,
  body: InboundEvent,
) {
  return submitOne(ingest, request, readInboundEvent(body, context.clock.now()))
}

function submitOne(ingest: Ingest, request: FastifyRequest, read: Read): Promise<Answer> {
  if ('faults' in read) throw invalid(read.faults)
  return ingest(identityOf(request).tenant_id, {
    inputs: [read.input],
    actor: actorText(originOf(request).actor),
    repeatable: readRepeatable(request),
    answer: ([outcome]) => answerOne(outcome!, request.id),
  })
}

/** Bad events are set aside before the transaction; the others go through it together, in order. */
export function submitBatch(
  context: Context,
  ingest: Ingest,
  request: FastifyRequest,
  events: readonly unknown[],
): Promise<Answer> {
  const now = context.clock.now()
  const read = events.map(event => readOne(event, now))
  const inputs = read.filter((one): one is EventInput => !(one instanceof Error))
  return ingest(identityOf(request).tenant_id, {
    inputs,
    actor: actorText(originOf(request).actor),
    repeatable: readRepeatable(request),
    answer: outcomes => {
      const rest = [...outcomes]
      const data = read.map((one, i) => answerItem(i, one instanceof Error ? one : rest.shift()!))
      return { status: 207, body: { data } }
    },
  })
}

function readOne(event: unknown, now: number): EventInput | ApiError {
  if (event instanceof ApiError) return event
  const faults = checkNewEvent(event)
  if (faults.length > 0) return invalid(faults)
  const read = readCustomEvent(event as CustomEvent, now)
  return 'faults' in read ? invalid(read.faults) : read.input
}

/**
 * Its own id serves as external id, so that a replay cut short and tried again scores it once. One that is gone
 * still passes through the ingestion: a repeat under the same Idempotency-Key gets its first answer there.
 */
export async function replayUnmatched(
  context: Context,
  ingest: Ingest,
  request: FastifyRequest,
  unmatched_id: string,
): Promise<Answer> {
  const { tenant_id } = identityOf(request)
  const now = new Date(context.clock.now())
  const row = await context.db.inTenant(tenant_id, tx =>
    findUnmatched(tx, tenant_id, unmatched_id, now),
  )
  const gone = notFound('unmatched event')
  const answer = await ingest(tenant_id, {
    inputs: row ? [inputOf(row)] : [],
    actor: row?.actor ?? '',
    repeatable: readRepeatable(request),
    answer: ([outcome]: readonly Outcome[]) =>
      outcome
        ? answerOne(outcome, request.id)
        : { status: gone.status, body: errorBody(gone, request.id) },
  })
  if (row && answer.status < 300) {
    await context.db.inTenant(tenant_id, tx => deleteUnmatched(tx, tenant_id, unmatched_id))
  }
  return answer
}

function inputOf(row: UnmatchedRow): EventInput {
  return {
    type: row.type,
    source: row.source,
    employee_email: row.employee_email,
    timestamp: row.timestamp.getTime(),
    details: row.details,
    external_id: row.external_id ?? row.unmatched_id,
    keep_unmatched: false,
  }
}
