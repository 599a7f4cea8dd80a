// Retraction of many events by filter, such as clicks that a mail scanner made: a job, or only its preview.
import { compileConditions } from '../../../scoring/conditions.ts'
import { bandOf, scoreAt } from '../../../scoring/state.ts'
import { cellOf, type Standing } from '../employees/standing.ts'
import type { Retractable } from '../events/retract.queries.ts'
import { byStanding, retractTogether, stateWithout } from '../events/retract-events.ts'
import { readSharesOf } from '../events/shares.queries.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { inPauses } from '../platform/in-pauses.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import type { JobWork } from './job-work.ts'
import type { JobRow } from './jobs.queries.ts'
import { emptyPreview, extendPreview, type Move, type Preview } from './preview.ts'
import { countEveryone, readDetails, selectEveryone } from './replays.queries.ts'
import {
  countConcerned,
  findLead,
  type RetractionFilter,
  readCandidates,
  selectConcerned,
} from './retractions.queries.ts'

export type RetractionScope = { filter: RetractionFilter; reason: string; dry_run: boolean }

export type RetractionResult = { employees_affected: number; preview: Preview | null }

const scopeOf = (job: JobRow) => job.scope as RetractionScope

export const retractionWork: JobWork = {
  count: async (tx, tenant_id, job) => {
    const { filter } = scopeOf(job)
    const lead = await findLead(tx, tenant_id, filter)
    if (lead === null) return countEveryone(tx, tenant_id)
    return countConcerned(tx, tenant_id, filter, job.created_at, lead)
  },
  /** Which way may change as events come and go: both go by the ids of people, so none is passed over. */
  select: async (tx, tenant_id, job, limit, now) => {
    const { filter } = scopeOf(job)
    const after = job.cursor
    const lead = await findLead(tx, tenant_id, filter)
    if (lead === null) return selectEveryone(tx, tenant_id, after, limit, now)
    return selectConcerned(tx, tenant_id, filter, job.created_at, lead, { after, limit, now })
  },
  run: async (tx, tenant_id, job, standings, basis, now, turn) => {
    const { filter, reason, dry_run } = scopeOf(job)
    const ids = [...standings.keys()]
    const found = await readCandidates(tx, tenant_id, filter, job.created_at, ids)
    const events = await listMeant(tx, tenant_id, filter, standings, found)
    const people = new Set(events.map(event => event.employee_id)).size
    const extend = extendResult(dry_run, people)
    if (events.length === 0) return { events: 0, changed: 0, extend: extend([]) }
    if (dry_run) {
      const seen = await look(tx, tenant_id, standings, events, basis, now)
      const changed = seen.filter(move => move.before.score !== move.after.score).length
      return { events: events.length, changed, extend: extend(seen) }
    }
    const cause = { reason, actor: job.requested_by }
    await turn()
    const changed = await retractTogether(tx, tenant_id, standings, events, basis, now, cause)
    return { events: events.length, changed, extend: extend([]) }
  },
}

/** So many details, which may be long, are held at once. */
const DETAILS_AT_ONCE = 200

/** Those of them for which the conditions hold. */
async function listMeant(
  tx: Tx,
  tenant_id: string,
  { conditions }: RetractionFilter,
  standings: ReadonlyMap<string, Standing>,
  found: readonly Retractable[],
): Promise<Retractable[]> {
  const holds = compileConditions(conditions)
  const asksDetails = Object.keys(conditions).some(key => key !== 'source' && key !== 'type')
  if (!asksDetails) return found.filter(one => holds({ ...one, details: {} }))
  // Of somebody erased no details are left: a condition on them would hold for what is missing.
  const asked = found.filter(one => !standings.get(one.employee_id)!.erased)
  const meant = new Set<Retractable>()
  for (let i = 0; i < asked.length; i += DETAILS_AT_ONCE) {
    const some = new Map(asked.slice(i, i + DETAILS_AT_ONCE).map(one => [one.event_id, one]))
    const told = await readDetails(tx, tenant_id, [...some.keys()])
    await inPauses(told, ({ event_id, details }) => {
      const one = some.get(event_id)!
      if (holds({ ...one, details })) meant.add(one)
    })
  }
  return asked.filter(one => meant.has(one))
}

function extendResult(dry_run: boolean, people: number) {
  return (seen: readonly Move[]) => (result: unknown) => {
    const before = (result as RetractionResult | null) ?? noResult(dry_run)
    const preview = before.preview && extendPreview(before.preview, seen)
    return { employees_affected: before.employees_affected + people, preview }
  }
}

function noResult(dry_run: boolean): RetractionResult {
  return { employees_affected: 0, preview: dry_run ? emptyPreview() : null }
}

/** Where those concerned would stand. A frozen score stays as it is, whatever is retracted. */
async function look(
  tx: Tx,
  tenant_id: string,
  standings: ReadonlyMap<string, Standing>,
  events: readonly Retractable[],
  basis: ScoringBasis,
  now: Instant,
): Promise<Move[]> {
  const event_ids = events.map(event => event.event_id)
  const shares = await readSharesOf(tx, tenant_id, event_ids)
  const lost = byStanding(standings, shares)
  const concerned = new Set(events.map(event => standings.get(event.employee_id)!))
  return [...concerned]
    .filter(standing => standing.status === 'active')
    .map(standing => {
      const state = stateWithout(standing, basis, lost.get(standing) ?? [], now)
      const score = scoreAt(state, basis.settingsOf(standing.settings_version))
      const after = { score, band: bandOf(score, basis.edges) }
      return { employee_id: standing.employee_id, before: cellOf(standing), after }
    })
}
