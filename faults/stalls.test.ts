// A machine that stood still: noticed, and held against nobody; what comes twice otherwise still is.
import { expect, test } from 'vitest'
import { judgeCopies } from './arrivals.ts'
import { watchForStalls } from './stalls.ts'

const arrival = (at: number) => {
  return { at, id: 'a', kind: 'score.updated', hash: 'h', about: '-' }
}

test('a long time between two looks is a stall, and explains the copy of what was under way', () => {
  const look = watchForStalls()
  const windows = [5_000, 5_100, 5_900, 9_000, 9_100].flatMap(now => look(now) ?? [])
  expect(windows).toMatchObject([{ began: 5_900, ended: 9_000 }])
  expect(judgeCopies([arrival(5_800), arrival(70_000)], windows).faults).toEqual([])
  expect(judgeCopies([arrival(1_000), arrival(70_000)], windows).faults).toHaveLength(1)
  expect(judgeCopies([arrival(20_000), arrival(70_000)], windows).faults).toHaveLength(1)
})
