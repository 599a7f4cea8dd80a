// What a tenant can set about scoring, its defaults, and what is refused.

import { type Fault, integerFaults } from './faults.ts'

export const BANDS = ['green', 'yellow', 'orange', 'red', 'critical'] as const
export type Band = (typeof BANDS)[number]

export type ScoringSettings = {
  starting_score: number
  half_life_days: number
  recovery_cap: number
}

/** The lowest score of each band; critical is whatever lies below red. */
export type BandEdges = { green: number; yellow: number; orange: number; red: number }

export const DEFAULT_SETTINGS = {
  starting_score: 75,
  half_life_days: 90,
  recovery_cap: 25,
} as const satisfies ScoringSettings

export const DEFAULT_EDGES = {
  green: 80,
  yellow: 60,
  orange: 40,
  red: 20,
} as const satisfies BandEdges

export const DEFAULT_CLEAN_STREAK_DAYS = 30

export function settingsFaults(s: ScoringSettings & { clean_streak_days: number }): Fault[] {
  const level = [
    ...integerFaults('starting_score', s.starting_score, 0, 100),
    ...integerFaults('recovery_cap', s.recovery_cap, 0, 100),
  ]
  // Together at most 100: otherwise recovery above 100 could hide a negative share.
  if (level.length === 0 && s.starting_score + s.recovery_cap > 100) {
    level.push({ path: 'recovery_cap', message: 'starting_score + recovery_cap must not pass 100' })
  }
  return [
    ...level,
    ...integerFaults('half_life_days', s.half_life_days, 1, 3650),
    ...integerFaults('clean_streak_days', s.clean_streak_days, 1, 365),
  ]
}

export function edgesFaults(edges: BandEdges): Fault[] {
  const names = ['green', 'yellow', 'orange', 'red'] as const
  const faults = names.flatMap(name => integerFaults(name, edges[name], 1, 100))
  if (faults.length > 0) return faults
  return names.slice(1).flatMap((name, i) => {
    const above = names[i]!
    if (edges[name] < edges[above]) return []
    return [{ path: name, message: `must be lower than ${above}` }]
  })
}
