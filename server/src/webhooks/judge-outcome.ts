// What follows from an attempt: delivered, tried again at an instant, or failed; pure.
import type { Instant } from '../platform/clock.ts'
import type { Delivery } from './claim-deliveries.ts'
import type { AttemptRow, OutcomeRow } from './claims.queries.ts'
import { MOST_ATTEMPTS, nextAttemptAt, readRetryAfter } from './retry-schedule.ts'
import type { Reply } from './send-request.ts'
import type { Signatures } from './signatures.ts'

export type Outcome = {
  readonly delivery: Delivery
  readonly signatures: Signatures
  readonly reply: Reply
  readonly started_at: Instant
  readonly ended_at: Instant
  readonly random: number
}

const GONE = 410

/** Also where the rest of the answer never came. */
export function isGone({ reply }: Outcome): boolean {
  return reply.status === GONE
}

/** Where the subscription has moved since, the next attempt goes elsewhere: that the former address is gone ends nothing. */
export function judgeOutcome(outcome: Outcome, hasMoved: boolean): OutcomeRow {
  const { delivery, reply } = outcome
  const ends = reply.error === null || (isGone(outcome) && !hasMoved)
  const next = ends ? null : nextAttempt(outcome)
  const failed = next === null ? 'failed' : 'retrying'
  return {
    webhook_id: delivery.webhook_id,
    delivery_id: delivery.delivery_id,
    fence: delivery.fence,
    status: reply.error === null ? 'delivered' : failed,
    next_attempt_at: next === null ? null : new Date(next),
    response_status: reply.status,
    error: reply.error && clean(reply.error.message),
  }
}

/** A redelivery begins a new round, so attempts are counted from where the round began. */
function nextAttempt({ delivery, reply, ended_at, random }: Outcome): Instant | null {
  const made = delivery.attempts + 1 - (delivery.most_attempts - MOST_ATTEMPTS)
  const asks = reply.status === 429 || reply.status === 503
  const header = asks ? [reply.headers['retry-after']].flat()[0] : undefined
  return nextAttemptAt(made, ended_at, readRetryAfter(header, ended_at), random)
}

export function describeAttempt(outcome: Outcome): Omit<AttemptRow, 'attempt'> {
  const { delivery, signatures, reply, started_at, ended_at } = outcome
  return {
    webhook_id: delivery.webhook_id,
    delivery_id: delivery.delivery_id,
    url: delivery.url,
    ...signatures,
    started_at: new Date(started_at),
    ended_at: new Date(ended_at),
    dns_ms: reply.dns_ms,
    connect_ms: reply.connect_ms,
    first_byte_ms: reply.first_byte_ms,
    total_ms: reply.total_ms,
    stage: reply.error?.stage ?? null,
    error: reply.error && clean(reply.error.message),
    response_status: reply.status,
    response_headers: reply.status === null ? null : cleanHeaders(reply.headers),
    ...decodeBody(reply),
    response_truncated: reply.truncated,
  }
}

/** PostgreSQL holds no NUL in a text. */
function clean(text: string): string {
  return text.replaceAll('\u0000', '')
}

function cleanHeaders(headers: Reply['headers']): Reply['headers'] {
  const cleaned = Object.entries(headers).map(([name, value]) => [
    clean(name),
    Array.isArray(value) ? value.map(clean) : clean(value),
  ])
  return Object.fromEntries(cleaned)
}

/** Text where it is text, else base64; of an answer that we cut, a character cut in half at the end is left out. */
function decodeBody({
  status,
  body,
  truncated,
  error,
}: Reply): Pick<AttemptRow, 'response_body' | 'response_encoding'> {
  if (status === null) return { response_body: null, response_encoding: 'utf8' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body, {
      stream: truncated || error?.stage === 'body',
    })
    if (!text.includes('\u0000')) return { response_body: text, response_encoding: 'utf8' }
  } catch {
    // Not text.
  }
  return { response_body: body.toString('base64'), response_encoding: 'base64' }
}
