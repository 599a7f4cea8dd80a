// People by whole score: everything a view says of many people follows from it. Pure.
import { BANDS, type Band } from '../../../scoring/settings.ts'

/** How many people have each score from 0 to 100. */
export type Histogram = number[]

const SCORES = 101

export function emptyHistogram(): Histogram {
  return new Array<number>(SCORES).fill(0)
}

/** How many people, and the sum of their scores. */
export type Tally = { people: number; points: number }

export function tallyOf(counts: Histogram): Tally {
  let [people, points] = [0, 0]
  for (const [score, n] of counts.entries()) {
    people += n
    points += n * score
  }
  return { people, points }
}

/** One decimal; nobody gives 0. One division of whole numbers, so that halves are exact. */
export function averageOf({ people, points }: Tally): number {
  return people === 0 ? 0 : Math.round((points * 10) / people) / 10
}

/** The middle score, or the mean of the middle two; nobody gives 0. */
export function medianOf(counts: Histogram): number {
  const { people } = tallyOf(counts)
  if (people === 0) return 0
  const lower = scoreOfRank(counts, Math.floor((people - 1) / 2))
  return (lower + scoreOfRank(counts, Math.floor(people / 2))) / 2
}

/** The score of the person at this place, counted from 0, in ascending order. */
function scoreOfRank(counts: Histogram, rank: number): number {
  let passed = 0
  return counts.findIndex(n => {
    passed += n
    return passed > rank
  })
}

/** Of the averages themselves, not of what is shown of them; 0 where there is nobody to compare. */
export function changeOfAverage(now: Tally, then: Tally): number {
  if (now.people === 0 || then.people === 0) return 0
  const difference = now.points * then.people - then.points * now.people
  return Math.round((difference * 10) / (now.people * then.people)) / 10 + 0
}

export type BandDistribution = Record<Band, { count: number; percentage: number }>

export function distributeBands(people: ReadonlyMap<Band, number>): BandDistribution {
  let total = 0
  for (const count of people.values()) total += count
  const share = (count: number) => (total === 0 ? 0 : Math.round((count * 1000) / total) / 10)
  const entries = BANDS.map(band => {
    const count = people.get(band) ?? 0
    return [band, { count, percentage: share(count) }]
  })
  return Object.fromEntries(entries)
}

/** A bucket begins at every multiple of the size below 100; the last one ends at 100. */
export function fillBuckets(counts: Histogram, size: number) {
  const buckets: { range: string; count: number }[] = []
  for (let low = 0; low < 100; low += size) {
    const high = low + size >= 100 ? 100 : low + size - 1
    const count = counts.slice(low, high + 1).reduce((sum, n) => sum + n, 0)
    buckets.push({ range: `${low}-${high}`, count })
  }
  return buckets
}
