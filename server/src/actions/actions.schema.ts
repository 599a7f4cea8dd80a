// Shapes of actions: what is listed, asked for and reported back.
import Type from 'typebox'
import { BANDS, type Band } from '../../../scoring/settings.ts'
import { PageQuery, Pagination } from '../platform/pagination.ts'
import { IdParams, Instant, NullableInstant, WindowQuery } from '../platform/schemas.ts'
import { SortQuery } from '../platform/sorting.ts'
import {
  ACTION_STATUSES,
  ACTION_TYPE_NAMES,
  ACTION_TYPES,
  type ActionStatus,
  type ActionType,
} from './action-types.ts'

const closed = { additionalProperties: false } as const

const about = ACTION_TYPE_NAMES.map(type => `\`${type}\`: ${ACTION_TYPES[type].about}`).join('; ')

export const ActionTypeName = Type.Unsafe<ActionType>({
  type: 'string',
  enum: ACTION_TYPE_NAMES,
  description: `What is to be done. ${about}.`,
  examples: ['assign_training'],
})

const ActionStatusName = Type.Unsafe<ActionStatus>({
  type: 'string',
  enum: [...ACTION_STATUSES],
  description: 'Where it stands.',
  examples: ['triggered'],
})

export const Parameters = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    'What whoever carries it out should know; `assign_training` needs a `course` of 1 to 200 characters. At most ' +
    '4,096 bytes and 4 levels.',
  examples: [{ course: 'phishing-basics' }],
})

const NullableScore = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description, examples: [38] })

const NullableBand = (description: string) =>
  Type.Unsafe<Band | null>({
    type: ['string', 'null'],
    enum: [...BANDS, null],
    description,
    examples: ['red'],
  })

const NullableText = (description: string, example: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: [example] })

const ACTION_EXAMPLE = {
  id: 'act_0mm9xk2ce12c3d4e5f6g7h',
  type: 'assign_training',
  status: 'completed',
  employee_id: 'emp_0mm8o8c001q7xk3m2p5aw9',
  employee_email: 'ada.lovelace@example.com',
  policy_id: 'pol_0mm8o8c001q7xk3m2p5aw9',
  parameters: { course: 'phishing-basics' },
  reason: 'event',
  trigger_event: 'sim.link_clicked',
  event_id: 'evt_0mm9xk2ce12c3d4e5f6g7h',
  previous_score: 63,
  new_score: 38,
  previous_band: 'yellow',
  new_band: 'red',
  note: '',
  outcome: 'course assigned, due in 14 days',
  outcome_note: '',
  requested_by: 'engine:engine',
  decided_by: null,
  finished_by: 'key:key_0mm8o8c001q7xk3m2p5aw9',
  attempts: 0,
  created_at: '2026-03-02T09:00:00.000Z',
  triggered_at: '2026-03-02T09:00:00.000Z',
  finished_at: '2026-03-02T09:00:04.000Z',
  expires_at: null,
}

export const Action = Type.Object(
  {
    id: Type.String({
      description: 'Names the action; the same in every message about it.',
      examples: ['act_0mm9xk2ce12c3d4e5f6g7h'],
    }),
    type: ActionTypeName,
    status: ActionStatusName,
    employee_id: Type.String({ description: 'Whom it concerns.', examples: ['emp_0mm8o8c001yq7'] }),
    employee_email: Type.String({ description: 'Their address.', examples: ['ada@example.com'] }),
    policy_id: NullableText('The policy that set it off; null if asked for.', 'pol_0mm8o8c001yq7'),
    parameters: Parameters,
    reason: Type.String({
      description:
        'Why the score moved: event, decay, adjustment, retraction, recalculation or settings; ' +
        '`manual` if somebody asked for it.',
      examples: ['event'],
    }),
    trigger_event: Type.String({
      description: "The event's type, or the reason where there is no event.",
      examples: ['sim.link_clicked'],
    }),
    event_id: NullableText('The event, where there is one.', 'evt_0mm9xk2ce12c3d4e5f6g7h'),
    previous_score: NullableScore('The score before.'),
    new_score: NullableScore('The score after.'),
    previous_band: NullableBand('The band before; null where an event itself set it off.'),
    new_band: NullableBand('The band after; null where an event itself set it off.'),
    note: Type.String({ description: 'What was said when it was asked for.' }),
    outcome: Type.String({ description: 'What came of it, or why it was not possible.' }),
    outcome_note: Type.String({
      description:
        'More about that. Of what was approved it is the note of the approval, until a report brings one of its ' +
        'own; the audit log keeps both.',
    }),
    requested_by: Type.String({ description: 'Who asked.', examples: ['engine:engine'] }),
    decided_by: NullableText('Who approved or rejected it.', 'user:usr_0mm8o8c001yq7'),
    finished_by: NullableText('Who reported the end.', 'key:key_0mm8o8c001yq7'),
    attempts: Type.Integer({ description: 'How often its mail was tried.', examples: [0] }),
    created_at: Instant('When it was decided or asked for.'),
    triggered_at: NullableInstant('Since when it is to be carried out.'),
    finished_at: NullableInstant('When it ended.'),
    expires_at: NullableInstant('When it ends by itself; null once it has ended.'),
  },
  {
    $id: 'Action',
    description: 'Something that is to be done about an employee.',
    examples: [ACTION_EXAMPLE],
  },
)

