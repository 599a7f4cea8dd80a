// What a change would do, added up piece by piece: people by band before and after, and the largest changes. Pure.
import { BANDS, type Band } from '../../../scoring/settings.ts'

export type ScoreChange = { employee_id: string; current_score: number; projected_score: number }

type Placed = { score: number; band: Band }
export type Move = { employee_id: string; before: Placed; after: Placed }

export type Preview = {
  bands_before: Record<Band, number>
  bands_after: Record<Band, number>
  /** How many have each score, from 0 to 100; absent in one begun before these were kept. */
  scores_before?: number[]
  scores_after?: number[]
  score_changes: ScoreChange[]
  /** Whether there were more changes than are kept. */
  truncated: boolean
}

export const MOST_CHANGES = 1000

const noBands = () => Object.fromEntries(BANDS.map(band => [band, 0])) as Record<Band, number>

export const noScores = (): number[] => Array.from({ length: 101 }, () => 0)

export function emptyPreview(): Preview {
  return {
    bands_before: noBands(),
    bands_after: noBands(),
    scores_before: noScores(),
    scores_after: noScores(),
    score_changes: [],
    truncated: false,
  }
}

export function extendPreview(preview: Preview, moves: readonly Move[]): Preview {
  const bands_before = { ...preview.bands_before }
  const bands_after = { ...preview.bands_after }
  const scores_before = preview.scores_before?.slice()
  const scores_after = preview.scores_after?.slice()
  const changes = [...preview.score_changes]
  for (const { employee_id, before, after } of moves) {
    bands_before[before.band] += 1
    bands_after[after.band] += 1
    if (scores_before) scores_before[before.score]! += 1
    if (scores_after) scores_after[after.score]! += 1
    if (before.score === after.score) continue
    changes.push({ employee_id, current_score: before.score, projected_score: after.score })
  }
  const truncated = preview.truncated || changes.length > MOST_CHANGES
  return {
    bands_before,
    bands_after,
    ...(scores_before && scores_after ? { scores_before, scores_after } : {}),
    score_changes: largestFirst(changes),
    truncated,
  }
}

/** The largest changes, up or down, and of equal ones those of the lower id; at most as many as are kept. */
export function largestFirst(changes: readonly ScoreChange[]): ScoreChange[] {
  const size = (c: ScoreChange) => Math.abs(c.projected_score - c.current_score)
  return changes
    .toSorted((a, b) => size(b) - size(a) || (a.employee_id < b.employee_id ? -1 : 1))
    .slice(0, MOST_CHANGES)
}
