// Judges one employee's stored numbers against what they must follow from. Pure.
import { nextChangeAt } from '../../../scoring/next-change.ts'
import { bandOf, decayFactor, type State, scoreAt, shareValue } from '../../../scoring/state.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import type { LastRow, ShareRow, StateRow } from './verify.queries.ts'

const TOLERANCE = 1e-6

/** Everything that does not hold, in words; nothing when all is well. */
export function judgeState(
  row: StateRow,
  shares: readonly ShareRow[],
  last: LastRow | undefined,
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
  const band = bandOf(row.score, basis.edgesOf(row.edges_version))
  demand(row.band === band, `the band is ${row.band}, the edges say ${band}`)
  demand(last?.version === row.version, 'the last history row has another version')
  demand(last !== undefined && saysTheSame(last, row), 'the last history row says otherwise')
  return faults
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
function sumShares(row: StateRow, shares: readonly ShareRow[], basis: ScoringBasis) {
  const settings = basis.settingsOf(row.settings_version)
  const at = row.as_of.getTime()
  const carried = row.carried_as_of ? decayFactor(settings, row.carried_as_of.getTime(), at) : 0
  const sum = { risk: row.carried_risk * carried, recovery: row.carried_recovery * carried }
  for (const { impact, dated_at } of shares) {
    const value = shareValue({ impact, dated_at: dated_at.getTime() }, settings, at)
    if (value < 0) sum.risk += value
    else sum.recovery += value
  }
  return sum
}
