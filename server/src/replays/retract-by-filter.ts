// Retraction of many events by filter, such as clicks that a mail scanner made: a job, or only its preview.
import { compileConditions } from '../../../scoring/conditions.ts'
import { bandOf, scoreAt } from '../../../scoring/state.ts'
import { cellOf, type Standing, scoringTime, stateAt } from '../employees/standing.ts'
import type { Retractable } from '../events/retract.queries.ts'
import { addLosses, type Loss, retractTogether } from '../events/retract-events.ts'
import { readSharesOf } from '../events/shares.queries.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { inPauses } from '../platform/in-pauses.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import type { JobWork } from './job-work.ts'
import type { JobRow } from './jobs.queries.ts'
import { emptyPreview, extendPreview, type Move, type Preview } from './preview.ts'
import {
  BEGINNING,
  countEveryone,
  endOf,
  type Place,
  readDetails,
  selectEveryone,
} from './replays.queries.ts'
import {
  type Candidate,
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
    const { reason, dry_run } = scopeOf(job)
    const found: Found = { events: 0, people: new Set() }
    const pages = listPages(tx, tenant_id, job, standings, found)
    if (dry_run) {
      const seen = await look(tx, tenant_id, standings, pages, basis, now)
      const changed = seen.filter(move => move.before.score !== move.after.score).length
      return { events: found.events, changed, extend: extendResult(dry_run, found, seen) }
    }
    const cause = { reason, actor: job.requested_by }
    const own = eachAfter(turn, pages)
    const changed = await retractTogether(tx, tenant_id, standings, own, basis, now, cause)
    return { events: found.events, changed, extend: extendResult(dry_run, found, []) }
  },
}

/** What was meant so far. */
type Found = { events: number; people: Set<string> }

/** The events meant: of several people all of them, of one page by page. */
async function* listPages(
  tx: Tx,
  tenant_id: string,
  job: JobRow,
  standings: ReadonlyMap<string, Standing>,
  found: Found,
) {
  const { filter } = scopeOf(job)
  const ids = [...standings.keys()]
  for (let after: Place | null = BEGINNING; after !== null && ids.length > 0; ) {
    const page = await readCandidates(tx, tenant_id, filter, job.created_at, ids, after)
    const meant = await listMeant(tx, tenant_id, filter, standings, page)
    found.events += meant.length
    for (const event of meant) found.people.add(event.employee_id)
    if (meant.length > 0) yield meant
    after = ids.length === 1 ? endOf(page) : null
  }
}

async function* eachAfter<T>(turn: () => Promise<void>, pages: AsyncIterable<T>) {
  for await (const page of pages) {
    await turn()
    yield page
  }
}

/** So many details, which may be long, are held at once. */
const DETAILS_AT_ONCE = 200

/** Those of them for which the conditions hold. */
async function listMeant(
  tx: Tx,
  tenant_id: string,
  { conditions }: RetractionFilter,
  standings: ReadonlyMap<string, Standing>,
  found: readonly Candidate[],
): Promise<Retractable[]> {
  const holds = compileConditions(conditions)
  const asksDetails = Object.keys(conditions).some(key => key !== 'source' && key !== 'type')
  if (!asksDetails) return found.filter(one => holds({ ...one, details: {} }))
  // Of somebody erased, or redacted, no details are left: a condition on them would hold for what is missing.
  const asked = found.filter(one => !one.redacted && !standings.get(one.employee_id)!.erased)
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

function extendResult(dry_run: boolean, { people }: Found, seen: readonly Move[]) {
  return (result: unknown): RetractionResult => {
    const before = (result as RetractionResult | null) ?? noResult(dry_run)
    const preview = before.preview && extendPreview(before.preview, seen)
    return { employees_affected: before.employees_affected + people.size, preview }
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
  pages: AsyncIterable<readonly Retractable[]>,
  basis: ScoringBasis,
  now: Instant,
): Promise<Move[]> {
  const losses = new Map<Standing, Loss>()
  const concerned = new Set<Standing>()
  for await (const events of pages) {
    const event_ids = events.map(event => event.event_id)
    const shares = await readSharesOf(tx, tenant_id, event_ids)
    addLosses(losses, standings, events, shares, basis, now)
    for (const event of events) concerned.add(standings.get(event.employee_id)!)
  }
  return [...concerned]
    .filter(standing => standing.status === 'active')
    .map(standing => {
      const state =
        losses.get(standing)?.state ?? stateAt(standing, basis, scoringTime(standing, now))
      const score = scoreAt(state, basis.settingsOf(standing.settings_version))
      const after = { score, band: bandOf(score, basis.edges) }
      return { employee_id: standing.employee_id, before: cellOf(standing), after }
    })
}
