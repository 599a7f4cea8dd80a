// Where an axis of counts names them: round numbers from nought to just above the most. Pure.

const MOST_STEPS = 4

/** Steps are 1, 2 or 5 times a power of ten, so that no tick stands for half a person. */
export function countTicks(most: number): number[] {
  const least = Math.max(1, most / MOST_STEPS)
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].map(times => times * power).find(one => one >= least)!
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step)
}
