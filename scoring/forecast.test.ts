// Proves that a forecast is what the score then does: to the millisecond, with streaks and a supposed event.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS } from './durations.ts'
import { type Forecast, type ForecastStart, forecast } from './forecast.ts'
import { compileRules, type Rule } from './rules.ts'
import { BANDS, DEFAULT_EDGES, DEFAULT_SETTINGS } from './settings.ts'
import { addShare, bandOf, type State, scoreAt } from './state.ts'
import { STREAK_EVENT_TYPE } from './streak.ts'

const NOW = 1_750_000_000_000

const rule = (change: Partial<Rule>): Rule => ({
  id: 'rule_a',
  event_type: 'sim.link_clicked',
  impact: -20,
  cooldown: '0h',
  conditions: {},
  priority: 100,
  exclusive: false,
  status: 'active',
  created_at: 0,
  ...change,
})
const STREAK = rule({ id: 'rule_s', event_type: STREAK_EVENT_TYPE, impact: 5 })

type Given = Partial<Omit<ForecastStart, 'streak'>> & { rules?: Rule[] } & {
  streak?: Partial<ForecastStart['streak']>
}

function start(state: State, { rules = [STREAK], streak, ...change }: Given = {}): ForecastStart {
  const settings = change.settings ?? DEFAULT_SETTINGS
  const score = scoreAt(state, settings)
  return {
    state,
    score,
    band: bandOf(score, DEFAULT_EDGES),
    settings,
    edges: DEFAULT_EDGES,
    book: compileRules(rules),
    firings: new Map(),
    streak: {
      created_at: NOW,
      reactivated_at: null,
      last_negative_at: null,
      last_streak_at: null,
      changed_at: null,
      clean_streak_days: 30,
      ...streak,
    },
    ...change,
  }
}

const hit = (risk: number, recovery = 0): State => ({ risk, recovery, as_of: NOW })
const click = { type: 'sim.link_clicked', source: 'forecast', timestamp: NOW, details: {} }

function scoreOn({ changes }: Forecast, initial: number, at: number): number {
  return changes.findLast(change => change.at <= at)?.score ?? initial
}

const anyState = fc
  .tuple(fc.double({ min: 0, max: 120, noNaN: true }), fc.double({ min: 0, max: 80, noNaN: true }))
  .map(([risk, recovery]) => hit(0 - risk, recovery))

describe('without events', () => {
  test('the score at every instant is that of the state and the streaks before it', () => {
    fc.assert(
      fc.property(
        anyState,
        fc.integer({ min: 1, max: 90 }),
        fc.array(fc.integer({ min: 0, max: 200 * DAY_MS }), { minLength: 5, maxLength: 20 }),
        (state, clean_streak_days, instants) => {
          const given = start(state, { streak: { clean_streak_days } })
          const seen = forecast(given, NOW + 200 * DAY_MS)
          for (const after of instants) {
            const at = NOW + after
            let sum = state
            for (let due = NOW + clean_streak_days * DAY_MS; due <= at; ) {
              sum = addShare(sum, DEFAULT_SETTINGS, { impact: 5, dated_at: due }, due)
              due += clean_streak_days * DAY_MS
            }
            expect(scoreOn(seen, given.score, at)).toBe(scoreAt(sum, DEFAULT_SETTINGS, at))
          }
        },
      ),
    )
  })

  test('changes are in order, each from where the last one ended', () => {
    fc.assert(
      fc.property(anyState, state => {
        const given = start(state)
        let [score, band, at] = [given.score, given.band, 0]
        for (const change of forecast(given, NOW + 730 * DAY_MS).changes) {
          expect([change.previous_score, change.previous_band]).toEqual([score, band])
          expect([change.score, change.band]).not.toEqual([score, band])
          expect(change.band).toBe(bandOf(change.score, DEFAULT_EDGES))
          expect(change.at).toBeGreaterThanOrEqual(at)
          ;[score, band, at] = [change.score, change.band, change.at]
        }
      }),
    )
  })

  test('nothing after the end, nothing at all for a score at rest without streaks', () => {
    const given = start(hit(-20), { rules: [] })
    const long = forecast(given, NOW + 730 * DAY_MS).changes
    const cut = long[4]!.at
    expect(forecast(given, cut).changes).toEqual(long.slice(0, 5))
    expect(forecast(given, cut - 1).changes).toEqual(long.slice(0, 4))
    expect(forecast(start(hit(0), { rules: [] }), NOW + 10 * DAY_MS).changes).toEqual([])
  })

  test('what is overdue comes first, dated at its own instant', () => {
    const at = NOW + 35 * DAY_MS
    const given = start(hit(-20), { rules: [rule({}), STREAK] })
    const seen = forecast(given, NOW + 40 * DAY_MS, { ...click, timestamp: at })
    expect(seen.streaks.map(one => one.at)).toEqual([NOW + 30 * DAY_MS])
    const before = seen.changes.filter(change => change.at < at)
    expect(before).toEqual(forecast(given, at - 1).changes)
    expect(new Set(before.map(change => change.reason))).toEqual(new Set(['decay', 'clean_streak']))
    const { score } = before.at(-1)!
    expect(seen.supposed).toMatchObject({ at, score_before: score, score_after: score - 20 })
  })
})

