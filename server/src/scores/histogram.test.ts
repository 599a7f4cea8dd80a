// What a view says of many people: rounding, middles, buckets, and nobody at all.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  averageOf,
  changeOfAverage,
  distributeBands,
  emptyHistogram,
  fillBuckets,
  medianOf,
  tallyOf,
} from './histogram.ts'
import { describeScores } from './scores.fixture.ts'

function histogramOf(scores: readonly number[]) {
  const counts = emptyHistogram()
  for (const score of scores) counts[score]! += 1
  return counts
}

const anyScores = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 60 })

describe('average and median', () => {
  it('are those of the sorted list', () => {
    fc.assert(
      fc.property(anyScores, scores => {
        const counts = histogramOf(scores)
        const { average_score, median_score, employee_count } = describeScores(scores)
        expect(averageOf(tallyOf(counts))).toBe(average_score)
        expect(medianOf(counts)).toBe(median_score)
        expect(tallyOf(counts).people).toBe(employee_count)
      }),
    )
  })

  it('of nobody are 0', () => {
    expect(averageOf(tallyOf(emptyHistogram()))).toBe(0)
    expect(medianOf(emptyHistogram())).toBe(0)
  })
})

describe('the change of the average', () => {
  it('is rounded once, from the averages themselves', () => {
    // 72.44 and 72.36 both show as 72.4; what lies between them is 0.08.
    const tally = (points: number) => ({ people: 100, points })
    expect(changeOfAverage(tally(7244), tally(7236))).toBe(0.1)
    expect(changeOfAverage(tally(7236), tally(7244))).toBe(-0.1)
  })

  it('is 0, never -0, for the same average and for nobody on either side', () => {
    const some = { people: 3, points: 200 }
    const none = { people: 0, points: 0 }
    const changes = [
      changeOfAverage(some, some),
      changeOfAverage(some, none),
      changeOfAverage(none, some),
      changeOfAverage({ people: 100, points: 7000 }, { people: 100, points: 7004 }),
    ]
    for (const change of changes) expect(Object.is(change, 0)).toBe(true)
  })
})

describe('buckets', () => {
  it('hold everyone once, in ranges that touch and end at 100', () => {
    fc.assert(
      fc.property(anyScores, fc.integer({ min: 1, max: 100 }), (scores, size) => {
        const buckets = fillBuckets(histogramOf(scores), size)
        let next = 0
        for (const { range, count } of buckets) {
          const [low, high] = range.split('-').map(Number) as [number, number]
          expect(low).toBe(next)
          expect(count).toBe(scores.filter(score => score >= low && score <= high).length)
          next = high + 1
        }
        expect(next).toBe(101)
      }),
    )
  })

  it.each([
    [5, 20, '0-4', '95-100'],
    [1, 100, '0-0', '99-100'],
    [7, 15, '0-6', '98-100'],
    [99, 2, '0-98', '99-100'],
    [100, 1, '0-100', '0-100'],
  ])('of size %i are %i, from %s to %s', (size, length, first, last) => {
    const buckets = fillBuckets(emptyHistogram(), size)
    expect([buckets.length, buckets[0]!.range, buckets.at(-1)!.range]).toEqual([
      length,
      first,
      last,
    ])
  })
})

describe('bands', () => {
  it('name all five, each percentage rounded for itself', () => {
    const distribution = distributeBands(
      new Map([
        ['green', 1],
        ['red', 2],
      ]),
    )
    expect(distribution).toEqual({
      green: { count: 1, percentage: 33.3 },
      yellow: { count: 0, percentage: 0 },
      orange: { count: 0, percentage: 0 },
      red: { count: 2, percentage: 66.7 },
      critical: { count: 0, percentage: 0 },
    })
    expect(distributeBands(new Map()).green).toEqual({ count: 0, percentage: 0 })
  })
})
