// Shapes of events as they are read: lists, one event, statistics.
import Type from 'typebox'
import { PageQuery, Pagination } from '../platform/pagination.ts'
import { IdParams, Instant, oneOf, WindowQuery } from '../platform/schemas.ts'
import { SortQuery } from '../platform/sorting.ts'

export const EVENT_EXAMPLE = {
  id: 'evt_0mm9xk2ce12c3d4e5f6g7h',
  type: 'sim.link_clicked',
  source: 'phishing-simulator',
  employee_id: 'emp_0mm9xk2ce12c3d4e5f6g7h',
  employee_email: 'ada@example.com',
  impact: -25,
  current_impact: -23.1533,
  timestamp: '2026-03-02T09:00:00.000Z',
  details: { campaign: 'spring', template: 'parcel' },
  rules_matched: ['rule_0mm9xk2ce12c3d4e5f6g7h'],
}

export const EventParams = IdParams('event', EVENT_EXAMPLE.id)

export const Details = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Free-form; at most 32 KiB, with its numbers in full, and 8 levels deep.',
  examples: [{ description: 'VPN from an unknown network', severity: 'high' }],
})

export const RuleIds = Type.Array(Type.String({ examples: [EVENT_EXAMPLE.rules_matched[0]] }), {
  description: 'The rules that fired, in order of evaluation.',
})

export const Event = Type.Object(
  {
    id: Type.String({ description: 'Names the event: evt_…' }),
    type: Type.String({ description: 'Dotted kind.' }),
    source: Type.String({ description: 'The originating integration.' }),
    employee_id: Type.String({ description: 'Whom it is about.' }),
    employee_email: Type.String({ description: 'Their primary email.' }),
    impact: Type.Number({ description: 'Score impact when the event was scored.' }),
    current_impact: Type.Number({ description: 'What is left of it now, decayed; 4 decimals.' }),
    timestamp: Instant('When it happened.'),
    details: Details,
    rules_matched: RuleIds,
    retracted_at: Type.Optional(
      Instant('Only on a retracted event: since when it counts for nothing.'),
    ),
    redacted_at: Type.Optional(
      Instant('Only on a redacted event: since when its details are gone.'),
    ),
  },
  { $id: 'Event', description: 'A security event as scored.', examples: [EVENT_EXAMPLE] },
)

export const EventDetail = Type.Object(
  {
    ...Event.properties,
    retraction_reason: Type.Optional(
      Type.String({ description: 'Only on a retracted event: why it does not count.' }),
    ),
    rules_cooling: Type.Array(
      Type.Object({
        rule_id: Type.String({ description: 'The rule.' }),
        until: Instant('From then on the rule may fire again for this employee.'),
      }),
      { description: 'Rules that would have fired but were cooling down.' },
    ),
  },
  {
    $id: 'EventDetail',
    description: 'A security event as scored, with the rules that were cooling down.',
    examples: [{ ...EVENT_EXAMPLE, rules_cooling: [] }],
  },
)

export const EventList = Type.Object(
  { data: Type.Array(Event, { description: 'Newest first.' }), pagination: Pagination },
  { $id: 'EventList', description: 'A page of events.' },
)

const filterText = (description: string) =>
  Type.Optional(Type.String({ maxLength: 200, description }))

const EVENT_SORTS = ['timestamp', 'type', 'source', 'impact'] as const

export const EmployeeEventsQuery = Type.Object(
  {
    ...PageQuery,
    ...SortQuery(EVENT_SORTS),
    type: filterText('Only this event type.'),
    ...WindowQuery,
  },
  { additionalProperties: false },
)

export const EventsQuery = Type.Object(
  {
    ...PageQuery,
    ...SortQuery(EVENT_SORTS),
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
    group_by: Type.Optional(oneOf(['type', 'source', 'department'], 'What to group by.', 'type')),
  },
  { additionalProperties: false },
)

export const EventStatistics = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        type: Type.String({ description: "The group's value, whatever it is grouped by." }),
        source: Type.Optional(Type.String({ description: 'The same, when grouped by source.' })),
        department: Type.Optional(
          Type.String({ description: 'The same, when grouped by department.' }),
        ),
        count: Type.Integer({ description: 'Events of the group.' }),
        affected_employees: Type.Integer({ description: 'Employees with at least one of them.' }),
        average_impact: Type.Number({ description: 'Mean impact, one decimal.' }),
      }),
      { description: 'One for each group.' },
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
