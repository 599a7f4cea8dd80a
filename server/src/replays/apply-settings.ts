// The job behind a change of settings: start, half-life, cap, band edges and streak period, person by person.
import { bandOf } from '../../../scoring/state.ts'
import {
  dueStreak,
  type Standing,
  type Step,
  scoringTime,
  stateAt,
  takeStep,
} from '../employees/standing.ts'
import type { Instant } from '../platform/clock.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import type { JobWork } from './job-work.ts'
import { type Beside, recalculateStandings } from './recalculate-standings.ts'
import { countEveryone, selectEveryone } from './replays.queries.ts'

/** Whatever was changed, it brings everyone to what is in force: one run serves several changes. */
export const settingsWork: JobWork = {
  count: (tx, tenant_id) => countEveryone(tx, tenant_id),
  select: (tx, tenant_id, job, limit, now) => selectEveryone(tx, tenant_id, job.cursor, limit, now),
  run: async (tx, tenant_id, job, standings, basis, now, turn) => {
    const { requested_by: actor } = job
    const everyone = [...standings.values()]
    // Who is inactive is recalculated on reactivation.
    const isOutdated = (one: Standing) =>
      one.status === 'active' && !one.erased && one.settings_version !== basis.settings_version
    const outdated = everyone.filter(isOutdated)
    const rest = everyone.filter(one => !isOutdated(one))
    const beside = replace(rest, basis, now, actor)
    const along = { beside, turn, redone: true }
    return recalculateStandings(tx, tenant_id, outdated, basis, now, actor, along)
  },
}

/** A step where the band changes; a streak's new due instant needs none. */
function replace(
  standings: readonly Standing[],
  basis: ScoringBasis,
  now: Instant,
  actor: string,
): Beside {
  const touched: Standing[] = []
  const steps: Step[] = []
  const cause = { reason: 'settings', trigger_event: 'settings', event_id: null, actor } as const
  for (const standing of standings) {
    if (bandOf(standing.score, basis.edges) !== standing.band) {
      const state = stateAt(standing, basis, scoringTime(standing, now))
      steps.push(takeStep(standing, basis, state, cause))
      touched.push(standing)
    } else if (dueStreak(standing, basis) !== standing.streak_due_at) {
      standing.streak_due_at = dueStreak(standing, basis)
      touched.push(standing)
    }
  }
  return { touched, steps }
}
