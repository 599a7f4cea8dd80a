// A batch of employees: each is judged by the schema of POST /v1/employees, so that a bad one fails alone.
import type { Asked } from '../accounts/identity.ts'
import { errorItem } from '../platform/batches.ts'
import type { Tx } from '../platform/database.ts'
import { ApiError, invalid } from '../platform/errors.ts'
import { compileBodyCheck } from '../platform/validation.ts'
import { createEmployees } from './create-employee.ts'
import { NewEmployee, type NewEmployeeInput } from './new-employees.schema.ts'

const check = compileBodyCheck(NewEmployee)

export async function submitEmployees(tx: Tx, asked: Asked, employees: readonly unknown[]) {
  const outcomes = await createEmployees(tx, asked, employees.map(readOne))
  return outcomes.map((outcome, index) =>
    outcome instanceof Error
      ? errorItem(index, outcome)
      : { index, status: 201, employee: outcome },
  )
}

function readOne(employee: unknown): NewEmployeeInput | ApiError {
  if (employee instanceof ApiError) return employee
  const faults = check(employee)
  return faults.length > 0 ? invalid(faults) : (employee as NewEmployeeInput)
}
