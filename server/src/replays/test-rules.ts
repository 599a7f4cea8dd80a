// Dry runs: re-scores a window for one rule, saved or not, and changes nothing.

import { parseDuration } from '../../../scoring/durations.ts'
import { compileRules, type Rule, ruleFaults } from '../../../scoring/rules.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { readWindowWithDefaults } from '../platform/dates.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { findRule } from '../rules/rules.queries.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import { listEventTypes, readTried } from './dry-run.queries.ts'
import { tryRule } from './dry-run.ts'
import { largestFirst, MOST_CHANGES, noScores, type ScoreChange } from './preview.ts'
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
  const { from, to } = readWindowWithDefaults(query, now, 30)
  const book = compileRules([{ ...rule, status: 'active', exclusive: false }])
  const [basis, types] = await Promise.all([
    readScoringBasis(tx, tenant_id),
    listEventTypes(tx, tenant_id),
  ])
  const question = {
    types: types.filter(type => covers(rule.event_type, type)),
    rule_id: replaced_id,
    cooldown_ms: parseDuration(rule.cooldown) as number,
    with_details: Object.keys(rule.conditions).length > 0,
    ...{ from, to },
  }
  const scores = { scores_before: noScores(), scores_after: noScores() }
  const sums = { events_matched: 0, employees_affected: 0, change: 0, ...scores }
  let changes: ScoreChange[] = []
  await readTried(tx, tenant_id, question, tried => {
    const trial = tryRule(tried, book, basis.settingsOf(tried.settings_version), now)
    if (trial === null) return
    const { employee_id, score: current_score } = tried
    const { projected_score } = trial
    sums.events_matched += trial.fired
    sums.employees_affected += 1
    sums.change += projected_score - current_score
    sums.scores_before[current_score]! += 1
    sums.scores_after[projected_score]! += 1
    changes.push({ employee_id, current_score, projected_score })
    if (changes.length >= 4 * MOST_CHANGES) changes = largestFirst(changes)
  })
  return answer(sums, changes)
}

function covers(event_type: string, type: string): boolean {
  if (!event_type.endsWith('.*')) return type === event_type
  const prefix = event_type.slice(0, -1)
  return type.length > prefix.length && type.startsWith(prefix)
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
