// Adds people to a tenant: profile, first standing, first row of history, and the word of it.
import type { Asked } from '../accounts/identity.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { actorText } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { type ApiError, conflict, invalid } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { writeTogether } from '../platform/write-together.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import { holdSettings } from '../tenants/tenants.queries.ts'
import { readAudience, tell } from '../webhooks/announce.ts'
import { listBeyond, tooManyDepartments } from './bound-departments.ts'
import { emailKey } from './email-address.ts'
import {
  type EmployeeSummaryRow,
  insertProfiles,
  listInactive,
  type Profile,
} from './employees.queries.ts'
import type { NewEmployeeInput } from './new-employees.schema.ts'
import { personFaults } from './person-faults.ts'
import { summarizeEmployee } from './read-employees.ts'
import { countMoves } from './score-counts.queries.ts'
import { searchText } from './search-text.ts'
import { newStanding, type Standing, type Step } from './standing.ts'
import { insertHistory, insertStandings } from './standings.queries.ts'

export async function createEmployee(
  tx: Tx,
  asked: Asked,
  person: NewEmployeeInput,
): Promise<string> {
  const [made] = await createEmployees(tx, asked, [person])
  if (made instanceof Error) throw made
  return made!.id
}

/** Each for itself, in order: who was created, in short, or why not. One that is refused already stays so. */
export async function createEmployees(
  tx: Tx,
  asked: Asked,
  people: readonly (NewEmployeeInput | ApiError)[],
): Promise<(EmployeeSummaryRow | ApiError)[]> {
  const { tenant_id, origin, now } = asked
  const judged = await judgeDepartments(tx, tenant_id, people.map(judge))
  const first = new Map<string, NewEmployeeInput>()
  for (const person of judged) {
    if (person instanceof Error || first.has(emailKey(person.email))) continue
    first.set(emailKey(person.email), person)
  }
  const fresh = await addNewcomers(tx, asked, [...first.values()])
  const made = new Map(fresh.map(one => [one.person, summarize(one)] as const))
  const taken = [...first].filter(([, person]) => !made.has(person)).map(([key]) => key)
  const inactive = taken.length > 0 ? await listInactive(tx, tenant_id, taken) : NOBODY
  // The manager is somebody else, whose address an erasure would have to look for here.
  const changes = [...made].map(([{ manager_email: _, ...after }, { id }]) => ({
    action: 'employee.created',
    subject_kind: 'employee',
    subject_id: id,
    employee_id: id,
    after,
  }))
  await recordAudit(tx, tenant_id, now, origin, changes)
  return judged.map(person => {
    if (person instanceof Error) return person
    return made.get(person) ?? sayTaken(inactive.has(emailKey(person.email)))
  })
}

const NOBODY: ReadonlySet<string> = new Set()

function judge(person: NewEmployeeInput | ApiError): NewEmployeeInput | ApiError {
  if (person instanceof Error) return person
  const faults = personFaults(person)
  if (faults.length > 0) return invalid(faults)
  // Spaces around it would make another department that looks the same.
  const { department = '' } = person
  return { ...person, department: department.trim() }
}

/** Of those without faults the ones who would be the first of one department too many are refused. */
async function judgeDepartments(
  tx: Tx,
  tenant_id: string,
  people: readonly (NewEmployeeInput | ApiError)[],
): Promise<(NewEmployeeInput | ApiError)[]> {
  const departmentOf = (person: NewEmployeeInput | ApiError) =>
    person instanceof Error ? '' : (person.department ?? '')
  const beyond = await listBeyond(tx, tenant_id, people.map(departmentOf))
  return people.map(person => (beyond.has(departmentOf(person)) ? tooManyDepartments() : person))
}

/**
 * Somebody who comes back is out of sight in most lists, and stays unscored until they are active. Without the
 * address: the answer of a batch is kept for a day, and an erasure finds people in it by their ids.
 */
function sayTaken(inactive: boolean): ApiError {
  const taken = 'an employee with this email exists already'
  return conflict(inactive ? `${taken} and is inactive; change the status to active` : taken)
}

/** Adds many at once and returns the ids of those added, in order. */
export async function addEmployees(tx: Tx, asked: Asked, people: readonly NewEmployeeInput[]) {
  const fresh = await addNewcomers(tx, asked, people)
  return fresh.map(one => one.profile.employee_id)
}

/**
 * Those added, in order; people whose address is taken are left out. Invariant: the people have no faults, and no two of
 * them share an address.
 */
async function addNewcomers(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  people: readonly NewEmployeeInput[],
): Promise<Newcomer[]> {
  if (people.length === 0) return []
  const [, basis] = await Promise.all([
    holdSettings(tx, tenant_id),
    readScoringBasis(tx, tenant_id),
  ])
  const newcomers = people.map(person => newcomer(person, basis, now, actorText(origin.actor)))
  const profiles = newcomers.map(one => one.profile)
  const added = await insertProfiles(tx, tenant_id, profiles)
  const fresh = newcomers.filter(one => added.has(one.profile.employee_id))
  if (fresh.length === 0) return []
  const steps = fresh.map(one => one.step)
  const ids = fresh.map(one => one.profile.employee_id)
  const standings = fresh.map(one => one.standing)
  const audience = await readAudience(tx, tenant_id, ids)
  const told = tell(tx, tenant_id, now, fresh.map(describeNewcomer), audience)
  await writeTogether(
    tx,
    [
      insertStandings(tx, tenant_id, standings),
      insertHistory(tx, tenant_id, steps),
      ...told.writes,
      countMoves(tx, tenant_id, now, steps),
    ],
    told.wake,
  )
  return fresh
}

type Newcomer = { person: NewEmployeeInput; profile: Profile; standing: Standing; step: Step }

function newcomer(
  person: NewEmployeeInput,
  basis: ScoringBasis,
  now: Instant,
  actor: string,
): Newcomer {
  const { email, first_name, last_name, department = '' } = person
  const { title = '', location = '', manager_email = '' } = person
  const employee_id = newId('emp', now)
  const profile: Profile = {
    employee_id,
    email,
    first_name,
    last_name,
    title,
    location,
    manager_email,
    email_key: emailKey(email),
    manager_key: emailKey(manager_email),
    // The line break keeps a search from running over from the name into the address.
    search_text: searchText(`${first_name} ${last_name}\n${email}`),
    created_at: new Date(now),
  }
  return { person, profile, ...newStanding({ employee_id, email, department }, basis, now, actor) }
}

function summarize({ profile, standing }: Newcomer): EmployeeSummaryRow {
  return summarizeEmployee({
    ...standing,
    ...profile,
    id: profile.employee_id,
    last_event_at: null,
  })
}

function describeNewcomer(one: Newcomer) {
  const { employee_id, created_at } = one.standing
  const data = () => summarize(one)
  return { kind: 'employee.created' as const, at: created_at, employee_id, data }
}
