// A chart over time: the days below it, and the way over it by keyboard.
import { expect, test } from 'vitest'
import { beginOf } from './dates.ts'
import { stepTo, ticksOf } from './trend-walk.ts'

const day = (date: number) => beginOf(`2026-11-${String(date).padStart(2, '0')}`)
const wordsOf = (instants: number[], room: number) => ticksOf(instants, room).map(one => one.words)

test('no day is named twice, and each stands at its point', () => {
  expect(wordsOf([day(15), day(16)], 5)).toEqual(['15 Nov', '16 Nov'])
  expect(wordsOf([day(16)], 5)).toEqual(['16 Nov'])
  expect(wordsOf([day(16), day(16) + 3_600_000], 5)).toEqual(['16 Nov'])
  const week = [9, 10, 11, 12, 13, 14, 15, 16].map(day)
  const ticks = ticksOf(week, 5)
  expect(ticks.map(one => one.words)).toEqual(['9 Nov', '11 Nov', '13 Nov', '14 Nov', '16 Nov'])
  expect(ticks.every(({ at }) => week.includes(at))).toBe(true)
  expect(wordsOf(week, 0)).toEqual(['9 Nov', '16 Nov'])
})

test('the keys of a slider lead over the points and not beyond them', () => {
  expect(stepTo('ArrowLeft', null, 5)).toBe(4)
  expect(stepTo('ArrowLeft', 4, 5)).toBe(3)
  expect(stepTo('ArrowDown', 0, 5)).toBe(0)
  expect(stepTo('ArrowUp', 3, 5)).toBe(4)
  expect(stepTo('ArrowRight', 4, 5)).toBe(4)
  expect(stepTo('Home', 3, 5)).toBe(0)
  expect(stepTo('End', null, 5)).toBe(4)
  expect(stepTo('Tab', 3, 5)).toBe(undefined)
})
