// The shapes of employees as they are sent: one, and a batch; and what became of each.
import Type from 'typebox'
import { BatchError, BatchIndex, batchItems } from '../platform/batches.ts'
import { formTold } from '../platform/openapi-schemas.ts'
import { NOT_BLANK } from '../platform/say-fault.ts'
import { EMAIL, EMAIL_OR_NONE } from './email-address.ts'
import { EmployeeSummary, EXAMPLE_ID, fields } from './employees.schema.ts'

export const NewEmployee = Type.Object(
  {
    email: formTold(fields.email, { pattern: EMAIL }),
    first_name: formTold(fields.first_name, { pattern: NOT_BLANK }),
    last_name: formTold(fields.last_name, { pattern: NOT_BLANK }),
    department: Type.Optional(fields.department),
    title: Type.Optional(fields.title),
    location: Type.Optional(fields.location),
    manager_email: Type.Optional(formTold(fields.manager_email, { pattern: EMAIL_OR_NONE })),
  },
  {
    additionalProperties: false,
    description:
      'An employee to create; texts have no line breaks, control characters or characters that are not seen.',
  },
)

const ADA = {
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Moss',
  department: 'Finance',
  manager_email: 'kim@example.com',
}

const KIM = { email: 'kim@example.com', first_name: 'Kim', last_name: 'Vale' }

const MADE = {
  id: EXAMPLE_ID,
  ...ADA,
  score: 75,
  band: 'yellow',
  status: 'active',
  last_event_at: null,
  created_at: '2026-03-02T09:00:00.000Z',
}

const TAKEN = { code: 'CONFLICT', message: 'an employee with this email exists already' }

export const NewEmployeeBatch = Type.Object(
  { employees: batchItems('An employee, as `POST /v1/employees` takes it.') },
  {
    $id: 'NewEmployeeBatch',
    additionalProperties: false,
    description: 'Up to 1,000 employees to create.',
    examples: [{ employees: [ADA, KIM] }],
  },
)

export const EmployeeBatchResult = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        index: BatchIndex,
        status: Type.Integer({ description: '201, or the status of the error: 409 where taken.' }),
        employee: Type.Optional(EmployeeSummary),
        error: Type.Optional(BatchError),
      }),
      { description: 'One for each employee of the request, in order.' },
    ),
  },
  {
    $id: 'EmployeeBatchResult',
    description: 'What became of each employee.',
    examples: [
      {
        data: [
          { index: 0, status: 201, employee: MADE },
          { index: 1, status: 409, error: TAKEN },
        ],
      },
    ],
  },
)

export type NewEmployeeInput = Type.Static<typeof NewEmployee>
