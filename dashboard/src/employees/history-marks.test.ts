// What is marked on the chart of a person's score: what moved it, and where it was taken back.
import { expect, test } from 'vitest'
import type { Event as ScoredEvent, ScorePoint } from '../generated/api.ts'
import { marksOf } from './history-marks.ts'

const point = (day: number, score: number): ScorePoint => ({
  timestamp: `2026-03-0${day}T00:00:00.000Z`,
  score,
  band: 'yellow',
})
const POINTS = [point(1, 75), point(3, 50), point(5, 52), point(7, 75)]

const event = (id: string, day: number, impact: number, retracted_at?: string) =>
  ({
    id,
    type: 'sim.link_clicked',
    impact,
    timestamp: `2026-03-0${day}T12:00:00.000Z`,
    ...(retracted_at ? { retracted_at } : {}),
  }) as ScoredEvent

test('events that moved the score stand at the score they led to, from left to right', () => {
  const marks = marksOf(POINTS, [
    event('evt_2', 4, 2),
    event('evt_0', 3, 0),
    event('evt_1', 2, -25),
  ])
  expect(marks.map(({ opens, score, tone }) => [opens, score, tone])).toEqual([
    ['evt_1', 50, 'bad'],
    ['evt_2', 52, 'good'],
  ])
})

test('a retraction is marked when it was made, by what it did to the score, and opens the event', () => {
  const taken = event('evt_1', 2, -25, '2026-03-06T08:00:00.000Z')
  const marks = marksOf(POINTS, [event('evt_2', 4, 2), taken])
  expect(marks.map(({ opens, score, tone }) => [opens, score, tone])).toEqual([
    ['evt_1', 50, 'bad'],
    ['evt_2', 52, 'good'],
    ['evt_1', 75, 'good'],
  ])
  expect(new Set(marks.map(mark => mark.id)).size).toBe(3)
  expect(marks.at(-1)!.label).toMatch(/^sim\.link_clicked, .25 retracted on 6 Mar/)
})

test('of what raised the score, the retraction lowered it; without points nothing is marked', () => {
  const taken = event('evt_1', 2, 10, '2026-03-06T08:00:00.000Z')
  expect(marksOf(POINTS, [taken]).map(mark => mark.tone)).toEqual(['good', 'bad'])
  expect(marksOf([], [taken])).toEqual([])
})
