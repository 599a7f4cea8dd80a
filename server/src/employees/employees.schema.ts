// The shapes of employees: the list view, the detail view, their history, and what may be sent.
import Type from 'typebox'
import { BANDS, type Band } from '../../../scoring/settings.ts'
import { PageQuery, Pagination } from '../platform/pagination.ts'
import { patternSaid } from '../platform/say-fault.ts'
import { IdParams, Instant, NullableInstant, oneOf, WindowQuery } from '../platform/schemas.ts'
import { MAX_EMAIL_LENGTH } from './email-address.ts'
import { INTERVALS, type Interval } from './score-history.ts'
import type { Status } from './standing.ts'

export const EXAMPLE_ID = 'emp_0mm8o8c001q7xk3m2p5aw9'

const text = (maxLength: number, description: string, example: string) =>
  Type.String({ maxLength, description, examples: [example] })

const STATUSES = ['active', 'inactive'] as const satisfies readonly Status[]

/** Texts of a person, in the order of the contract. */
export const fields = {
  email: text(MAX_EMAIL_LENGTH, 'Primary address; events are matched by it.', 'ada@example.com'),
  first_name: text(100, 'First name.', 'Ada'),
  last_name: text(100, 'Last name.', 'Moss'),
  department: text(200, 'Department; empty when not given.', 'Finance'),
  title: text(200, 'What they do; empty when not given.', 'Accountant'),
  location: text(200, 'Where they work; empty when not given.', 'Lisbon'),
  manager_email: text(MAX_EMAIL_LENGTH, "The manager's address, or empty.", 'kim@example.com'),
}

/** Those of somebody new. */
const score = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 100, description, examples: [75] })
const band = (description: string) => oneOf<Band>(BANDS, description, undefined, 'yellow')

const ScorePoint = Type.Object(
  {
    timestamp: Instant('The instant measured: the last of its interval, or now.'),
    score: score('The score then.'),
    band: band('The band then.'),
  },
  { $id: 'ScorePoint', description: 'The score at one instant.' },
)

/** In the order of the contract. */
const everything = {
  id: Type.String({ description: 'Names the employee.', examples: [EXAMPLE_ID] }),
  ...fields,
  score: score('The security score; follows from events and cannot be set here.'),
  band: band('The band the score is in.'),
  score_history: Type.Array(ScorePoint, {
    description: 'The last 30 days, one point a day, oldest first; none before creation.',
  }),
  status: oneOf(STATUSES, 'The score of an inactive employee is frozen.'),
  integrations: Type.Array(Type.String(), {
    description: 'The distinct sources of the events of this employee; of very many the first 100.',
    examples: [['phishing-simulator', 'okta']],
  }),
  last_event_at: NullableInstant('When the latest event happened, or null.'),
  created_at: Instant('When the record was created.'),
}

const { title, location, score_history, integrations, ...listFields } = everything

/** The list view; also what `employee.created` and `employee.deactivated` carry. */
export const EmployeeSummary = Type.Object(listFields, {
  $id: 'EmployeeSummary',
  description: 'An employee as lists and notifications show it.',
})

export const Employee = Type.Object(everything, {
  $id: 'Employee',
  description: 'An employee with everything known.',
})

export const EmployeeList = Type.Object(
  {
    data: Type.Array(EmployeeSummary, { description: 'The page, in the order asked for.' }),
    pagination: Pagination,
  },
  { $id: 'EmployeeList', description: 'A page of employees.' },
)

export const ScoreHistory = Type.Object(
  { data: Type.Array(ScorePoint, { description: 'One for each interval.' }) },
  { $id: 'ScoreHistory', description: 'Scores over time, oldest first.' },
)

export const EmployeeChange = Type.Object(
  {
    department: Type.Optional(fields.department),
    title: Type.Optional(fields.title),
    status: Type.Optional(oneOf(STATUSES, 'Deactivating freezes the score.')),
  },
  {
    additionalProperties: false,
    description: 'The fields to change; those not given stay, an empty text clears.',
    examples: [{ department: 'Finance', status: 'inactive' }],
  },
)

const SORTS = ['score', 'name', 'last_event', 'department'] as const
const ORDERS = ['asc', 'desc'] as const

const SOME_BANDS = patternSaid(
  `^(?:${BANDS.join('|')})(?:,(?:${BANDS.join('|')}))*$`,
  `must be of ${BANDS.join(', ')}, with commas between them`,
)

export const EmployeeQuery = Type.Object(
  {
    department: Type.Optional(text(200, 'Only this department; empty: those without.', 'Finance')),
    band: Type.Optional(Type.Unsafe<Band>(oneOf(BANDS, 'Only this band.'))),
    bands: Type.Optional(
      Type.String({
        maxLength: 100,
        pattern: SOME_BANDS,
        description: 'Only these bands, separated by commas.',
        examples: ['red,critical'],
      }),
    ),
    min_score: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100, description: 'Only scores from this one on.' }),
    ),
    max_score: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100, description: 'Only scores up to this one.' }),
    ),
    status: Type.Optional(oneOf(STATUSES, 'Only this status.')),
    search: Type.Optional(text(200, 'Only whose name or email contains this text.', 'moss')),
    sort: Type.Optional(
      oneOf(
        SORTS,
        '`name` is last name, then first name, as the database compares texts: capitals may come before small ' +
          'letters; `department` is department, then score. `last_event` puts those without events last.',
        'name',
      ),
    ),
    order: Type.Optional(oneOf(ORDERS, 'Direction; ties are ordered by id.', 'asc')),
    ...PageQuery,
  },
  { additionalProperties: false },
)

export const ScoreHistoryQuery = Type.Object(
  {
    ...WindowQuery,
    interval: Type.Optional(
      Type.Unsafe<Interval>(
        oneOf(INTERVALS, 'One point each; days are UTC, weeks begin on Monday.', 'daily'),
      ),
    ),
  },
  { additionalProperties: false },
)

export const EmployeeParams = IdParams('employee', EXAMPLE_ID)

export const EmailParams = Type.Object({
  email: Type.String({
    maxLength: 1000,
    description: 'The address, percent-encoded or with a plain `@`; a `+` is a plus sign.',
    examples: ['ada@example.com'],
  }),
})

export type EmployeeChangeInput = Type.Static<typeof EmployeeChange>
export type EmployeeQueryInput = Type.Static<typeof EmployeeQuery>
