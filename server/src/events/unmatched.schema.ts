// Shapes of inbound events whose address matched nobody.
import Type from 'typebox'
import { PageQuery, Pagination } from '../platform/pagination.ts'
import { Instant } from '../platform/schemas.ts'
import { SortQuery } from '../platform/sorting.ts'
import { Details } from './events.schema.ts'

const UnmatchedEvent = Type.Object(
  {
    id: Type.String({
      description: 'Names it for the replay: unm_…',
      examples: ['unm_0mm9xk2ce12c3d4e5f6g7h'],
    }),
    source: Type.String({ description: 'The sending integration.', examples: ['okta'] }),
    event_type: Type.String({ description: 'Dotted kind.', examples: ['auth.mfa_disabled'] }),
    timestamp: Instant('When it happened.'),
    employee: Type.Object(
      {
        email: Type.String({
          description: 'As it was sent.',
          examples: ['ada.lovelace@example.com'],
        }),
      },
      { description: 'Whom it was meant for.' },
    ),
    details: Details,
    external_id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Your id of the event, as it was sent; null where none was.',
      examples: ['siem-48151623'],
    }),
    received_at: Instant('When it came in.'),
    expires_at: Instant('Until then it can be replayed.', '2026-04-01T09:00:00.000Z'),
  },
  { $id: 'UnmatchedEvent', description: 'An inbound event whose address matched nobody.' },
)

const UNMATCHED_SORTS = ['received_at', 'type', 'source', 'email'] as const

export const UnmatchedQuery = Type.Object(
  { ...PageQuery, ...SortQuery(UNMATCHED_SORTS) },
  { additionalProperties: false },
)

export const UnmatchedList = Type.Object(
  { data: Type.Array(UnmatchedEvent, { description: 'Newest first.' }), pagination: Pagination },
  { $id: 'UnmatchedList', description: 'A page of unmatched events.' },
)
