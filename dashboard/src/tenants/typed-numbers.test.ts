// An emptied field of a number is a fault, never the step before.
import { expect, test } from 'vitest'
import { readTyped, typedSince } from './typed-numbers.ts'

const NAMES = ['red', 'orange'] as const
const SAVED = { red: 20, orange: 40 }

test('nothing typed: nothing changed', () => {
  const { typed, values, changed, faults } = readTyped(NAMES, SAVED, {})
  expect([typed, values, changed, faults]).toEqual([SAVED, SAVED, [], []])
})

test('a number typed is a change', () => {
  const { values, changed, faults } = readTyped(NAMES, SAVED, { red: 2 })
  expect([values, changed, faults]).toEqual([{ red: 2, orange: 40 }, ['red'], []])
})

test('an emptied field stays empty, counts as changed, and is a fault', () => {
  for (const empty of ['', '-']) {
    const { typed, values, changed, faults } = readTyped(NAMES, SAVED, { red: empty })
    expect(typed).toEqual({ red: empty, orange: 40 })
    expect([values, changed, faults]).toEqual([SAVED, ['red'], ['red']])
  }
})

test('what was typed since is what differs by now', () => {
  expect(typedSince({ red: 2, orange: 41 }, { red: 2 })).toEqual({ orange: 41 })
  expect(typedSince({ red: 20 }, { red: 2 })).toEqual({ red: 20 })
  expect(typedSince({}, { red: 2 })).toEqual({})
})
