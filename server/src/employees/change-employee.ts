// Changes of an employee: title, department and status, each dated, told and audited in one transaction.
import type { Asked } from '../accounts/identity.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { actorText } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, invalid, notFound } from '../platform/errors.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import { announce } from '../webhooks/announce.ts'
import { listBeyond, tooManyDepartments } from './bound-departments.ts'
import { type EmployeeRow, findEmployee, updateTitle } from './employees.queries.ts'
import type { EmployeeChangeInput } from './employees.schema.ts'
import { personFaults } from './person-faults.ts'
import { summarizeEmployee } from './read-employees.ts'
import { recordSteps } from './record-steps.ts'
import {
  type Reason,
  type Standing,
  type Step,
  scoringTime,
  stateAt,
  takeStep,
} from './standing.ts'
import { lockStandings } from './standings.queries.ts'

/**
 * Applies and records what has fallen due for these standings without an event, up to `now`.
 * Invariant: the caller holds their locks; the standings are brought up to date in place.
 */
export type Advance = (
  tx: Tx,
  tenant_id: string,
  standings: readonly Standing[],
  basis: ScoringBasis,
  now: Instant,
) => Promise<void>

/** Brings these standings to the settings in force. Invariant: as above. */
export type Recalculate = (
  tx: Tx,
  tenant_id: string,
  standings: readonly Standing[],
  basis: ScoringBasis,
  now: Instant,
  actor: string,
) => Promise<unknown>

/** Both stand to the right of this slice, so they are handed in. */
export type Scoring = { readonly advance: Advance; readonly recalculate: Recalculate }

/** What is not given stays; a change to what is there already is none. */
export async function changeEmployee(
  tx: Tx,
  asked: Asked,
  employee_id: string,
  input: EmployeeChangeInput,
  { advance, recalculate }: Scoring,
): Promise<EmployeeRow> {
  const { tenant_id, origin, now } = asked
  const faults = personFaults(input)
  if (faults.length > 0) throw invalid(faults)
  const standing = (await lockStandings(tx, tenant_id, [employee_id])).get(employee_id)
  const [basis, before] = await Promise.all([
    readScoringBasis(tx, tenant_id),
    findEmployee(tx, tenant_id, employee_id),
  ])
  if (!standing || !before) throw notFound('employee')
  if (standing.erased) throw conflict('this person was erased; only the numbers are left')
  const { department } = input
  const given = department === undefined ? input : { ...input, department: department.trim() }
  const change = reallyChanged(before, given)
  if ((await listBeyond(tx, tenant_id, [change.department ?? ''])).size > 0)
    throw tooManyDepartments()
  if (change.department !== undefined || change.status !== undefined) {
    const actor = actorText(origin.actor)
    await advance(tx, tenant_id, [standing], basis, now)
    // Settings may have changed while the employee was inactive.
    if (change.status === 'active' && standing.settings_version !== basis.settings_version) {
      await recalculate(tx, tenant_id, [standing], basis, now, actor)
    }
    const steps = moveStanding(standing, basis, change, now, actor)
    await recordSteps(tx, tenant_id, now, [standing], steps)
  }
  if (change.title !== undefined) await updateTitle(tx, tenant_id, employee_id, change.title)
  return settleChange(tx, asked, before, change)
}

function reallyChanged(before: EmployeeRow, input: EmployeeChangeInput): EmployeeChangeInput {
  const names = ['department', 'title', 'status'] as const
  const given = names.filter(name => input[name] !== undefined && input[name] !== before[name])
  return Object.fromEntries(given.map(name => [name, input[name]]))
}

/** A move to another department is recorded before a change of status: it then counts under both. */
function moveStanding(
  standing: Standing,
  basis: ScoringBasis,
  { department, status }: EmployeeChangeInput,
  now: Instant,
  actor: string,
): Step[] {
  const at = scoringTime(standing, now)
  const step = (reason: Reason, change: { department?: string; status?: Standing['status'] }) => {
    const cause = { reason, trigger_event: reason, event_id: null, actor }
    return takeStep(standing, basis, stateAt(standing, basis, at), cause, change)
  }
  const steps: Step[] = []
  if (department !== undefined) steps.push(step('department', { department }))
  if (status === 'inactive') steps.push(step('deactivation', { status }))
  if (status === 'active') {
    standing.reactivated_at = at
    steps.push(step('reactivation', { status }))
  }
  return steps
}

async function settleChange(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  before: EmployeeRow,
  change: EmployeeChangeInput,
): Promise<EmployeeRow> {
  const names = Object.keys(change) as (keyof EmployeeChangeInput)[]
  if (names.length === 0) return before
  const employee_id = before.id
  const after = (await findEmployee(tx, tenant_id, employee_id))!
  if (change.status === 'inactive') {
    const data = () => summarizeEmployee(after)
    await announce(tx, tenant_id, now, [
      { kind: 'employee.deactivated', at: now, employee_id, data },
    ])
  }
  const old = Object.fromEntries(names.map(name => [name, before[name]]))
  await recordAudit(tx, tenant_id, now, origin, [
    {
      action: 'employee.updated',
      subject_kind: 'employee',
      subject_id: employee_id,
      employee_id,
      before: old,
      after: change,
    },
  ])
  return after
}
