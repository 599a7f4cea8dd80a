// Where an employee stands: the state in memory and the steps by which it changes. Pure.
import { nextChangeAt } from '../../../scoring/next-change.ts'
import type { Band } from '../../../scoring/settings.ts'
import { bandOf, decayTo, emptyState, type State, scoreAt } from '../../../scoring/state.ts'
import { streakDueAt } from '../../../scoring/streak.ts'
import type { Instant } from '../platform/clock.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'

/** Every event of somebody reads and writes them: a sender that makes up a source each time would slow down all. */
export const MOST_SOURCES = 100

export type Status = 'active' | 'inactive'

/** What the organization views count an employee under. */
export type Cell = { status: Status; department: string; band: Band; score: number }

export type Standing = Cell & {
  employee_id: string
  email: string
  created_at: Instant
  state: State
  next_change_at: Instant | null
  streak_due_at: Instant | null
  /** The number of the last history row. */
  version: number
  settings_version: number
  edges_version: number
  /** What events removed by retention still weigh. */
  carried: State | null
  last_event_at: Instant | null
  last_negative_at: Instant | null
  last_streak_at: Instant | null
  reactivated_at: Instant | null
  sources: string[]
  /** Who this was is erased and inactive; the numbers stay, and no replay touches them any more. */
  erased: boolean
}

export type Reason =
  | 'created'
  | 'event'
  | 'decay'
  | 'recalculation'
  | 'retraction'
  | 'adjustment'
  | 'deactivation'
  | 'reactivation'
  | 'department'
  | 'settings'

/** Why a step was taken: the reason, what set it off, and who. */
export type Cause = {
  reason: Reason
  /** The event's type, or the reason where there is no event. */
  trigger_event: string
  event_id: string | null
  actor: string
}

/** One change of state: a row of history, with where the employee stood before. */
export type Step = Cell &
  Cause & {
    employee_id: string
    email: string
    /** Nobody is told of them any more. */
    erased: boolean
    version: number
    at: Instant
    risk: number
    recovery: number
    settings_version: number
    edges_version: number
    /** Null for the first step of a new employee. */
    previous: Cell | null
  }

export function cellOf({ status, department, band, score }: Cell): Cell {
  return { status, department, band, score }
}

/** Takes a step: places the employee by `state` at its instant and returns the history row. */
export function takeStep(
  standing: Standing,
  basis: ScoringBasis,
  state: State,
  cause: Cause,
  change: { status?: Status; department?: string; settings_version?: number } = {},
): Step {
  const previous = cellOf(standing)
  Object.assign(standing, change)
  const settings = basis.settingsOf(standing.settings_version)
  standing.state = state
  standing.version += 1
  if (standing.status === 'active') standing.score = scoreAt(state, settings)
  standing.band = bandOf(standing.score, basis.edges)
  standing.edges_version = basis.edges_version
  standing.next_change_at = standing.status === 'active' ? nextChangeAt(state, settings) : null
  standing.streak_due_at = dueStreak(standing, basis)
  return { ...stepOf(standing, cause), previous }
}

function stepOf(standing: Standing, cause: Cause): Omit<Step, 'previous'> {
  return {
    employee_id: standing.employee_id,
    email: standing.email,
    erased: standing.erased,
    version: standing.version,
    at: standing.state.as_of,
    ...cellOf(standing),
    risk: standing.state.risk,
    recovery: standing.state.recovery,
    settings_version: standing.settings_version,
    edges_version: standing.edges_version,
    ...cause,
  }
}

/** When the next clean streak falls due; inactive employees have none. */
export function dueStreak(standing: Standing, basis: ScoringBasis): Instant | null {
  if (standing.status !== 'active') return null
  return streakDueAt({
    created_at: standing.created_at,
    reactivated_at: standing.reactivated_at,
    last_negative_at: standing.last_negative_at,
    last_streak_at: standing.last_streak_at,
    changed_at: basis.clean_streak_changed_at,
    clean_streak_days: basis.clean_streak_days,
  })
}

/** The earliest instant at which something falls due without an event. */
export function nextDueAt({ next_change_at, streak_due_at }: Standing): Instant | null {
  if (next_change_at === null) return streak_due_at
  return streak_due_at === null ? next_change_at : Math.min(next_change_at, streak_due_at)
}

/** Someone new: the starting score, nothing for or against them yet. */
export function newStanding(
  person: { employee_id: string; email: string; department: string },
  basis: ScoringBasis,
  now: Instant,
  actor: string,
): { standing: Standing; step: Step } {
  const state = emptyState(now)
  const standing: Standing = {
    ...person,
    status: 'active',
    score: 0,
    band: 'critical',
    created_at: now,
    state,
    next_change_at: null,
    streak_due_at: null,
    version: 0,
    settings_version: basis.settings_version,
    edges_version: basis.edges_version,
    carried: null,
    last_event_at: null,
    last_negative_at: null,
    last_streak_at: null,
    reactivated_at: null,
    sources: [],
    erased: false,
  }
  const cause: Cause = { reason: 'created', trigger_event: 'created', event_id: null, actor }
  const step = takeStep(standing, basis, state, cause)
  return { standing, step: { ...step, previous: null } }
}

/** Scoring time never runs behind what is already recorded. */
export function scoringTime(standing: Standing, now: Instant): Instant {
  return Math.max(now, standing.state.as_of)
}

/** The state as worth at an instant, by the employee's own settings. */
export function stateAt(standing: Standing, basis: ScoringBasis, at: Instant): State {
  return decayTo(standing.state, basis.settingsOf(standing.settings_version), at)
}