const ACTION_SORTS = ['created_at', 'type', 'status', 'email'] as const

export const ActionQuery = Type.Object(
  {
    ...PageQuery,
    ...SortQuery(ACTION_SORTS),
    employee_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'Only those about this employee.' }),
    ),
    type: Type.Optional(ActionTypeName),
    status: Type.Optional(ActionStatusName),
    ...WindowQuery,
  },
  closed,
)

export const ActionList = Type.Object(
  { data: Type.Array(Action, { description: 'Newest first.' }), pagination: Pagination },
  {
    $id: 'ActionList',
    description: 'A page of actions.',
    examples: [
      {
        data: [ACTION_EXAMPLE],
        pagination: { page: 1, per_page: 25, total: 1, total_pages: 1 },
      },
    ],
  },
)

export const ActionParams = IdParams('action', 'act_0mm9xk2ce12c3d4e5f6g7h')

const note = Type.Optional(
  Type.String({ maxLength: 1000, description: 'For people.', examples: ['asked for by legal'] }),
)

export const NewAction = Type.Object(
  {
    employee_id: Type.String({
      maxLength: 100,
      description: 'Whom it concerns.',
      examples: ['emp_0mm8o8c001q7xk3m2p5aw9'],
    }),
    type: ActionTypeName,
    parameters: Type.Optional(Parameters),
    note,
  },
  closed,
)

const Report = (outcome: string) =>
  Type.Object(
    {
      outcome: Type.Optional(
        Type.String({ maxLength: 200, description: 'What came of it, in short.' }),
      ),
      note,
    },
    { ...closed, examples: [{ outcome }] },
  )

const FAILURE = 'the learning platform did not answer'

export const ActionSuccess = Report(ACTION_EXAMPLE.outcome)
export const ActionFailure = Report(FAILURE)

const VERDICT = 'talked over with the manager'

export const ActionVerdict = Type.Object({ note }, { ...closed, examples: [{ note: VERDICT }] })

const ASKED = {
  policy_id: null,
  reason: 'manual',
  trigger_event: 'manual',
  event_id: null,
  previous_score: 75,
  new_score: 75,
  previous_band: 'yellow',
  new_band: 'yellow',
  requested_by: 'key:key_0mm8o8c001q7xk3m2p5aw9',
}
const OPEN = {
  status: 'triggered',
  outcome: '',
  finished_by: null,
  finished_at: null,
  expires_at: '2026-04-01T09:00:00.000Z',
}
const DECIDED = {
  ...ASKED,
  type: 'restrict_access',
  parameters: {},
  note: 'the third time this month',
  decided_by: 'user:usr_0mm8o8c001q7xk3m2p5aw9',
  outcome_note: VERDICT,
}

/** What the examples of answers show of the action at hand. */
export const ACTION_SHOWN = {
  asked: { ...ASKED, ...OPEN, note: 'asked for by legal' },
  failed: { status: 'failed', outcome: FAILURE },
  approved: { ...DECIDED, ...OPEN },
  rejected: {
    ...DECIDED,
    status: 'rejected',
    outcome: 'rejected',
    triggered_at: null,
    finished_by: null,
  },
}
