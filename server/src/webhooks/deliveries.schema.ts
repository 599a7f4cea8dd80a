// The shapes of deliveries, their attempts and the recovery of what was missed.
import Type from 'typebox'
import { DATE_OR_MOMENT } from '../platform/dates.ts'
import { PageQuery, Pagination } from '../platform/pagination.ts'
import { Instant, NullableInstant } from '../platform/schemas.ts'
import { SortQuery } from '../platform/sorting.ts'
import { TEST_KIND } from './event-kinds.ts'
import { webhookId } from './webhooks.schema.ts'

const EXAMPLE_DELIVERY = 'dlv_0mm8o8c001q7xk3m2p5aw9'

const EXAMPLE_BODY = JSON.stringify({
  event: 'score.band_changed',
  timestamp: '2026-03-02T09:00:00.000Z',
  data: {
    employee_id: 'emp_0mm8o8c001q7xk3m2p5aw9',
    email: 'ada@example.com',
    previous_score: 82,
    new_score: 57,
    previous_band: 'green',
    new_band: 'orange',
    trigger_event: 'sim.link_clicked',
  },
})

const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'failed', 'skipped'] as const
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

const deliveryStatus = Type.Unsafe<DeliveryStatus>({
  type: 'string',
  enum: [...DELIVERY_STATUSES],
  description:
    '`pending` before its first attempt has ended, `retrying` while attempts remain, then `delivered` or ' +
    '`failed`; `skipped` when the subscription was disabled, or the person erased.',
  examples: ['delivered'],
})

const deliveryFields = {
  id: Type.String({
    description: 'Sent as X-Service-Delivery; stays over retries.',
    examples: [EXAMPLE_DELIVERY],
  }),
  webhook_id: webhookId,
  event: Type.String({ description: 'The kind of message.', examples: ['score.band_changed'] }),
  status: deliveryStatus,
  attempts: Type.Integer({ description: 'Attempts made.', examples: [1] }),
  last_response_status: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'HTTP status of the last attempt; null when no answer came.',
    examples: [200],
  }),
  last_error: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Why the last attempt failed, beginning with the stage at which it did.',
    examples: [null],
  }),
  next_attempt_at: NullableInstant('When the next attempt is due; null when none is.', null),
  created_at: Instant('When the change it tells of was made.'),
}

export const Delivery = Type.Object(deliveryFields, {
  $id: 'Delivery',
  description: 'One message to one subscription, with how its sending stands.',
})

/** What an example shows of a test that waits to be sent. */
export const TEST_SHOWN = {
  event: TEST_KIND,
  status: 'pending',
  attempts: 0,
  last_response_status: null,
  next_attempt_at: '2026-03-02T09:00:00.000Z',
}

export const DeliveryList = Type.Object(
  { data: Type.Array(Delivery, { description: 'The deliveries.' }), pagination: Pagination },
  { $id: 'DeliveryList', description: 'A page of deliveries, newest first.' },
)

const DELIVERY_SORTS = ['created_at', 'event', 'status', 'attempts'] as const

export const DeliveryQuery = Type.Object(
  {
    status: Type.Optional(deliveryStatus),
    event: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Only this kind of message.',
        examples: ['score.updated'],
      }),
    ),
    ...SortQuery(DELIVERY_SORTS),
    ...PageQuery,
  },
  { additionalProperties: false },
)

const millis = (text: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description: text, examples: [12.5] })

const headers = (text: string) =>
  Type.Unsafe<Record<string, string | string[]>>({
    type: 'object',
    additionalProperties: true,
    description: text,
    examples: [{ 'content-type': 'application/json' }],
  })

