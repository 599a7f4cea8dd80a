// Shapes of events: what callers send and what they get back.
import Type from 'typebox'
import { PageQuery, Pagination } from '../platform/pagination.ts'
import { Instant, WindowQuery } from '../platform/schemas.ts'
import { EVENT_TYPE } from './event-input.ts'

const EVENT_EXAMPLE = {
  id: 'evt_0mm9xk2ce1b2c3d4e5f6g7h',
  type: 'sim.link_clicked',
  source: 'phishing-simulator',
  employee_id: 'emp_0mm9xk2ce1b2c3d4e5f6g7h',
  employee_email: 'ada@example.com',
  impact: -25,
  current_impact: -23.1533,
  timestamp: '2026-03-02T09:00:00.000Z',
  details: { campaign: 'spring', template: 'parcel' },
  rules_matched: ['rule_0mm9xk2ce1b2c3d4e5f6g7h'],
}

const NEW_EVENT_EXAMPLE = {
  type: 'custom.vpn_anomaly',
  employee_email: 'ada@example.com',
  timestamp: '2026-03-02T09:00:00Z',
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

const Details = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Free-form; at most 32 KiB and 8 levels deep.',
  examples: [{ description: 'VPN from an unknown network', severity: 'high' }],
})

const RuleIds = Type.Array(Type.String(), {
  description: 'The rules that fired, in order of evaluation.',
})

export const Event = Type.Object(
  {
    id: Type.String({ description: 'evt_…' }),
    type: Type.String({ description: 'Dotted kind.' }),
    source: Type.String({ description: 'The originating integration.' }),
    employee_id: Type.String(),
    employee_email: Type.String(),
    impact: Type.Number({ description: 'Score impact when the event was scored.' }),
    current_impact: Type.Number({ description: 'What is left of it now, decayed; 4 decimals.' }),
    timestamp: Instant('When it happened.'),
    details: Details,
    rules_matched: RuleIds,
    retracted_at: Type.Optional(
      Instant('Only on a retracted event: since when it counts for nothing.'),
    ),
  },
  { $id: 'Event', description: 'A security event as scored.', examples: [EVENT_EXAMPLE] },
)

export const EventDetail = Type.Object(
  {
    ...Event.properties,
    rules_cooling: Type.Array(
      Type.Object({
        rule_id: Type.String(),
        until: Instant('From then on the rule may fire again for this employee.'),
      }),
      { description: 'Rules that would have fired but were cooling down.' },
    ),
  },
  { $id: 'EventDetail', examples: [{ ...EVENT_EXAMPLE, rules_cooling: [] }] },
)

export const EventList = Type.Object(
  { data: Type.Array(Event), pagination: Pagination },
  { $id: 'EventList' },
)

const type = Type.String({ maxLength: 100, pattern: EVENT_TYPE, description: 'Dotted kind.' })
const email = Type.String({
  minLength: 3,
  maxLength: 320,
  description: "The employee's primary email; case does not matter.",
  examples: ['ada@example.com'],
})
const timestamp = Type.Optional(
  Type.String({
    maxLength: 40,
    description:
      'ISO 8601 with zone; defaults to now. At most 5 minutes ahead, at most the retention old.',
    examples: ['2026-03-02T09:00:00Z'],
  }),
)
const external_id = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '^[^\\u0000-\\u001f\\u007f]+$',
    description:
      'Your id of the event, unique per source: a repeat changes nothing and answers as the first did.',
    examples: ['siem-48151623'],
  }),
)

const KnownDetails = Type.Optional(
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    properties: {
      description: { type: 'string', maxLength: 32_768 },
      severity: { type: 'string', maxLength: 100 },
      source_system: { type: 'string', maxLength: 100 },
    },
    additionalProperties: true,
    description:
      'Free-form beside description, severity and source_system; at most 32 KiB and 8 levels.',
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
    id: Type.String(),
    type: Type.String(),
    employee_id: Type.String(),
    impact: Type.Number({ description: 'The sum of what the firing rules gave.' }),
    rules_matched: RuleIds,
    score_before: Type.Integer(),
    score_after: Type.Integer(),
  },
  {
    $id: 'EventResult',
    description: 'How an event was scored.',
    examples: [RESULT_EXAMPLE],
  },
)

