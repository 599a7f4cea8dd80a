// Dry runs: re-scores a window for one rule, saved or not, and changes nothing.
import {
  type CompiledRule,
  compileRule,
  type Rule,
  ruleFaults,
  type ScorableEvent,
} from '../../../scoring/rules.ts'
import { asInstant, type Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { readWindowWithDefaults } from '../platform/dates.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { letSend } from '../platform/let-send.ts'
import { findRule } from '../rules/rules.queries.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import {
  BREAK,
  type EventQuestion,
  GAP,
  listCoveredTypes,
  PLACE_BYTES,
  readEventSlice,
  readFoldedSlice,
  readPlaces,
  readShareSlice,
  type Slice,
  type WantedText,
} from './dry-run.queries.ts'
import {
  listTouched,
  noteEarlierFiring,
  noteFoldedFiring,
  noteMatch,
  noteReplaced,
  openTrials,
  type Trials,
  tryRule,
} from './dry-run.ts'
import { largestFirst, MOST_CHANGES, noScores, type ScoreChange } from './preview.ts'
import { readSlices } from './read-slices.ts'
import type { DraftRuleInput } from './replays.schema.ts'

type WindowQuery = { from?: string; to?: string }

/** A saved rule as it now stands, active or not. */
export async function testSavedRule(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  rule_id: string,
  query: WindowQuery,
) {
  const row = await findRule(tx, tenant_id, rule_id)
  if (!row) throw notFound('rule')
  const rule = { ...row, created_at: row.created_at.getTime() }
  const outcome = await dryRun(tx, tenant_id, now, rule, rule_id, query)
  return { rule_id, ...outcome }
}

/** A rule that is not saved; it may stand in for one that is. */
export async function testDraftRule(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  { replaces, ...draft }: DraftRuleInput,
  query: WindowQuery,
) {
  const { cooldown = '0h', conditions = {}, priority = 100 } = draft
  const fields = { ...draft, cooldown, conditions, priority }
  const faults = ruleFaults(fields)
  if (faults.length > 0) throw invalid(faults)
  if (replaces !== undefined && !(await findRule(tx, tenant_id, replaces))) throw notFound('rule')
  const rest = { id: '', exclusive: false, status: 'active', created_at: now } as const
  const outcome = await dryRun(tx, tenant_id, now, { ...fields, ...rest }, replaces ?? null, query)
  return { rule_id: null, ...outcome }
}

/** `replaced_id` names the rule whose recorded shares make way and whose earlier firings cool. */
async function dryRun(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  rule: Rule,
  replaced_id: string | null,
  query: WindowQuery,
) {
  const window = readWindowWithDefaults(query, now)
  const compiled = compileRule({ ...rule, status: 'active', exclusive: false })
  const trials = openTrials(compiled)
  if (replaced_id !== null) await readRecorded(tx, tenant_id, replaced_id, window, trials)
  await readMatches(tx, tenant_id, rule, compiled, window, trials)
  return projectScores(tx, tenant_id, trials, now)
}

/** What is replaced; and what cools: firings before the window, and those of removed events. */
async function readRecorded(
  tx: Tx,
  tenant_id: string,
  rule_id: string,
  { from, to }: Slice,
  trials: Trials,
): Promise<void> {
  const { cooldown_ms } = trials.rule
  const readShares = (slice: Slice, limit: number) =>
    readShareSlice(tx, tenant_id, rule_id, slice, limit)
  await readSlices({ from, to }, readShares, (employee_id, _timestamp, dated_at, more) =>
    noteReplaced(trials, employee_id, { impact: Number(more), dated_at }),
  )
  if (cooldown_ms === 0) return
  const first = from - cooldown_ms + 1
  await readSlices({ from: first, to: from - 1 }, readShares, (employee_id, timestamp) =>
    noteEarlierFiring(trials, employee_id, timestamp),
  )
  const readFolded = (slice: Slice, limit: number) =>
    readFoldedSlice(tx, tenant_id, rule_id, slice, limit)
  await readSlices({ from: first, to }, readFolded, (employee_id, timestamp) =>
    noteFoldedFiring(trials, employee_id, timestamp),
  )
}

const MOST_KNOWN = 10_000
/** Longer texts are seldom alike, and would fill the memory. */
const LONGEST_KNOWN = 1000

/** Only what the conditions look at is read of an event, and what is alike is judged once. */
async function readMatches(
  tx: Tx,
  tenant_id: string,
  { event_type, conditions }: Rule,
  { matches }: CompiledRule,
  window: Slice,
  trials: Trials,
): Promise<void> {
  const types = event_type.endsWith('.*')
    ? await listCoveredTypes(tx, tenant_id, event_type.slice(0, -1))
    : [event_type]
  if (types.length === 0) return
  const paths = Object.keys(conditions).filter(key => key !== 'source' && key !== 'type')
  const wanted = paths.flatMap(path => wantedTexts(path, conditions[path]))
  const decided = wanted.length === Object.keys(conditions).length && wanted.every(isExact)
  const parts = decided ? [] : outermost(paths).map(path => path.split('.'))
  const asked = { types, source: Object.hasOwn(conditions, 'source'), parts, wanted, decided }
  const known = new Map<string, boolean>()
  const isMatch = (more: string): boolean => {
    if (more.length > LONGEST_KNOWN) return matches(readEvent(more, asked))
    const judged = known.get(more)
    if (judged !== undefined) return judged
    if (known.size >= MOST_KNOWN) known.clear()
    const fresh = matches(readEvent(more, asked))
    known.set(more, fresh)
    return fresh
  }
  const read = (slice: Slice, limit: number) => readEventSlice(tx, tenant_id, asked, slice, limit)
  await readSlices(window, read, (employee_id, timestamp, dated_at, more) => {
    if (decided || isMatch(more)) noteMatch(trials, employee_id, timestamp, dated_at)
  })
}

