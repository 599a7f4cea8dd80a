// How a score will move if no event comes in, or after a supposed one.
import { type Forecast, type ForecastEvent, forecast } from '../../../scoring/forecast.ts'
import { candidates } from '../../../scoring/rules.ts'
import { dueStreak, type Standing } from '../employees/standing.ts'
import { findStanding } from '../employees/standings.queries.ts'
import { typeFaults } from '../events/event-input.ts'
import { firingQuestions, streakQuestions } from '../events/firing-questions.ts'
import { readFirings } from '../events/ingest.queries.ts'
import { DAY, dayOf, type Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { readRuleBook } from '../rules/rule-book.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'

const NOTHING: Forecast = { changes: [], streaks: [], supposed: null, returns: [] }

export async function forecastScore(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  query: { days?: number; with?: string },
  now: Instant,
) {
  const { days = 90, with: type } = query
  const faults = type === undefined ? [] : typeFaults('with', type)
  if (faults.length > 0) throw invalid(faults)
  const standing = await findStanding(tx, tenant_id, employee_id)
  if (!standing) throw notFound('employee')
  const until = now + days * DAY
  // The score of an inactive employee is frozen, and events give them nothing.
  const course =
    standing.status === 'inactive'
      ? NOTHING
      : await foresee(tx, tenant_id, standing, type ?? null, now, until)
  const { status, score, band } = standing
  return {
    employee_id,
    status,
    score,
    band,
    from: new Date(now),
    until: new Date(until),
    ...(type === undefined ? {} : { supposed: { type, ...describe(course.supposed, score) } }),
    changes: course.changes.map(change => ({ ...change, at: new Date(change.at) })),
    streaks: course.streaks.map(({ at, ...event }) => ({ at: new Date(at), ...event })),
    back_in_band: course.returns.map(({ band, at }) => ({
      band,
      at: at === null ? null : new Date(at),
      date: at === null ? null : dayOf(at),
    })),
  }
}

function describe(supposed: ForecastEvent | null, score: number) {
  if (!supposed) return { impact: 0, rules_matched: [], score_before: score, score_after: score }
  const { at: _at, ...shown } = supposed
  return shown
}

async function foresee(
  tx: Tx,
  tenant_id: string,
  standing: Standing,
  type: string | null,
  now: Instant,
  until: Instant,
): Promise<Forecast> {
  const basis = await readScoringBasis(tx, tenant_id)
  const book = await readRuleBook(tx, tenant_id, basis.rules_version)
  const event = type === null ? null : { type, source: 'forecast', timestamp: now, details: {} }
  const overdue_streak_at = overdueStreak(standing, basis)
  const asking = { ...standing, streak_due_at: overdue_streak_at ?? dueStreak(standing, basis) }
  const meant = event ? candidates(book, event) : []
  const own = firingQuestions(meant, standing.employee_id, now, until)
  const questions = [...own, ...streakQuestions(book, basis, asking, until)]
  const firings = await readFirings(tx, tenant_id, questions)
  const { state, score, band, created_at, reactivated_at, last_negative_at } = standing
  const start = {
    state,
    score,
    band,
    book,
    overdue_streak_at,
    settings: basis.settingsOf(standing.settings_version),
    edges: basis.edges,
    streak: {
      created_at,
      reactivated_at,
      last_negative_at,
      last_streak_at: standing.last_streak_at,
      changed_at: basis.clean_streak_changed_at,
      clean_streak_days: basis.clean_streak_days,
    },
    firings: firings.get(standing.employee_id) ?? new Map<string, number[]>(),
  }
  return forecast(start, until, event)
}

/** What had fallen due before its period was changed stays as it was; the service applies it so. */
function overdueStreak({ streak_due_at }: Standing, basis: ScoringBasis): Instant | null {
  const { clean_streak_changed_at: changed_at } = basis
  if (changed_at === null || streak_due_at === null) return null
  return streak_due_at <= changed_at ? streak_due_at : null
}
