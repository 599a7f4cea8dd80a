// Adds moves to the histograms of days: those of the moves and every later one. Pure.
import type { DayMove, KeptDay } from './counts.queries.ts'
import { emptyHistogram } from './histogram.ts'

/**
 * The days that are new or changed. `kept` holds the last day at or before the first move and all later
 * ones, ascending. Invariant: a late move corrects every day from its own on, as if it had come in time.
 */
export function foldMoves(kept: readonly KeptDay[], moves: readonly DayMove[]): KeptDay[] {
  const ordered = moves.toSorted((a, b) => (a.day < b.day ? -1 : 1))
  const first = ordered[0]?.day
  if (first === undefined) return []
  const later = kept.filter(({ day }) => day >= first).map(({ day }) => day)
  const days = [...new Set([...later, ...ordered.map(({ day }) => day)])].sort()
  const added = emptyHistogram()
  let [nextMove, nextKept] = [0, 0]
  return days.map(day => {
    while (nextKept < kept.length && kept[nextKept]!.day <= day) nextKept++
    for (; nextMove < ordered.length && ordered[nextMove]!.day <= day; nextMove++) {
      added[ordered[nextMove]!.score]! += ordered[nextMove]!.people
    }
    const before = kept[nextKept - 1]?.counts
    return { day, counts: added.map((n, score) => n + (before?.[score] ?? 0)) }
  })
}
