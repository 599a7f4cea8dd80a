// The span of time in the address: a word, or two whole dates; anything else is the last 30 days.
import { describe, expect, test } from 'vitest'
import { isSpan, readRange } from './range.ts'

const NOW = Date.parse('2026-11-16T12:34:56Z')

describe('readRange', () => {
  test('two dates are an own span, and the same day twice is one too', () => {
    const own = readRange({ range: 'own', from: '2026-10-01', to: '2026-11-16' }, NOW)
    expect(own).toMatchObject({ name: 'own', from: '2026-10-01', to: '2026-11-16' })
    expect(own.span).toBeUndefined()
    expect(own.interval).toBe('daily')
    expect(readRange({ range: 'own', from: '2026-10-01', to: '2026-10-01' }, NOW).name).toBe('own')
    expect(readRange({ range: 'own', from: '2020-01-01', to: '2026-01-01' }, NOW).interval).toBe(
      'monthly',
    )
  })

  test('what is no span is 30 days that end now', () => {
    for (const [from, to] of [
      ['', '2026-11-16'],
      ['2026-10-01', undefined],
      ['2026-13-41', '2026-11-16'],
      ['0002-10-01', '2026-11-16'],
      ['1969-12-31', '2026-11-16'],
      ['2026-02-30', '2026-11-16'],
      ['2026-11-17', '2026-11-16'],
    ] as const) {
      const range = readRange({ range: 'own', from, to }, NOW)
      expect(range.name, `${from} to ${to}`).toBe('30d')
      expect(range).toMatchObject({ from: '2026-10-17T12:34:00.000Z', to: undefined })
    }
  })

  test('words are spans that end now, and the same a minute later; an unknown word is 30 days', () => {
    const range = readRange({ range: '7d' }, NOW)
    expect(range).toMatchObject({ from: '2026-11-09T12:34:00.000Z' })
    expect(readRange({ range: '7d' }, NOW + 60_000).span).toBe(range.span)
    expect(readRange({ range: 'ever' }, NOW).name).toBe('30d')
  })
})

describe('isSpan', () => {
  test('a year typed digit by digit is a span only when it is whole', () => {
    const years = ['0002', '0020', '0202', '2026']
    expect(years.map(year => isSpan(`${year}-10-01`, '2026-11-16'))).toEqual([
      false,
      false,
      false,
      true,
    ])
  })
})
