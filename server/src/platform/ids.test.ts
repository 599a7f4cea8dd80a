// Ids: those of one millisecond ascend in the order they were made, for replays take events in the order of their ids.
import { expect, it } from 'vitest'
import { idFloor, newId } from './ids.ts'

it('ids of one instant ascend while ids of others are made in between', () => {
  const made = Array.from({ length: 100 }, (_, i) => {
    newId('evt', 1_000 + i)
    return newId('evt', 5_000)
  })
  expect(made).toEqual(made.toSorted())
  expect(new Set(made.map(id => id.length)).size).toBe(1)
})

it('ids of different instants have nothing else in common', () => {
  const parts = Array.from({ length: 100 }, (_, i) => newId('evt', i).slice(-13, -9))
  expect(new Set(parts).size).toBeGreaterThan(90)
})

it('a floor lies between the ids before and after it, for every instant a request may name', () => {
  const [early, id] = [newId('evt', 5_000), newId('evt', 6_000)]
  expect([early < idFloor('evt', 6_000), idFloor('evt', 6_000) < id]).toEqual([true, true])
  expect(idFloor('evt', Date.UTC(1, 0)) < early).toBe(true)
  expect(idFloor('evt', Date.UTC(9999, 11)) > newId('evt', Date.UTC(2500, 0))).toBe(true)
})
