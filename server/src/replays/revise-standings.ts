// Replays the logs of a few employees at once, or that of one page by page, so that memory does not follow its length.
import { type CompiledRule, detailedTypes, type RuleBook } from '../../../scoring/rules.ts'
import { type Standing, scoringTime } from '../employees/standing.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { judgeEvents } from '../rules/judge-events.ts'
import { readRuleBook } from '../rules/rule-book.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import { readDetails, readFixed, readFolded, readLastReceipt, readLogs } from './replays.queries.ts'
import {
  type Changes,
  noChanges,
  openRevision,
  type RecordedEvent,
  type Revision,
  revise,
} from './revision.ts'

export type Revised = { standing: Standing; revision: Revision }

/** Writes what differs in a page; the next is read after it. `state.as_of` is final, the rest of the state is not. */
export type TakePage = (standing: Standing, as_of: Instant, changes: Changes) => Promise<void>

type Page = Awaited<ReturnType<typeof readLogs>>

/**
 * Invariant: the caller holds the locks and has brought the standings up to now. What differs is in the revisions, but
 * for what was taken page by page.
 */
export async function reviseStandings(
  tx: Tx,
  tenant_id: string,
  standings: readonly Standing[],
  basis: ScoringBasis,
  now: Instant,
  take: TakePage,
): Promise<{ revised: Revised[]; events: number }> {
  const ids = standings.map(standing => standing.employee_id)
  const book = await readRuleBook(tx, tenant_id, basis.rules_version)
  const detailed = detailedTypes(book)
  const carrying = standings.filter(one => one.carried !== null).map(one => one.employee_id)
  let [page, folded, fixed] = await Promise.all([
    readLogs(tx, tenant_id, ids, detailed),
    readFolded(tx, tenant_id, carrying),
    readFixed(tx, tenant_id, ids),
  ])
  const last = page.next && (await readLastReceipt(tx, tenant_id, ids[0]!))
  const revised = standings.map(standing => {
    const { employee_id } = standing
    const log = page.logs.get(employee_id) ?? []
    const start = Math.max(scoringTime(standing, now), last ?? 0)
    const at = log.reduce((latest, event) => Math.max(latest, event.received_at), start)
    const [past, kept] = [folded.get(employee_id) ?? [], fixed.get(employee_id) ?? []]
    return { standing, revision: openRevision(standing, past, kept, basis, at) }
  })
  let events = 0
  for (;;) {
    events += await revisePage(tx, tenant_id, revised, page, book, basis)
    if (page.next === null) return { revised, events }
    const { standing, revision } = revised[0]!
    const { ended, given, rescored } = revision
    Object.assign(revision, noChanges())
    await take(standing, revision.state.as_of, { ended, given, rescored })
    page = await readLogs(tx, tenant_id, ids, detailed, page.next)
  }
}

/** Returns how many events it has. */
async function revisePage(
  tx: Tx,
  tenant_id: string,
  revised: readonly Revised[],
  { logs, long }: Page,
  book: RuleBook,
  basis: ScoringBasis,
): Promise<number> {
  await judgeLong(tx, tenant_id, book, long)
  const short = [...logs.values()].flat().filter(event => event.meant === undefined)
  note(short, await judgeEvents(book, short))
  for (const { standing, revision } of revised) {
    revise(revision, standing, logs.get(standing.employee_id) ?? [], book, basis)
  }
  return short.length + long.length
}

/** So many details of any length are held at once; of each only what the rules say of it is kept. */
const LONG_AT_ONCE = 200

async function judgeLong(tx: Tx, tenant_id: string, book: RuleBook, long: RecordedEvent[]) {
  const events = new Map(long.map(event => [event.event_id, event]))
  const ids = [...events.keys()]
  for (let i = 0; i < ids.length; i += LONG_AT_ONCE) {
    const found = await readDetails(tx, tenant_id, ids.slice(i, i + LONG_AT_ONCE))
    const some = found.map(one => events.get(one.event_id)!)
    const whole = some.map((event, n) => ({ ...event, details: found[n]!.details }))
    note(some, await judgeEvents(book, whole))
  }
}

function note(events: readonly RecordedEvent[], meant: readonly CompiledRule[][]): void {
  for (const [i, event] of events.entries()) event.meant = meant[i]!
}
