// The change told is that of the chosen span, also where the span lies in the past.
import { expect, test } from 'vitest'
import type { ScoreSummary, ScoreTrends } from '../generated/api.ts'
import { readView } from './overview-view.ts'

const of = (count: number) => ({ count, percentage: 0 })
const summary = {
  ...{ average_score: 61, median_score: 60, total_employees: 4 },
  band_distribution: {
    ...{ green: of(1), yellow: of(1), orange: of(0), red: of(1), critical: of(1) },
  },
} as unknown as ScoreSummary

const points = (...averages: (number | null)[]): ScoreTrends['data'] =>
  averages.map((average, i) => ({
    date: `2026-03-0${i + 1}`,
    average_score: average ?? 0,
    median_score: average ?? 0,
    employee_count: average === null ? 0 : 4,
  }))

const read = (...averages: (number | null)[]) => {
  return { summary, departments: [], points: points(...averages), today: undefined }
}

const changeOf = (...averages: (number | null)[]) => readView(read(...averages), undefined)?.change

test('a change goes from the first point of the span to its last, not to today', () => {
  expect(changeOf(70, 72, 75)).toBe(5)
  expect(changeOf(75, 61)).toBe(-14)
})

test('days without people are no points; one point alone is no change', () => {
  expect(changeOf(null, 70, 75, null)).toBe(5)
  expect(changeOf(null, 70)).toBe(null)
  expect(changeOf(null)).toBe(null)
  expect(changeOf()).toBe(null)
})

test('people and those at risk are counted from the bands', () => {
  expect(readView(read(70, 71), undefined)).toMatchObject({ people: 4, at_risk: 2 })
  expect(readView(read(70, 71), 'Nowhere')).toBe(undefined)
})

test('the median of a department is that of today, as its average is, or not known', () => {
  const { band_distribution } = summary
  const sales = { department: 'Sales', average_score: 69.7, employee_count: 4, band_distribution }
  const past = { ...read(40, 50), departments: [sales] }
  expect(readView({ ...past, today: points(80) }, 'Sales')).toMatchObject({ median: 80 })
  expect(readView(past, 'Sales')).toMatchObject({ average: 69.7, median: null, change: 10 })
  expect(readView(past, undefined)).toMatchObject({ median: 60 })
})
