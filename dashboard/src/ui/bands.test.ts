// What a span of scores is called and coloured by: every band it reaches into.
import { expect, test } from 'vitest'
import { fillBetween, rangesBetween, sayScore } from './bands.ts'

const EDGES = { green: 83, yellow: 60, orange: 40, red: 20 }

test('a step within one band is of that band', () => {
  expect(rangesBetween(85, 89, EDGES)).toEqual([{ band: 'green', from: 85, to: 89 }])
  expect(fillBetween(0, 4, EDGES)).toBe('linear-gradient(to right, var(--band-critical) 0% 100%)')
})

test('a step with an edge in it is of both, each for its own scores', () => {
  expect(rangesBetween(80, 84, EDGES)).toEqual([
    { band: 'yellow', from: 80, to: 82 },
    { band: 'green', from: 83, to: 84 },
  ])
  expect(fillBetween(80, 84, EDGES)).toBe(
    'linear-gradient(to right, var(--band-yellow) 0% 60%, var(--band-green) 60% 100%)',
  )
})

test('a score is said with its band, an average with that of the score it rounds to', () => {
  expect(sayScore(59, EDGES)).toBe('59 (Orange)')
  expect(sayScore(82.5, EDGES)).toBe('82.5 (Green)')
  expect(sayScore(82.4, EDGES)).toBe('82.4 (Yellow)')
})
