// Turns: never more at once than allowed, in the order asked for, and a failure gives its place on.
import { expect, it } from 'vitest'
import { takeTurns } from './take-turns.ts'

it('runs at most so many at once, in order, also past a failure', async () => {
  const inTurn = takeTurns(2)
  const begun: number[] = []
  let [running, most] = [0, 0]
  const work = (i: number) => async () => {
    begun.push(i)
    most = Math.max(most, ++running)
    await new Promise(resolve => setImmediate(resolve))
    running -= 1
    if (i % 3 === 0) throw new Error(`no ${i}`)
    return i
  }
  const ends = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map(i => inTurn(work(i))))
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(most).toBe(2)
  expect(ends.map(end => end.status === 'fulfilled')).toEqual([
    ...[false, true, true, false, true, true, false],
  ])
  expect(await inTurn(async () => 'free again')).toBe('free again')
})
