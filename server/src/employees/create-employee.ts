// Adds people to a tenant: profile, first standing, first row of history, and the word of it.
import type { Asked } from '../accounts/identity.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { actorText } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, invalid } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { writeTogether } from '../platform/write-together.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import { holdSettings } from '../tenants/tenants.queries.ts'
import { readAudience, tell } from '../webhooks/announce.ts'
import { emailKey } from './email-address.ts'
import { findEmployeeByEmail, insertProfiles, type Profile } from './employees.queries.ts'
import type { NewEmployeeInput } from './employees.schema.ts'
import { personFaults } from './person-faults.ts'
import { summarizeEmployee } from './read-employees.ts'
import { searchText } from './search-text.ts'
import { newStanding, type Standing, type Step } from './standing.ts'
import { countMoves, insertHistory, insertStandings } from './standings.queries.ts'

export async function createEmployee(
  tx: Tx,
  asked: Asked,
  input: NewEmployeeInput,
): Promise<string> {
  const faults = personFaults(input)
  if (faults.length > 0) throw invalid(faults)
  const { tenant_id, origin, now } = asked
  const [employee_id] = await addEmployees(tx, asked, [input])
  if (employee_id === undefined) {
    throw conflict(await sayTaken(tx, tenant_id, input.email))
  }
  await recordAudit(tx, tenant_id, now, origin, [
    {
      action: 'employee.created',
      subject_kind: 'employee',
      subject_id: employee_id,
      after: input,
    },
  ])
  return employee_id
}

/** Somebody who comes back is out of sight in most lists, and stays unscored until they are active. */
async function sayTaken(tx: Tx, tenant_id: string, email: string): Promise<string> {
  const there = await findEmployeeByEmail(tx, tenant_id, emailKey(email))
  const taken = `an employee with the email ${email} exists already`
  return there?.status === 'inactive'
    ? `${taken} and is inactive; change the status to active`
    : taken
}

/**
 * Adds many at once and returns the ids of those added, in order; people whose address is taken are
 * left out. Invariant: the people have no faults, and no two of them share an address.
 */
export async function addEmployees(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  people: readonly NewEmployeeInput[],
): Promise<string[]> {
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
      countMoves(tx, tenant_id, steps),
    ],
    told.wake,
  )
  return ids
}

type Newcomer = { profile: Profile; standing: Standing; step: Step }

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
    // The line break keeps a search from running over from the name into the address.
    search_text: searchText(`${first_name} ${last_name}\n${email}`),
    created_at: new Date(now),
  }
  return { profile, ...newStanding({ employee_id, email, department }, basis, now, actor) }
}

function describeNewcomer({ profile, standing }: Newcomer) {
  const { employee_id } = profile
  const data = () =>
    summarizeEmployee({ ...standing, ...profile, id: employee_id, last_event_at: null })
  return { kind: 'employee.created' as const, at: standing.created_at, employee_id, data }
}