describe('streaks', () => {
  test('are listed with what they do, even where the score stays', () => {
    const seen = forecast(start(hit(0, 60)), NOW + 61 * DAY_MS)
    expect(seen.streaks).toEqual([
      {
        at: NOW + 30 * DAY_MS,
        impact: 5,
        rules_matched: ['rule_s'],
        score_before: 100,
        score_after: 100,
      },
      expect.objectContaining({ at: NOW + 60 * DAY_MS, impact: 5 }),
    ])
    expect(seen.changes).toEqual([])
  })

  test('without a rule they give nothing, and still count as the last one', () => {
    const seen = forecast(start(hit(0), { rules: [] }), NOW + 65 * DAY_MS)
    expect(seen.streaks.map(one => [one.at, one.impact])).toEqual([
      [NOW + 30 * DAY_MS, 0],
      [NOW + 60 * DAY_MS, 0],
    ])
  })

  test('one due before the state is applied at the state, its share dated when it was due', () => {
    const streak = { created_at: NOW - 40 * DAY_MS }
    const given = start(hit(-30), { streak })
    const seen = forecast(given, NOW)
    const due = NOW - 10 * DAY_MS
    const expected = addShare(given.state, DEFAULT_SETTINGS, { impact: 5, dated_at: due }, NOW)
    const { score_after } = seen.streaks[0]!
    expect(seen.streaks.map(one => one.at)).toEqual([NOW])
    expect(score_after).toBe(scoreAt(expected, DEFAULT_SETTINGS))
    expect(seen.changes).toEqual([expect.objectContaining({ at: NOW, reason: 'clean_streak' })])
  })

  test('a rule that cools down does not fire on the next one', () => {
    const rules = [{ ...STREAK, cooldown: '45d' }]
    const seen = forecast(start(hit(0), { rules }), NOW + 91 * DAY_MS)
    expect(seen.streaks.map(one => one.impact)).toEqual([5, 0, 5])
  })

  test('one that fell due before its period was changed keeps its instant', () => {
    const streak = {
      created_at: NOW - 40 * DAY_MS,
      changed_at: NOW - DAY_MS,
      clean_streak_days: 90,
    }
    const overdue_streak_at = NOW - 10 * DAY_MS
    const seen = forecast(start(hit(0), { streak, overdue_streak_at }), NOW + 81 * DAY_MS)
    expect(seen.streaks.map(one => one.at)).toEqual([NOW, NOW + 80 * DAY_MS])
  })

  test('tell the rules how many days they are', () => {
    const rules = [{ ...STREAK, conditions: { days: 30 } }]
    expect(forecast(start(hit(0), { rules }), NOW + 31 * DAY_MS).streaks[0]!.impact).toBe(5)
  })

  test('a punishing one counts as the last negative event', () => {
    const rules = [{ ...STREAK, impact: -5 }]
    const seen = forecast(
      start(hit(0), { rules, streak: { last_negative_at: NOW } }),
      NOW + 61 * DAY_MS,
    )
    expect(seen.streaks.map(one => one.impact)).toEqual([-5, -5])
  })
})