export const NewEventBatch = Type.Object(
  {
    events: Type.Array(Type.Unsafe<unknown>({ type: 'object', description: 'A NewEvent.' }), {
      minItems: 1,
      maxItems: 1000,
      description: 'Taken in order; a bad one fails alone.',
    }),
  },
  {
    $id: 'NewEventBatch',
    additionalProperties: false,
    examples: [{ events: [NEW_EVENT_EXAMPLE] }],
  },
)

export const EventBatchResult = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Place in the request, from 0.' }),
        status: Type.Integer({ description: '201, 200 for a repeat, or the status of the error.' }),
        event: Type.Optional(EventResult),
        error: Type.Optional(
          Type.Object({
            code: Type.String(),
            message: Type.String(),
            details: Type.Optional(
              Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
            ),
          }),
        ),
      }),
    ),
  },
  {
    $id: 'EventBatchResult',
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
          description: { type: 'string', maxLength: 32_768 },
          severity: { type: 'string', maxLength: 100 },
          metadata: { type: 'object', additionalProperties: true },
        },
        additionalProperties: true,
        description: 'Free-form beside description, severity and metadata.',
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
    examples: [
      {
        source: 'okta',
        event_type: 'auth.mfa_disabled',
        timestamp: '2026-03-02T09:00:00Z',
        employee: { email: 'ada@example.com' },
        details: { description: 'MFA switched off', severity: 'high', metadata: { region: 'eu' } },
      },
    ],
  },
)

const filterText = (description: string) =>
  Type.Optional(Type.String({ maxLength: 200, description }))

export const EmployeeEventsQuery = Type.Object(
  { ...PageQuery, type: filterText('Only this event type.'), ...WindowQuery },
  { additionalProperties: false },
)

export const EventsQuery = Type.Object(
  {
    ...PageQuery,
    employee_id: filterText('Only events of this employee.'),
    type: filterText('Only this event type.'),
    source: filterText('Only events of this integration.'),
    ...WindowQuery,
    impact: Type.Optional(
      Type.Unsafe<'positive' | 'negative'>({
        type: 'string',
        enum: ['positive', 'negative'],
        description: 'Only events that raised, or lowered, the score.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const StatisticsQuery = Type.Object(
  {
    ...WindowQuery,
    group_by: Type.Optional(
      Type.Unsafe<'type' | 'source' | 'department'>({
        type: 'string',
        enum: ['type', 'source', 'department'],
        description: 'What to group by; default type.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const EventStatistics = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        type: Type.String({ description: "The group's value, whatever it is grouped by." }),
        source: Type.Optional(Type.String()),
        department: Type.Optional(Type.String()),
        count: Type.Integer(),
        affected_employees: Type.Integer(),
        average_impact: Type.Number({ description: 'Mean impact, one decimal.' }),
      }),
    ),
  },
  {
    $id: 'EventStatistics',
    description: 'Largest count first, at most 1,000 groups; retracted events are left out.',
    examples: [
      {
        data: [{ type: 'sim.link_clicked', count: 12, affected_employees: 9, average_impact: -25 }],
      },
    ],
  },
)

export const UnmatchedEvent = Type.Object(
  {
    id: Type.String({ description: 'unm_…' }),
    source: Type.String(),
    event_type: Type.String(),
    timestamp: Instant('When it happened.'),
    employee: Type.Object({ email: Type.String() }),
    details: Details,
    received_at: Instant('When it came in.'),
    expires_at: Instant('Until then it can be replayed.'),
  },
  { $id: 'UnmatchedEvent', description: 'An inbound event whose address matched nobody.' },
)

export const UnmatchedQuery = Type.Object({ ...PageQuery }, { additionalProperties: false })

export const UnmatchedList = Type.Object(
  { data: Type.Array(UnmatchedEvent), pagination: Pagination },
  { $id: 'UnmatchedList' },
)
