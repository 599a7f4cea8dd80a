// The change told is that of the chosen span, also where the span lies in the past, and never two numbers for one thing.
import { expect, test } from 'vitest'
import type { ScoreSummary, ScoreTrends } from '../generated/api.ts'
import { readView } from './overview-view.ts'

const of = (count: number) => ({ count, percentage: 0 })
const summary = {
  average_score: 61,
  median_score: 60,
  total_employees: 4,
  trend: { direction: 'declining', change: -3.1, period: '30d' },
  band_distribution: { green: of(1), yellow: of(1), orange: of(0), red: of(1), critical: of(1) },
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

const WEEK = { name: '7d', words: 'in 7 days' } as const
const MONTH = { name: '30d', words: 'in 30 days' } as const
const OWN = { name: 'own', words: 'from 2026-03-01 to 2026-03-04' } as const

const changeOf = (...averages: (number | null)[]) =>
  readView(read(...averages), undefined, WEEK)?.change?.value ?? null

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

test('30 days of everyone are those of the summary; other spans say since which day', () => {
  const wordsOf = (
    range: typeof WEEK | typeof MONTH | typeof OWN,
    ...averages: (number | null)[]
  ) => readView(read(...averages), undefined, range)?.change
  expect(wordsOf(MONTH, 70, 72)).toEqual({ value: -3.1, words: 'in 30 days' })
  expect(wordsOf(MONTH, null, 70, 72)).toEqual({ value: 2, words: 'since 2 Mar' })
  expect(wordsOf(WEEK, 70, 72)).toEqual({ value: 2, words: 'since 1 Mar' })
  expect(wordsOf(OWN, 70, 72)).toEqual({ value: 2, words: OWN.words })
  const sales = { ...summary, department: 'Sales', employee_count: 4 }
  const one = readView({ ...read(70, 72), departments: [sales] }, 'Sales', MONTH)
  expect(one?.change).toEqual({ value: 2, words: 'since 1 Mar' })
})

test('people and those at risk are counted from the bands', () => {
  expect(readView(read(70, 71), undefined, WEEK)).toMatchObject({ people: 4, at_risk: 2 })
  expect(readView(read(70, 71), 'Nowhere', WEEK)).toBe(undefined)
})

test('the median of a department is that of today, as its average is, or not known', () => {
  const { band_distribution } = summary
  const sales = { department: 'Sales', average_score: 69.7, employee_count: 4, band_distribution }
  const past = { ...read(40, 50), departments: [sales] }
  expect(readView({ ...past, today: points(80) }, 'Sales', WEEK)).toMatchObject({ median: 80 })
  expect(readView(past, 'Sales', WEEK)).toMatchObject({ average: 69.7, median: null })
  expect(readView(past, undefined, WEEK)).toMatchObject({ median: 60 })
})
