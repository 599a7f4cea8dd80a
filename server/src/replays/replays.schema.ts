// Shapes of dry runs, recalculations and their jobs.
import Type from 'typebox'
import { BANDS, type Band } from '../../../scoring/settings.ts'
import { exampleOf } from '../platform/openapi-schemas.ts'
import { Instant, NullableInstant, WindowQuery } from '../platform/schemas.ts'
import { NewRule } from '../rules/rules.schema.ts'
import type { JobStatus } from './jobs.queries.ts'

const RULE_ID = 'rule_0mm8o8c001q7xk3m2p5aw9'

export const TestQuery = Type.Object({ ...WindowQuery }, { additionalProperties: false })

export const DraftRule = Type.Object(
  {
    ...NewRule.properties,
    replaces: Type.Optional(
      Type.String({
        maxLength: 1000,
        description:
          'Id of a saved rule that the draft stands in for: its shares in the window make way, its earlier firings cool.',
        examples: [RULE_ID],
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'A rule as it would be created; it is tried, not saved.',
    examples: [exampleOf({ ...NewRule })],
  },
)
export type DraftRuleInput = Type.Static<typeof DraftRule>

const SCORE_CHANGES = [
  { employee_id: 'emp_0mm9xk2ce12c3d4e5f6g7h', current_score: 75, projected_score: 63 },
  { employee_id: 'emp_0mm9xk2ce12c3d4e5f6g7i', current_score: 48, projected_score: 41 },
]

const ScoreChange = Type.Object(
  {
    employee_id: Type.String(),
    current_score: Type.Integer({ description: 'The score now.' }),
    projected_score: Type.Integer({ description: 'The score it would be.' }),
  },
  { $id: 'ScoreChange', description: 'What would change for one employee.' },
)

const truncated = Type.Optional(
  Type.Boolean({ description: 'True where only the 1,000 largest changes are listed.' }),
)

const Scores = (description: string) =>
  Type.Array(Type.Integer(), { description: `${description} One number for each score, 0 to 100.` })

const Dried = {
  events_matched: Type.Integer({ description: 'Events on which it fires.' }),
  employees_affected: Type.Integer({
    description: 'Employees with such an event, or with a share in the window that is replaced.',
  }),
  average_impact: Type.Number({
    description: 'Mean of projected minus current score over them, one decimal.',
  }),
  score_changes: Type.Array(ScoreChange, { description: 'Every one affected, largest first.' }),
  truncated,
  scores_before: Type.Optional(Scores('Beside `truncated`: how many affected have each score.')),
  scores_after: Type.Optional(Scores('How many of them would have it.')),
}

const DRIED = {
  events_matched: 3,
  employees_affected: 2,
  average_impact: -9.5,
  score_changes: SCORE_CHANGES,
}

export const DryRun = Type.Object(
  {
    rule_id: Type.String({ description: 'The rule that was tried.' }),
    ...Dried,
  },
  {
    $id: 'DryRun',
    description: 'What a rule would have done in the window; nothing is changed.',
    examples: [{ rule_id: RULE_ID, ...DRIED }],
  },
)

export const DraftDryRun = Type.Object(
  {
    rule_id: Type.Null({ description: 'It is not saved.' }),
    ...Dried,
  },
  {
    $id: 'DraftDryRun',
    description: 'The same of a rule that is not saved.',
    examples: [{ rule_id: null, ...DRIED }],
  },
)

export const JOB_RUNNING = {
  says: 'Another one is not finished yet.',
  code: 'JOB_RUNNING',
  message: 'the job job_0mm8o8c001q7xk3m2p5aw9 is not finished yet; wait for it or cancel it',
} as const

export const RecalculateQuery = Type.Object(
  {
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Only say what a recalculation would change. Not limited by the plan.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const RecalculateBody = Type.Object(
  {
    scope: Type.Unsafe<string | { department: string }>({
      anyOf: [
        { type: 'string', maxLength: 300 },
        {
          type: 'object',
          properties: {
            department: { type: 'string', maxLength: 200, description: 'Its name.' },
          },
          required: ['department'],
          additionalProperties: false,
        },
      ],
      description:
        'Whom to recalculate: `"all"` or `{"department": "<name>"}`; `"department:<name>"` and ' +
        '`"department"` with the name beside it are understood too.',
      examples: ['all', { department: 'Finance' }],
    }),
    department: Type.Optional(
      Type.String({ maxLength: 200, description: 'The name, where `scope` is `"department"`.' }),
    ),
  },
  { additionalProperties: false, examples: [{ scope: 'all' }] },
)
export type RecalculateInput = Type.Static<typeof RecalculateBody>

export const EXAMPLE_JOB = 'job_0mm9xk2ce12c3d4e5f6g7h'

export const JobParams = Type.Object({
  job_id: Type.String({
    maxLength: 1000,
    description: 'The id of the job.',
    examples: [EXAMPLE_JOB],
  }),
})

const STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const

export const jobFields = {
  job_id: Type.String({ examples: [EXAMPLE_JOB] }),
  status: Type.Unsafe<JobStatus>({
    type: 'string',
    enum: [...STATUSES],
    description: 'How far it is; the last three are final.',
    examples: ['running'],
  }),
}

export const EXAMPLE_TIMES = {
  created_at: '2026-03-02T09:00:00.000Z',
  started_at: '2026-03-02T09:00:01.000Z',
  finished_at: null,
  error: null,
}

export const jobTimes = {
  created_at: Instant('When it was asked for.'),
  started_at: NullableInstant('When it began.'),
  finished_at: NullableInstant('When it ended.'),
  error: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Why it failed, or was cancelled without being asked to.',
    examples: [null],
  }),
}

export const AcceptedJob = Type.Object(jobFields, {
  $id: 'AcceptedJob',
  description: 'A job that will be done; poll it at its Location.',
  examples: [{ job_id: EXAMPLE_JOB, status: 'queued' }],
})

const Bands = (description: string) =>
  Type.Unsafe<Record<Band, number>>({
    type: 'object',
    properties: Object.fromEntries(BANDS.map(band => [band, { type: 'integer' }])),
    required: [...BANDS],
    description,
    examples: [{ green: 20, yellow: 9, orange: 2, red: 1, critical: 0 }],
  })

export const previewFields = {
  bands_before: Bands('Employees by band as they are.'),
  bands_after: Bands('Employees by band as they would be.'),
  score_changes: Type.Array(ScoreChange, { description: 'Changed scores, largest change first.' }),
  truncated,
  scores_before: Type.Optional(Scores('How many of those looked at have each score.')),
  scores_after: Type.Optional(Scores('How many of them would have it.')),
}

export const RecalculationJob = Type.Object(
  {
    ...jobFields,
    scope: Type.Unsafe<string | { department: string }>({
      anyOf: [
        { type: 'string' },
        {
          type: 'object',
          required: ['department'],
          properties: { department: { type: 'string', description: 'Its name.' } },
        },
      ],
      description: 'Whom it covers.',
      examples: ['all'],
    }),
    dry_run: Type.Boolean({ description: 'Whether it only says what would change.' }),
    employees_total: Type.Integer({ description: 'Employees in all; 0 until it begins.' }),
    employees_processed: Type.Integer({ description: 'Employees done.' }),
    scores_changed: Type.Integer({ description: 'Scores that changed, or would.' }),
    ...jobTimes,
    result: Type.Optional(
      Type.Object(previewFields, { description: 'Of a dry run only: what would change.' }),
    ),
  },
  {
    $id: 'RecalculationJob',
    description: 'A recalculation and how far it is.',
    examples: [
      {
        job_id: EXAMPLE_JOB,
        status: 'running',
        scope: 'all',
        dry_run: false,
        employees_total: 412,
        employees_processed: 200,
        scores_changed: 17,
        ...EXAMPLE_TIMES,
      },
    ],
  },
)
