// Shapes of retraction by filter and its job.
import Type from 'typebox'
import { NOT_BLANK } from '../platform/say-fault.ts'
import { WindowQuery } from '../platform/schemas.ts'
import { EXAMPLE_JOB, EXAMPLE_TIMES, jobFields, jobTimes, previewFields } from './replays.schema.ts'

const text = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description, examples: [example] }))

const filterFields = {
  type: text('Only this event type.', 'sim.link_clicked'),
  source: text('Only events of this integration.', 'phishing-simulator'),
  employee_id: text('Only events of this employee.', 'emp_0mm9xk2ce12c3d4e5f6g7h'),
  ...WindowQuery,
  conditions: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'What must hold of the event, in the language of rule conditions.',
      examples: [{ campaign: 'spring', 'metadata.user_agent': { contains: 'scanner' } }],
    }),
  ),
}

const EXAMPLE_REQUEST = {
  reason: 'clicks made by the mail scanner',
  filter: { type: 'sim.link_clicked', from: '2026-03-01', conditions: { campaign: 'spring' } },
}

export const RetractByFilter = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: NOT_BLANK,
      description: 'Why they do not count; kept with each event.',
      examples: ['clicks made by the mail scanner'],
    }),
    filter: Type.Object(filterFields, {
      additionalProperties: false,
      minProperties: 1,
      description: 'Which events; all that is given must hold.',
    }),
  },
  {
    additionalProperties: false,
    examples: [EXAMPLE_REQUEST],
  },
)
export type RetractByFilterInput = Type.Static<typeof RetractByFilter>

export const RetractQuery = Type.Object(
  {
    dry_run: Type.Optional(
      Type.Boolean({ default: false, description: 'Only say what the retraction would change.' }),
    ),
  },
  { additionalProperties: false },
)

export const RetractionJob = Type.Object(
  {
    ...jobFields,
    reason: Type.String({
      description: 'Why, as given.',
      examples: ['clicks made by the mail scanner'],
    }),
    filter: Type.Object(filterFields, { description: 'What it selects, as given.' }),
    dry_run: Type.Boolean({ description: 'Whether it only says what would change.' }),
    employees_total: Type.Integer({ description: 'Employees to look at; 0 until it begins.' }),
    employees_processed: Type.Integer({ description: 'Employees looked at.' }),
    events_matched: Type.Integer({ description: 'Events retracted, or that would be.' }),
    employees_affected: Type.Integer({ description: 'Employees with such an event.' }),
    scores_changed: Type.Integer({ description: 'Scores that changed, or would.' }),
    ...jobTimes,
    result: Type.Optional(
      Type.Object(previewFields, {
        description: 'Of a dry run only: what would change for the active ones among them.',
      }),
    ),
  },
  {
    $id: 'RetractionJob',
    description: 'A retraction by filter and how far it is.',
    examples: [
      {
        job_id: EXAMPLE_JOB,
        status: 'running',
        ...EXAMPLE_REQUEST,
        dry_run: false,
        employees_total: 60,
        employees_processed: 20,
        events_matched: 25,
        employees_affected: 20,
        scores_changed: 19,
        ...EXAMPLE_TIMES,
      },
    ],
  },
)
