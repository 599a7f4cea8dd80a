// The forecast in one sentence.
import { expect, test } from 'vitest'
import type { ScoreForecast } from '../generated/api.ts'
import { sayForecast } from './forecast-words.ts'

const base: ScoreForecast = {
  employee_id: 'emp_1',
  status: 'active',
  score: 58,
  band: 'orange',
  from: '2026-03-01T00:00:00.000Z',
  until: '2027-03-01T00:00:00.000Z',
  changes: [],
  streaks: [],
  back_in_band: [],
}
const at = (day: string) => ({ at: `${day}T12:00:00.000Z`, date: day })

test('names the next better band, and the best one that will be reached', () => {
  const back_in_band: ScoreForecast['back_in_band'] = [
    { band: 'yellow', ...at('2026-03-14') },
    { band: 'green', at: null, date: null },
  ]
  expect(sayForecast({ ...base, back_in_band })).toBe(
    'Without further events back in yellow on 14 March 2026.',
  )
  back_in_band[1] = { band: 'green', ...at('2026-06-01') }
  expect(sayForecast({ ...base, back_in_band })).toBe(
    'Without further events back in yellow on 14 March 2026, in green on 1 June 2026.',
  )
})

test('says when nothing gets better, when it fades, and when it is frozen', () => {
  expect(sayForecast(base)).toBe('Without further events no better band within a year.')
  const change = { reason: 'decay', previous_score: 80, score: 79, previous_band: 'green' } as const
  const fading = {
    ...base,
    band: 'green',
    changes: [{ ...change, band: 'yellow', at: at('2026-05-02').at }],
  }
  expect(sayForecast(fading as ScoreForecast)).toBe(
    'Without further events it fades to yellow on 2 May 2026.',
  )
  expect(sayForecast({ ...base, status: 'inactive' })).toContain('frozen')
})
