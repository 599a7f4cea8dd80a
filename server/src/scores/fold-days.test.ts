// Moves folded into days, in any pieces and however late, give the same days.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DayMove, KeptDay } from './counts.queries.ts'
import { foldMoves } from './fold-days.ts'
import { emptyHistogram } from './histogram.ts'

const DAYS = ['2026-03-01', '2026-03-02', '2026-03-05', '2026-03-09', '2026-04-01']

const anyMove: fc.Arbitrary<DayMove> = fc.record({
  day: fc.constantFrom(...DAYS),
  score: fc.integer({ min: 0, max: 100 }),
  people: fc.integer({ min: -3, max: 3 }),
})

/** What a reader takes for a day: its row, or the last one before it. */
function readDay(kept: readonly KeptDay[], day: string) {
  return kept.findLast(one => one.day <= day)?.counts ?? emptyHistogram()
}

/** The job's way: it reads the last day up to the first move and all later ones, and writes what changed. */
function fold(kept: readonly KeptDay[], moves: readonly DayMove[]): KeptDay[] {
  const first = moves.map(move => move.day).sort()[0] ?? ''
  const from = kept.findLast(one => one.day <= first)?.day ?? first
  const changed = foldMoves(
    kept.filter(one => one.day >= from),
    moves,
  )
  const untouched = kept.filter(one => !changed.some(other => other.day === one.day))
  return [...untouched, ...changed].sort((a, b) => (a.day < b.day ? -1 : 1))
}

it('every day is the sum of the moves up to it, whatever the order in which they came', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyMove, { maxLength: 6 }), { maxLength: 6 }), pieces => {
      const kept = pieces.reduce(fold, [])
      for (const day of DAYS) {
        const expected = emptyHistogram()
        for (const move of pieces.flat()) {
          if (move.day <= day) expected[move.score]! += move.people
        }
        expect(readDay(kept, day)).toEqual(expected)
      }
    }),
  )
})

it('nothing to fold changes nothing', () => {
  expect(foldMoves([{ day: DAYS[0]!, counts: emptyHistogram() }], [])).toEqual([])
})
