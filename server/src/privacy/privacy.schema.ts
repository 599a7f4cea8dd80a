// Shapes of a person's rights: the export of everything, and erasure.
import Type from 'typebox'
import { Instant } from '../platform/schemas.ts'

const Rows = (description: string) =>
  Type.Array(Type.Unsafe<object>({ type: 'object', additionalProperties: true }), { description })

export const PersonExport = Type.Object(
  {
    exported_at: Instant('When it was read.'),
    employee: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'Who it is and where they stand.',
    }),
    score_history: Rows('Every change of the score.'),
    events: Rows('Every event, with its details.'),
    shares: Rows('What each event gave or took, and until when.'),
    actions: Rows('Every action about them.'),
    unmatched_events: Rows('Events sent for their address before they were known.'),
    messages: Rows('Webhook messages about them, as kept in the delivery log.'),
    audit: Rows('What the audit log holds about them.'),
  },
  {
    $id: 'PersonExport',
    description: 'Everything that is stored about one person.',
    examples: [
      {
        exported_at: '2026-03-02T09:00:00.000Z',
        employee: {
          id: 'emp_0mm8o8c001q7xk3m2p5aw9',
          email: 'ada.lovelace@example.com',
          score: 50,
        },
        score_history: [{ version: 1, at: '2026-03-01T09:00:00.000Z', score: 75, band: 'yellow' }],
        events: [{ id: 'evt_0mm9xk2ce12c3d4e5f6g7h', type: 'sim.link_clicked', impact: -25 }],
        shares: [{ event_id: 'evt_0mm9xk2ce12c3d4e5f6g7h', impact: -25 }],
        actions: [],
        unmatched_events: [],
        messages: [],
        audit: [{ at: '2026-03-01T09:00:00.000Z', action: 'employee.created' }],
      },
    ],
  },
)

export const Erasure = Type.Object(
  {
    confirm: Type.Optional(
      Type.Unsafe<'erase'>({
        type: 'string',
        enum: ['erase'],
        description: 'Required of everyone but an owner in the dashboard: it cannot be undone.',
        examples: ['erase'],
      }),
    ),
  },
  { additionalProperties: false },
)

export const ErasedPerson = Type.Object(
  {
    id: Type.String({ description: 'Stays.', examples: ['emp_0mm8o8c001q7xk3m2p5aw9'] }),
    email: Type.String({
      description: 'What stands in the place of the address.',
      examples: ['erased-emp_0mm8o8c001q7xk3m2p5aw9@invalid'],
    }),
    erased_at: Instant('When it was first erased.'),
    status: Type.Unsafe<'running' | 'completed'>({
      type: 'string',
      enum: ['running', 'completed'],
      description: 'Running while rows about them are still being emptied.',
    }),
  },
  {
    $id: 'ErasedPerson',
    description: 'What is left of the name.',
    examples: [
      {
        id: 'emp_0mm8o8c001q7xk3m2p5aw9',
        email: 'erased-emp_0mm8o8c001q7xk3m2p5aw9@invalid',
        erased_at: '2026-03-02T09:00:00.000Z',
        status: 'completed',
      },
    ],
  },
)