/** What lies within another is read with it. */
function outermost(paths: readonly string[]): string[] {
  return paths.filter(path => !paths.some(other => path.startsWith(`${other}.`)))
}

/** What the database can sort out by itself: a text, or one of several. Everything else is judged here. */
function wantedTexts(path: string, expected: unknown): WantedText[] {
  const values = Array.isArray(expected) ? expected : [expected]
  const texts = values.filter(value => typeof value === 'string')
  return texts.length === values.length ? [{ path: path.split('.'), texts }] : []
}

/**
 * Whether the database sorts out exactly what the condition means. It enters arrays by number and compares numbers
 * and the like as texts, which conditions do not.
 */
function isExact({ path, texts }: WantedText): boolean {
  return !path.some(part => /^[+-]?\d+$/.test(part.trim())) && !texts.some(isJson)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** As much of an event as decides whether the rule means it. */
function readEvent(more: string, { types, parts }: EventQuestion): ScorableEvent {
  const [type = '', source = '', ...values] = more.split(GAP)
  const details = bareObject()
  for (const [i, path] of parts.entries())
    if (values[i]) place(details, path, JSON.parse(values[i]))
  return {
    type: type === '' ? types[0]! : type,
    source: source === '' ? '' : JSON.parse(source),
    timestamp: 0,
    details,
  }
}

/** Without a prototype: a path such as `valueOf.call` must lead into the event, not into what every object shares. */
function bareObject(): Record<string, unknown> {
  return Object.create(null)
}

/** Invariant: no path lies within another, so what is on the way to it was made here. */
function place(details: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let inner = details
  for (const step of path.slice(0, -1)) {
    inner[step] ??= bareObject()
    inner = inner[step] as Record<string, unknown>
  }
  inner[path.at(-1)!] = value
}

const PLACES_AT_ONCE = 12_500

async function projectScores(tx: Tx, tenant_id: string, trials: Trials, now: Instant) {
  const basis = await readScoringBasis(tx, tenant_id)
  const touched = listTouched(trials)
  const scores = { scores_before: noScores(), scores_after: noScores() }
  const sums = { events_matched: 0, employees_affected: 0, change: 0, ...scores }
  let changes: ScoreChange[] = []
  const readNext = (from: number) =>
    readPlaces(tx, tenant_id, touched.slice(from, from + PLACES_AT_ONCE))
  let pending = touched.length === 0 ? null : readNext(0)
  for (let next = PLACES_AT_ONCE; pending !== null; next += PLACES_AT_ONCE) {
    const { ids, numbers } = await pending
    pending = next < touched.length ? readNext(next) : null
    pending?.catch(() => {})
    await letSend()
    for (const [i, employee_id] of ids === null ? [] : ids.split(BREAK).entries()) {
      const place = readPlace(employee_id, numbers!, i * PLACE_BYTES)
      const { score: current_score } = place
      const settings = basis.settingsOf(place.settings_version)
      const { fired, projected_score } = tryRule(trials, place, settings, now)
      sums.events_matched += fired
      sums.employees_affected += 1
      sums.change += projected_score - current_score
      sums.scores_before[current_score]! += 1
      sums.scores_after[projected_score]! += 1
      changes.push({ employee_id, current_score, projected_score })
    }
    if (changes.length >= 4 * MOST_CHANGES) changes = largestFirst(changes)
  }
  return answer(sums, changes)
}

function readPlace(employee_id: string, numbers: Buffer, at: number) {
  return {
    employee_id,
    state: {
      risk: numbers.readDoubleBE(at),
      recovery: numbers.readDoubleBE(at + 8),
      as_of: asInstant(numbers.readDoubleBE(at + 16)),
    },
    next_change_at: asInstant(numbers.readDoubleBE(at + 24)),
    settings_version: numbers.readInt32BE(at + 32),
    score: numbers.readInt16BE(at + 36),
  }
}

type Sums = {
  events_matched: number
  employees_affected: number
  change: number
  scores_before: number[]
  scores_after: number[]
}

function answer({ change, ...sums }: Sums, changes: ScoreChange[]) {
  const { events_matched, employees_affected, scores_before, scores_after } = sums
  const mean = employees_affected === 0 ? 0 : change / employees_affected
  return {
    events_matched,
    employees_affected,
    average_impact: Math.round(mean * 10) / 10 + 0,
    score_changes: largestFirst(changes),
    ...(employees_affected > MOST_CHANGES ? { truncated: true, scores_before, scores_after } : {}),
  }
}
