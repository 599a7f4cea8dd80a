// Proves that only settings the model can hold are accepted.

import { expect, test } from 'vitest'
import {
  BANDS,
  DEFAULT_CLEAN_STREAK_DAYS,
  DEFAULT_EDGES,
  DEFAULT_SETTINGS,
  edgesFaults,
  settingsFaults,
} from './settings.ts'

const settings = { ...DEFAULT_SETTINGS, clean_streak_days: DEFAULT_CLEAN_STREAK_DAYS }

test('the defaults are the documented ones and have no faults', () => {
  expect(settings).toEqual({
    starting_score: 75,
    half_life_days: 90,
    recovery_cap: 25,
    clean_streak_days: 30,
  })
  expect(DEFAULT_EDGES).toEqual({ green: 80, yellow: 60, orange: 40, red: 20 })
  expect(BANDS).toEqual(['green', 'yellow', 'orange', 'red', 'critical'])
  expect(settingsFaults(settings)).toEqual([])
  expect(edgesFaults(DEFAULT_EDGES)).toEqual([])
})

test.each([
  [{ starting_score: 0, recovery_cap: 100 }, []],
  [{ starting_score: 100, recovery_cap: 0 }, []],
  [{ half_life_days: 1, clean_streak_days: 1 }, []],
  [{ half_life_days: 3650, clean_streak_days: 365 }, []],
  [{ starting_score: -1 }, ['starting_score']],
  [{ starting_score: 101 }, ['starting_score']],
  [{ starting_score: 74.5 }, ['starting_score']],
  [{ starting_score: Number.NaN }, ['starting_score']],
  [{ recovery_cap: 26 }, ['recovery_cap']],
  [{ recovery_cap: -1 }, ['recovery_cap']],
  [{ half_life_days: 0 }, ['half_life_days']],
  [{ half_life_days: 3651 }, ['half_life_days']],
  [{ clean_streak_days: 0 }, ['clean_streak_days']],
  [{ clean_streak_days: 366, half_life_days: 1.5 }, ['half_life_days', 'clean_streak_days']],
])('settings %j have faults at %j', (change, paths) => {
  expect(settingsFaults({ ...settings, ...change }).map(fault => fault.path)).toEqual(paths)
})

test.each([
  [{ green: 100, yellow: 3, orange: 2, red: 1 }, []],
  [{ green: 101 }, ['green']],
  [{ red: 0, orange: 40.5 }, ['orange', 'red']],
  [{ yellow: 80 }, ['yellow']],
  [{ orange: 70 }, ['orange']],
  [{ orange: 10 }, ['red']],
])('edges %j have faults at %j', (change, paths) => {
  const faults = edgesFaults({ ...DEFAULT_EDGES, ...change })
  expect(faults.map(fault => fault.path)).toEqual(paths)
})
