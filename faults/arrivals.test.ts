// Further copies: those a fault explains, those it does not, and those with other bytes.
import { expect, test } from 'vitest'
import { type Arrival, judgeCopies, readArrivals } from './arrivals.ts'

const arrival = (at: number, id: string, hash = 'h'): Arrival => {
  return { at, id, kind: 'score.updated', hash, about: '-' }
}
const kill = { name: 'kill', began: 10_000, ended: 10_000, leased: 1 }

test('a copy of what was in flight at a kill belongs to it', () => {
  const { explained, faults } = judgeCopies([arrival(9_900, 'a'), arrival(13_000, 'a')], [kill])
  expect(faults).toEqual([])
  expect(explained).toEqual([{ name: 'kill', copies: 1, in_flight: 1 }])
})

test('more copies than were in flight, a copy without a fault and one with other bytes are faults', () => {
  const two = [arrival(9_900, 'a'), arrival(9_900, 'b'), arrival(13_000, 'a'), arrival(13_000, 'b')]
  expect(judgeCopies(two, [kill]).faults).toEqual(['kill: 2 further copies, 1 were in flight'])
  const early = [arrival(1_000, 'a'), arrival(2_000, 'a')]
  expect(judgeCopies(early, [kill]).faults).toHaveLength(1)
  const late = [arrival(20_000, 'a'), arrival(21_000, 'a')]
  expect(judgeCopies(late, [kill]).faults).toHaveLength(1)
  const other = [arrival(9_900, 'a'), arrival(13_000, 'a', 'x')]
  expect(judgeCopies(other, [kill]).faults).toEqual(['a came again with other bytes'])
})

test('a line that was cut off is left out', () => {
  expect(readArrivals('1 dlv_1 score.updated hash -\n2 dlv_2 sco')).toEqual([
    { at: 1, id: 'dlv_1', kind: 'score.updated', hash: 'hash', about: '-' },
  ])
})