const Attempt = Type.Object(
  {
    attempt: Type.Integer({ description: 'Counted from 1.', examples: [1] }),
    started_at: Instant('When it began.'),
    ended_at: Instant('When it ended.'),
    timings: Type.Object(
      {
        dns_ms: millis('Looking the host up; null on a connection used again.'),
        connect_ms: millis('From the beginning until connected; null on a connection used again.'),
        first_byte_ms: millis('From the beginning until the answer began.'),
        total_ms: millis('All of it.'),
      },
      { description: 'How long each part took, in milliseconds.' },
    ),
    request: Type.Object(
      {
        url: Type.String({
          description: 'Where it was sent.',
          examples: ['https://hooks.example.com/bellwether'],
        }),
        headers: headers(
          'As sent, without what HTTP itself adds and the `traceparent` of traced deliveries; none where it could ' +
            'not be signed, as nothing was sent.',
        ),
      },
      { description: 'What was sent, the body aside.' },
    ),
    response: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description: 'Null when no answer came.',
      required: ['status', 'headers', 'body', 'encoding', 'truncated'],
      properties: {
        status: { type: 'integer', description: 'HTTP status.', examples: [200] },
        headers: { type: 'object', additionalProperties: true, description: 'As received.' },
        body: { type: 'string', description: 'Up to 64 KiB of it.', examples: ['ok'] },
        encoding: {
          type: 'string',
          enum: ['utf8', 'base64'],
          description: 'How `body` is written.',
        },
        truncated: { type: 'boolean', description: 'Whether there was more.', examples: [false] },
      },
    }),
    stage: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: ['destination', 'dns', 'connect', 'tls', 'send', 'headers', 'body', 'status', null],
      description: 'The stage at which it failed; null when it succeeded.',
      examples: [null],
    }),
    error: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why it failed; null when it succeeded.',
      examples: [null],
    }),
  },
  { $id: 'DeliveryAttempt', description: 'One attempt to deliver a message, with timings.' },
)

export const DeliveryDetail = Type.Object(
  {
    ...deliveryFields,
    request: Type.Object(
      {
        body: Type.String({
          description: 'The bytes of every attempt.',
          examples: [EXAMPLE_BODY],
        }),
      },
      { description: 'What is sent.' },
    ),
    attempt_log: Type.Array(Attempt, {
      description: 'Every attempt, of very many the last 100, or 3 MiB of them, oldest first.',
    }),
  },
  { $id: 'DeliveryDetail', description: 'A delivery with its request, answers and attempts.' },
)

export const NewRecovery = Type.Object(
  {
    since: Type.String({
      maxLength: 40,
      pattern: DATE_OR_MOMENT,
      description: 'From when on: an ISO date (whole UTC day) or a date-time with zone.',
      examples: ['2026-03-01T00:00:00Z'],
    }),
  },
  { additionalProperties: false, description: 'What to send again.' },
)

const EXAMPLE_RECOVERY = 'rcv_0mm8o8c001q7xk3m2p5aw9'

export const recoveryId = Type.String({
  maxLength: 1000,
  description: 'The id of the recovery.',
  examples: [EXAMPLE_RECOVERY],
})

export const Recovery = Type.Object(
  {
    id: Type.String({ description: 'Names the recovery.', examples: [EXAMPLE_RECOVERY] }),
    webhook_id: webhookId,
    status: Type.Unsafe<'queued' | 'running' | 'completed' | 'failed'>({
      type: 'string',
      enum: ['queued', 'running', 'completed', 'failed'],
      description: 'It is completed when everything missed is queued to be sent.',
      examples: ['completed'],
    }),
    since: Instant('From when on missed deliveries are sent again.', '2026-03-01T00:00:00.000Z'),
    total: Type.Integer({
      description:
        'Missed deliveries found at the beginning; more where a change under way then missed some.',
      examples: [120],
    }),
    processed: Type.Integer({ description: 'Those queued again so far.', examples: [120] }),
    created_at: Instant('When it was asked for.'),
    started_at: NullableInstant('When it began.'),
    finished_at: NullableInstant('When it ended.'),
    error: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why it failed.',
      examples: [null],
    }),
  },
  {
    $id: 'WebhookRecovery',
    description: 'Sends again what a subscription missed: skipped and failed deliveries.',
  },
)

/** What an example shows of one that has not begun. */
export const RECOVERY_SHOWN = {
  status: 'queued',
  total: 0,
  processed: 0,
  started_at: null,
  finished_at: null,
}
