// Judges one employee's stored numbers against what they must follow from. Pure.
import { nextChangeAt } from '../../../scoring/next-change.ts'
import { bandOf, decayFactor, type State, scoreAt, shareValue } from '../../../scoring/state.ts'
import { streakDueAt } from '../../../scoring/streak.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import type { LastEvents, LastRow, ShareInForce, StateRow } from './verify.queries.ts'

const TOLERANCE = 1e-6

/** Everything that does not hold, in words; nothing when all is well. */
export function judgeState(
  row: StateRow,
  shares: Iterable<ShareInForce>,
  last: LastRow | undefined,
  events: LastEvents | undefined,
  basis: ScoringBasis,
): string[] {
  const settings = basis.settingsOf(row.settings_version)
  const state: State = { risk: row.risk, recovery: row.recovery, as_of: row.as_of.getTime() }
  const expected = sumShares(row, shares, basis)
  const faults: string[] = []
  const demand = (holds: boolean, message: string) => {
    if (!holds) faults.push(`${row.employee_id}: ${message}`)
  }
  demand(near(state.risk, expected.risk), `risk is ${state.risk}, its shares say ${expected.risk}`)
  demand(
    near(state.recovery, expected.recovery),
    `recovery is ${state.recovery}, its shares say ${expected.recovery}`,
  )
  if (row.status === 'active') {
    demand(row.score === scoreAt(state, settings), 'the score does not follow from the state')
    const next = nextChangeAt(state, settings)
    demand(next === (row.next_change_at?.getTime() ?? null), 'next_change_at is wrong')
  } else {
    demand(row.next_change_at === null, 'an inactive employee has a next change')
  }
  const due = [row.next_change_at, row.streak_due_at].flatMap(at => at?.getTime() ?? [])
  const first = due.length === 0 ? null : Math.min(...due)
  demand(first === (row.next_due_at?.getTime() ?? null), 'next_due_at is not the first of the due')
  for (const name of ['last_event_at', 'last_negative_at', 'last_streak_at'] as const) {
    // Where no such event is left, it was removed by retention; the instant stays.
    const kept = events?.[name]?.getTime()
    demand(kept === undefined || kept === row[name]?.getTime(), `${name} is not that of its events`)
  }
  demand(streakHolds(row, basis), 'streak_due_at is wrong')
  const band = bandOf(row.score, basis.edgesOf(row.edges_version))
  demand(row.band === band, `the band is ${row.band}, the edges say ${band}`)
  demand(last?.version === row.version, 'the last history row has another version')
  demand(last !== undefined && saysTheSame(last, row), 'the last history row says otherwise')
  return faults
}

/** People not scored since the period was changed may still wait for the job that carries it to them. */
function streakHolds(row: StateRow, basis: ScoringBasis): boolean {
  const { clean_streak_days, clean_streak_changed_at: changed_at } = basis
  const due = row.streak_due_at?.getTime() ?? null
  if (row.status !== 'active') return due === null
  if (changed_at !== null && row.as_of.getTime() <= changed_at) return true
  const facts = {
    created_at: row.created_at.getTime(),
    reactivated_at: row.reactivated_at?.getTime() ?? null,
    last_negative_at: row.last_negative_at?.getTime() ?? null,
    last_streak_at: row.last_streak_at?.getTime() ?? null,
  }
  return due === streakDueAt({ ...facts, changed_at, clean_streak_days })
}

/** The state and its row of history are written together. */
function saysTheSame(last: LastRow, row: StateRow): boolean {
  const same = (['status', 'department', 'score', 'band'] as const).every(
    name => last[name] === row[name],
  )
  const sums = near(last.risk, row.risk) && near(last.recovery, row.recovery)
  return same && sums && last.at.getTime() === row.as_of.getTime()
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= TOLERANCE
}

/** The shares in force and what retention carried, as worth at the state's instant. */
function sumShares(row: StateRow, shares: Iterable<ShareInForce>, basis: ScoringBasis) {
  const settings = basis.settingsOf(row.settings_version)
  const at = row.as_of.getTime()
  const carried = row.carried_as_of ? decayFactor(settings, row.carried_as_of.getTime(), at) : 0
  const sum = { risk: row.carried_risk * carried, recovery: row.carried_recovery * carried }
  for (const share of shares) {
    const value = shareValue(share, settings, at)
    if (value < 0) sum.risk += value
    else sum.recovery += value
  }
  return sum
}
