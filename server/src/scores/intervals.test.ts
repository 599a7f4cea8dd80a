// Which points a trend has, and how it refuses too many.
import { describe, expect, it } from 'vitest'
import { DAY } from '../platform/clock.ts'
import { listPoints } from './intervals.ts'

const at = (text: string) => Date.parse(text)
const NOW = at('2026-03-18T09:30:00Z')

const show = (points: ReturnType<typeof listPoints>) =>
  points.map(point => `${point.date} ${new Date(point.at).toISOString()} ${point.running}`)

describe('points', () => {
  it('are dated by the first day and measured at the last instant, the running one at now', () => {
    const window = { from: at('2026-03-16T13:00:00Z'), to: NOW }
    expect(show(listPoints(window, 'daily', NOW))).toEqual([
      '2026-03-16 2026-03-16T23:59:59.999Z false',
      '2026-03-17 2026-03-17T23:59:59.999Z false',
      '2026-03-18 2026-03-18T09:30:00.000Z true',
    ])
  })

  it('are ISO weeks and calendar months that the window touches', () => {
    const window = { from: at('2026-02-28T00:00:00Z'), to: at('2026-03-10T00:00:00Z') }
    expect(show(listPoints(window, 'weekly', NOW))).toEqual([
      '2026-02-23 2026-03-01T23:59:59.999Z false',
      '2026-03-02 2026-03-08T23:59:59.999Z false',
      '2026-03-09 2026-03-15T23:59:59.999Z false',
    ])
    expect(show(listPoints(window, 'monthly', NOW))).toEqual([
      '2026-02-01 2026-02-28T23:59:59.999Z false',
      '2026-03-01 2026-03-18T09:30:00.000Z true',
    ])
    const newYear = { from: at('2025-12-31T00:00:00Z'), to: at('2026-01-01T00:00:00Z') }
    expect(listPoints(newYear, 'monthly', NOW).map(point => point.date)).toEqual([
      '2025-12-01',
      '2026-01-01',
    ])
  })

  it('end with the present: the last millisecond of a day is still running', () => {
    const end = at('2026-03-18T23:59:59.999Z')
    expect(listPoints({ from: end, to: end + DAY }, 'daily', end)).toEqual([
      { date: '2026-03-18', at: end, running: true },
    ])
    expect(listPoints({ from: NOW + 1, to: NOW + DAY }, 'daily', NOW)).toEqual([])
  })

  it('are at most 1,000, and the refusal says how to narrow', () => {
    const from = (days: number) => ({ from: NOW - days * DAY, to: NOW })
    expect(listPoints(from(999), 'daily', NOW)).toHaveLength(1000)
    expect(() => listPoints(from(1000), 'daily', NOW)).toThrow(
      'from: would give 1001 points, at most 1000; move from and to closer together or ask for interval=weekly',
    )
    const long = { from: 0, to: at('2100-01-01T00:00:00Z') }
    expect(() => listPoints(long, 'monthly', long.to)).toThrow(
      /would give 1561 points.*closer together$/,
    )
    const fromMay = { from: at('1960-05-20T00:00:00Z'), to: at('2100-03-01T00:00:00Z') }
    expect(() => listPoints(fromMay, 'monthly', fromMay.to)).toThrow(/would give 1679 points/)
    const { length } = listPoints(from(999), 'weekly', NOW)
    const weeks = 7 * (1001 - length)
    expect(() => listPoints(from(999 + weeks), 'weekly', NOW)).toThrow('would give 1001 points')
  })
})