describe('a supposed event', () => {
  const rules = [rule({}), STREAK]

  test('acts now, and puts the streak off', () => {
    const seen = forecast(start(hit(0), { rules }), NOW + 40 * DAY_MS, click)
    expect(seen.supposed).toEqual({
      at: NOW,
      impact: -20,
      rules_matched: ['rule_a'],
      score_before: 75,
      score_after: 55,
    })
    expect(seen.changes[0]).toEqual({
      at: NOW,
      reason: 'event',
      previous_score: 75,
      score: 55,
      previous_band: 'yellow',
      band: 'orange',
    })
    const before = { streak: { created_at: NOW - 25 * DAY_MS }, rules }
    expect(forecast(start(hit(0), before), NOW + 29 * DAY_MS, click).streaks).toEqual([])
    expect(forecast(start(hit(0), before), NOW + 29 * DAY_MS).streaks).toHaveLength(1)
    const again = { streak: { ...before.streak, last_negative_at: NOW - 25 * DAY_MS }, rules }
    expect(forecast(start(hit(0), again), NOW + 29 * DAY_MS, click).streaks).toEqual([])
  })

  test('a good one leaves the streak where it is', () => {
    const before = {
      streak: { created_at: NOW - 25 * DAY_MS },
      rules: [rule({ impact: 20 }), STREAK],
    }
    const seen = forecast(start(hit(0), before), NOW + 29 * DAY_MS, click)
    expect(seen.streaks.map(one => one.at)).toEqual([NOW + 5 * DAY_MS])
  })

  test('no rule, or one that cools down, leaves the score as it is', () => {
    expect(forecast(start(hit(0)), NOW, click).supposed).toMatchObject({
      impact: 0,
      score_after: 75,
    })
    const cooling = [rule({ cooldown: '24h' })]
    const firings = new Map([['rule_a', [NOW - 3_600_000]]])
    const seen = forecast(start(hit(0), { rules: cooling, firings }), NOW, click)
    expect(seen.supposed).toMatchObject({ impact: 0, rules_matched: [] })
    expect(firings.get('rule_a')).toHaveLength(1)
  })
})

describe('the way back', () => {
  test('names the first instant in each better band, the nearest first', () => {
    const seen = forecast(start(hit(-60), { rules: [] }), NOW + 730 * DAY_MS)
    expect(seen.returns.map(one => one.band)).toEqual(['red', 'orange', 'yellow', 'green'])
    for (const { band, at } of seen.returns.slice(0, 3)) {
      const change = seen.changes.find(one => one.at === at)!
      expect(change.band).toBe(band)
      expect(BANDS.indexOf(change.previous_band)).toBeGreaterThan(BANDS.indexOf(band))
    }
    expect(seen.returns[3]).toEqual({ band: 'green', at: null })
  })

  test('a band that is skipped is reached with the one above it', () => {
    const rules = [{ ...STREAK, impact: 25 }]
    const seen = forecast(start(hit(-37), { rules }), NOW + 31 * DAY_MS)
    expect(seen.returns).toEqual([
      { band: 'orange', at: expect.any(Number) },
      { band: 'yellow', at: NOW + 30 * DAY_MS },
      { band: 'green', at: null },
    ])
  })

  test('is counted from after the supposed event', () => {
    const seen = forecast(start(hit(0), { rules: [rule({})] }), NOW + 200 * DAY_MS, click)
    expect(seen.returns.map(one => one.band)).toEqual(['yellow', 'green'])
    expect(seen.returns[0]!.at).toBeGreaterThan(NOW)
    const overdue = { ...click, timestamp: NOW + 60 * DAY_MS }
    const later = forecast(start(hit(-20), { rules: [rule({})] }), NOW + 300 * DAY_MS, overdue)
    expect(later.changes[0]!).toMatchObject({ reason: 'decay' })
    expect(later.changes.some(one => one.band === 'yellow' && one.at < overdue.timestamp)).toBe(
      true,
    )
    expect(later.returns[0]).toEqual({ band: 'yellow', at: expect.any(Number) })
    expect(later.returns[0]!.at).toBeGreaterThan(overdue.timestamp)
    expect(forecast(start(hit(0, 25)), NOW).returns).toEqual([])
  })
})
