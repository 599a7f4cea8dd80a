// The spread of scores before and after a change, from the server's counts or from the list of changes.
import { expect, test } from 'vitest'
import { moveAll, scoresOf, spreadOf } from './score-shift.tsx'

const changes = [
  { current_score: 75, projected_score: 58 },
  { current_score: 75, projected_score: 100 },
]

test('the counts of the server are taken where it gives them, else those of the changes', () => {
  const scores_before = Array.from({ length: 101 }, () => 7)
  const scores_after = Array.from({ length: 101 }, () => 8)
  const told = scoresOf({ score_changes: changes, scores_before, scores_after })
  expect([told.before[0], told.after[100]]).toEqual([7, 8])
  const own = scoresOf({ score_changes: changes })
  expect([own.before[75], own.after[58], own.after[100]]).toEqual([2, 1, 1])
})

test('the last step holds 95 to 100, and everyone else stays where they are', () => {
  const everyone = Array.from({ length: 20 }, () => 10)
  const moved = moveAll(everyone, scoresOf({ score_changes: changes }))
  expect([moved[15], moved[11], moved[19], moved[0]]).toEqual([8, 11, 11, 10])
  expect(moved.reduce((sum, one) => sum + one)).toBe(200)
  expect(spreadOf(scoresOf({ score_changes: changes }).after)[19]).toBe(1)
})
