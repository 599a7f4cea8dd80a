// The shapes of webhook subscriptions.
import Type from 'typebox'
import { PageQuery, Pagination } from '../platform/pagination.ts'
import { IdParams, Instant, Name, NullableInstant } from '../platform/schemas.ts'
import { EVENT_KINDS, type EventKind } from './event-kinds.ts'

const EXAMPLE_ID = 'whk_0mm8o8c001q7xk3m2p5aw9'

export const WebhookParams = IdParams('webhook', EXAMPLE_ID)

export const webhookId = Type.String({
  description: 'Names the subscription.',
  examples: [EXAMPLE_ID],
})
const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'Where messages are sent: an http or https URL without user name, password or fragment. Private, ' +
    'loopback, link-local and reserved addresses are refused. Kept in its plain form, the host in ASCII.',
  examples: ['https://hooks.example.com/bellwether'],
})
const events = Type.Array(
  Type.Unsafe<EventKind>({ type: 'string', enum: [...EVENT_KINDS], examples: [EVENT_KINDS[1]] }),
  {
    minItems: 1,
    maxItems: EVENT_KINDS.length,
    uniqueItems: true,
    description: 'The kinds it receives.',
  },
)
const description = Type.String({
  maxLength: 200,
  description: 'What it is for; `""` when never given.',
  examples: ['Incident channel'],
})
const status = Type.Unsafe<'enabled' | 'disabled'>({
  type: 'string',
  enum: ['enabled', 'disabled'],
  description: 'While disabled, messages are logged as `skipped` and can be recovered later.',
  examples: ['enabled'],
})
const secret = Type.String({
  description: 'The signing secret, shown this once.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
})

const webhookFields = {
  id: webhookId,
  url,
  description,
  events,
  status,
  disabled_reason: Type.Unsafe<'manual' | 'failures' | 'gone' | 'grant_ended' | null>({
    type: ['string', 'null'],
    enum: ['manual', 'failures', 'gone', 'grant_ended', null],
    description:
      'Why it is disabled: by a person, after ten failed deliveries in a row over at least a day, because the ' +
      'receiver answered 410, or because the OAuth grant it was made through has ended; an owner can adopt it then.',
    examples: [null],
  }),
  disabled_at: NullableInstant('When it was disabled; null while enabled.', null),
  failures: Type.Integer({
    description: 'Deliveries in a row that failed, until the next success.',
    examples: [0],
  }),
  rotation_ends_at: NullableInstant(
    'While the secret is being rotated: when the old one stops being used at all.',
    null,
  ),
  new_secret_activated: Type.Boolean({
    description:
      'While the secret is being rotated: whether X-Service-Signature is made with the new one.',
    examples: [false],
  }),
  created_by: Type.String({
    description:
      'Who created it, or has adopted it. It goes on when the key that did is revoked, or the person has left: look ' +
      'here where one has leaked.',
    examples: ['key:key_0mm8o8c001q7xk3m2p5aw9'],
  }),
  grant_id: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The OAuth grant it was made through; it is disabled when that ends. Else null.',
    examples: [null],
  }),
  created_at: Instant('When it was created.'),
  updated_at: Instant('When it was last changed.'),
}

export const Webhook = Type.Object(webhookFields, {
  $id: 'Webhook',
  description: 'A subscription: which kinds of message are sent where.',
})

export const WebhookWithSecret = Type.Object(
  { ...webhookFields, secret },
  {
    $id: 'WebhookWithSecret',
    description: 'A subscription with its signing secret, shown this once.',
  },
)

export const WebhookList = Type.Object(
  { data: Type.Array(Webhook, { description: 'The subscriptions.' }), pagination: Pagination },
  { $id: 'WebhookList', description: 'A page of subscriptions, oldest first.' },
)

const given = Name(description)

export const NewWebhook = Type.Object(
  { url, events, description: Type.Optional(given) },
  {
    additionalProperties: false,
    description: 'A subscription to create; it is enabled at once.',
    examples: [
      {
        url: 'https://hooks.example.com/bellwether',
        events: ['score.band_changed'],
        description: 'Incident channel',
      },
    ],
  },
)

export const WebhookChange = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    description: Type.Optional(given),
    status: Type.Optional(status),
  },
  {
    additionalProperties: false,
    description: 'The fields to change; those not given stay.',
    examples: [{ status: 'enabled' }],
  },
)

/** What examples show of a webhook whose secret is being rotated. */
export const ROTATING = { rotation_ends_at: '2026-03-03T09:00:00.000Z' }

export const PagedQuery = Type.Object(PageQuery, { additionalProperties: false })

export type NewWebhookInput = Type.Static<typeof NewWebhook>
export type WebhookChangeInput = Type.Static<typeof WebhookChange>
