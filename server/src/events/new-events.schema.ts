// Shapes of events as they are sent: one, a batch, the inbound webhook; and how each was scored.
import Type from 'typebox'
import { BatchError, BatchIndex, batchItems } from '../platform/batches.ts'
import { formTold } from '../platform/openapi-schemas.ts'
import { patternSaid } from '../platform/say-fault.ts'
import { EVENT_TYPE } from './event-input.ts'
import { EVENT_EXAMPLE, RuleIds } from './events.schema.ts'

/** Without a timestamp, so that it is taken whenever it is tried. */
const NEW_EVENT_EXAMPLE = {
  type: 'custom.vpn_anomaly',
  employee_email: 'ada@example.com',
  details: { description: 'VPN from an unknown network', severity: 'high', source_system: 'vpn' },
}

const RESULT_EXAMPLE = {
  id: EVENT_EXAMPLE.id,
  type: 'custom.vpn_anomaly',
  employee_id: EVENT_EXAMPLE.employee_id,
  impact: -10,
  rules_matched: EVENT_EXAMPLE.rules_matched,
  score_before: 75,
  score_after: 65,
}

const type = Type.String({ maxLength: 100, pattern: EVENT_TYPE, description: 'Dotted kind.' })
const email = Type.String({
  minLength: 3,
  maxLength: 320,
  description: "The employee's primary email; case does not matter.",
  examples: ['ada@example.com'],
})
const timestamp = Type.Optional(
  formTold(
    Type.String({
      maxLength: 40,
      description:
        'ISO 8601 with zone, such as 2026-03-02T09:00:00Z; defaults to now. At most 5 minutes ahead, at most the ' +
        'retention old (12 months unless set otherwise).',
      examples: ['2026-03-02T09:00:00Z'],
    }),
    { format: 'date-time' },
  ),
)
const external_id = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: patternSaid('^[^\\u0000-\\u001f\\u007f]*$', 'must have no control characters'),
    description:
      'Your id of the event, unique per source: a repeat changes nothing and answers as the first did.',
    examples: ['siem-48151623'],
  }),
)

const BOUNDS =
  'at most 32 KiB, with its numbers in full, and 8 levels. Numbers beyond ±1e40 are refused, whole ones beyond 2^53 ' +
  'lose digits: send them as text'

const KnownDetails = Type.Optional(
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    properties: {
      description: { type: 'string', maxLength: 32_768, description: 'What happened, in words.' },
      severity: { type: 'string', maxLength: 100, description: 'How grave, in your own terms.' },
      source_system: {
        type: 'string',
        maxLength: 100,
        description: 'Becomes the source of the event; `api` if absent.',
      },
    },
    additionalProperties: true,
    description: `Free-form beside description, severity and source_system; ${BOUNDS}.`,
    examples: [
      { description: 'VPN from an unknown network', severity: 'high', source_system: 'vpn' },
    ],
  }),
)

export const NewEvent = Type.Object(
  { type, employee_email: email, timestamp, details: KnownDetails, external_id },
  {
    $id: 'NewEvent',
    additionalProperties: false,
    description: 'A custom event; its type begins with `custom.`.',
    examples: [NEW_EVENT_EXAMPLE],
  },
)

export const EventResult = Type.Object(
  {
    id: Type.String({ description: 'Names the event: evt_…' }),
    type: Type.String({ description: 'Its dotted kind.' }),
    employee_id: Type.String({ description: 'Whom it is about.' }),
    impact: Type.Number({ description: 'The sum of what the firing rules gave.' }),
    rules_matched: RuleIds,
    score_before: Type.Integer({ description: 'The score just before.' }),
    score_after: Type.Integer({ description: 'The score just after.' }),
  },
  {
    $id: 'EventResult',
    description: 'How an event was scored.',
    examples: [RESULT_EXAMPLE],
  },
)

/** What an example shows of the inbound event that is shown. */
export const INBOUND_SHOWN = { type: 'auth.mfa_disabled', impact: -30, score_after: 45 }

export const NewEventBatch = Type.Object(
  { events: batchItems('A NewEvent, as `POST /v1/events` takes it.') },
  {
    $id: 'NewEventBatch',
    additionalProperties: false,
    description: 'Up to 1,000 custom events.',
    examples: [{ events: [NEW_EVENT_EXAMPLE] }],
  },
)

export const EventBatchResult = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        index: BatchIndex,
        status: Type.Integer({ description: '201, 200 for a repeat, or the status of the error.' }),
        event: Type.Optional(EventResult),
        error: Type.Optional(BatchError),
      }),
      { description: 'One for each event of the request, in order.' },
    ),
  },
  {
    $id: 'EventBatchResult',
    description: 'What became of each event.',
    examples: [{ data: [{ index: 0, status: 201, event: RESULT_EXAMPLE }] }],
  },
)

export const InboundEvent = Type.Object(
  {
    source: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The sending integration.',
      examples: ['okta'],
    }),
    event_type: type,
    timestamp,
    employee: Type.Object(
      { email },
      { additionalProperties: false, description: 'Matched by primary email.' },
    ),
    details: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        properties: {
          description: {
            type: 'string',
            maxLength: 32_768,
            description: 'What happened, in words.',
          },
          severity: {
            type: 'string',
            maxLength: 100,
            description: 'How grave, in your own terms.',
          },
          metadata: {
            type: 'object',
            additionalProperties: true,
            description: 'Keys of your own.',
          },
        },
        additionalProperties: true,
        description: `Free-form beside description, severity and metadata; ${BOUNDS}.`,
        examples: [
          { description: 'MFA switched off', severity: 'high', metadata: { region: 'eu' } },
        ],
      }),
    ),
    external_id,
  },
  {
    $id: 'InboundEvent',
    additionalProperties: false,
    description: 'An event of an integration, matched to an employee by email.',
    examples: [
      {
        source: 'okta',
        event_type: 'auth.mfa_disabled',
        employee: { email: 'ada@example.com' },
        details: { description: 'MFA switched off', severity: 'high', metadata: { region: 'eu' } },
      },
    ],
  },
)
