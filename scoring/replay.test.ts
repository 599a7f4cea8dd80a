// Proves that a replay gives what live scoring in the same order gives.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS } from './durations.ts'
import { type LogEntry, type ReplayStart, replay } from './replay.ts'
import { type CompiledRule, compileRules, coolingUntil, evaluate, type Rule } from './rules.ts'
import { DEFAULT_SETTINGS } from './settings.ts'
import { addShare, decayTo, emptyState, type Share, type State } from './state.ts'

const NOW = 1_750_000_000_000
const HOUR = 3_600_000
const FRESH: ReplayStart = { carried: null, firings: new Map() }

function rule(id: string, event_type: string, impact: number, cooldown = '0h'): Rule {
  return {
    id,
    event_type,
    impact,
    cooldown,
    conditions: {},
    priority: 100,
    exclusive: false,
    status: 'active',
    created_at: 0,
  }
}

function entry(event_id: string, timestamp: number, change: Partial<LogEntry> = {}): LogEntry {
  return {
    event_id,
    type: 'sim.clicked',
    source: 'mailguard',
    timestamp,
    received_at: timestamp,
    details: {},
    ...change,
  }
}

const BOOK = compileRules([
  rule('rule_click', 'sim.clicked', -20, '24h'),
  rule('rule_any', 'sim.*', -3, '1h'),
  rule('rule_report', 'sim.reported', 10),
  { ...rule('rule_trained', 'training.completed', 15, '7d'), exclusive: true },
  rule('rule_training', 'training.*', -1),
])

const anyEntry = fc
  .record({
    event_id: fc.uuid(),
    type: fc.constantFrom('sim.clicked', 'sim.reported', 'training.completed', 'unknown.kind'),
    hour: fc.integer({ min: 0, max: 400 }),
    lag: fc.integer({ min: -5, max: 100 }),
    kind: fc.constantFrom('plain', 'plain', 'plain', 'manual', 'inert'),
    fixed: fc.integer({ min: -50, max: 50 }),
  })
  .map(({ event_id, type, hour, lag, kind, fixed }): LogEntry => {
    const timestamp = NOW - hour * HOUR
    const received_at = Math.min(NOW, timestamp + lag * HOUR)
    const log = entry(event_id, timestamp, { type, received_at })
    if (kind === 'manual') return { ...log, fixed_impact: fixed }
    return kind === 'inert' ? { ...log, inert: true } : log
  })

const anyLog = fc.uniqueArray(anyEntry, { maxLength: 40, selector: log => log.event_id })

const anyFirings = fc
  .array(fc.integer({ min: 0, max: 420 }), { maxLength: 4 })
  .map(hours => new Map([['rule_click', hours.map(hour => NOW - hour * HOUR)]]))

const anyCarried = fc.option(
  fc.record({
    risk: fc.integer({ min: -80, max: 0 }),
    recovery: fc.integer({ min: 0, max: 80 }),
    as_of: fc.integer({ min: NOW - 90 * DAY_MS, max: NOW }),
  }),
)

const byTime = (a: LogEntry, b: LogEntry) =>
  a.timestamp - b.timestamp || (a.event_id < b.event_id ? -1 : 1)

/** Live scoring: every firing is remembered, every share added to a state that moves on. */
function scoreLive(
  log: readonly LogEntry[],
  start: ReplayStart,
): { state: State; fired: string[] } {
  const firings = new Map([...start.firings].map(([id, times]) => [id, [...times]]))
  let state = start.carried ?? emptyState(NOW - 500 * DAY_MS)
  const fired: string[] = []
  for (const event of log.filter(event => !event.inert)) {
    const dated_at = Math.min(event.timestamp, event.received_at)
    const give = (impact: number) => {
      state = addShare(state, DEFAULT_SETTINGS, { impact, dated_at }, event.received_at)
    }
    if (event.fixed_impact !== undefined) {
      give(event.fixed_impact)
      continue
    }
    const coolsUntil = ({ id, cooldown_ms }: CompiledRule) =>
      coolingUntil(
        (firings.get(id) ?? []).toSorted((a, b) => a - b),
        cooldown_ms,
        event.timestamp,
      )
    for (const rule of evaluate(BOOK, event, coolsUntil).fired) {
      give(rule.impact)
      fired.push(`${event.event_id} ${rule.id}`)
      firings.set(rule.id, [...(firings.get(rule.id) ?? []), event.timestamp])
    }
  }
  return { state: decayTo(state, DEFAULT_SETTINGS, NOW), fired }
}

function expectSameState(a: State, b: State): void {
  expect(a.as_of).toBe(b.as_of)
  expect(Math.abs(a.risk - b.risk)).toBeLessThan(1e-6)
  expect(Math.abs(a.recovery - b.recovery)).toBeLessThan(1e-6)
}

test('a replay equals a live fold of the events in order of timestamp', () => {
  fc.assert(
    fc.property(anyLog, anyFirings, anyCarried, (log, firings, carried) => {
      const start = { carried, firings }
      const replayed = replay(log, BOOK, DEFAULT_SETTINGS, NOW, start)
      const live = scoreLive(log.toSorted(byTime), start)
      expectSameState(replayed.state, live.state)
      const fired = replayed.events.flatMap(event =>
        event.fired.map(share => `${event.entry.event_id} ${share.rule_id}`),
      )
      expect(fired).toEqual(live.fired)
    }),
    { numRuns: 400 },
  )
})

test('where no rule cools, the order of events does not matter', () => {
  const book = compileRules([
    rule('rule_click', 'sim.clicked', -20),
    rule('rule_any', 'sim.*', -3),
    rule('rule_report', 'sim.reported', 10),
  ])
  fc.assert(
    fc.property(anyLog, fc.nat(), (log, seed) => {
      const state = replay(log, book, DEFAULT_SETTINGS, NOW, FRESH).state
      const turn = seed % (log.length + 1)
      const turned = [...log.slice(turn), ...log.slice(0, turn)].reverse()
      const arrived = turned.reduce((live, event) => {
        const dated_at = Math.min(event.timestamp, event.received_at)
        const impacts = event.inert
          ? []
          : event.fixed_impact !== undefined
            ? [event.fixed_impact]
            : evaluate(book, event, () => null).fired.map(rule => rule.impact)
        return impacts.reduce(
          (next, impact) => addShare(next, DEFAULT_SETTINGS, { impact, dated_at }, NOW),
          live,
        )
      }, emptyState(NOW))
      expectSameState(state, arrived)
    }),
    { numRuns: 200 },
  )
})

test('the recorded shares add up to the state', () => {
  fc.assert(
    fc.property(anyLog, log => {
      const { state, events } = replay(log, BOOK, DEFAULT_SETTINGS, NOW, FRESH)
      const dated = new Map(log.map(e => [e.event_id, Math.min(e.timestamp, e.received_at)]))
      const sum = events
        .flatMap((event): readonly Share[] => {
          const manual = {
            impact: event.impact,
            dated_at: dated.get(event.entry.event_id) as number,
          }
          return event.fired.length > 0 ? event.fired : [manual]
        })
        .reduce((live, share) => addShare(live, DEFAULT_SETTINGS, share, NOW), emptyState(NOW))
      expectSameState(state, sum)
    }),
    { numRuns: 200 },
  )
})

test('entries are taken by timestamp, then id, however they are handed in', () => {
  const log = [entry('evt_c', NOW), entry('evt_b', NOW), entry('evt_a', NOW - HOUR)]
  const { events } = replay(log, BOOK, DEFAULT_SETTINGS, NOW, FRESH)
  expect(events).toEqual([
    {
      entry: log[2],
      impact: -23,
      fired: [
        { rule_id: 'rule_any', impact: -3, dated_at: NOW - HOUR },
        { rule_id: 'rule_click', impact: -20, dated_at: NOW - HOUR },
      ],
      cooling: [],
    },
    {
      entry: log[1],
      impact: -3,
      fired: [{ rule_id: 'rule_any', impact: -3, dated_at: NOW }],
      cooling: [{ rule_id: 'rule_click', until: NOW + 23 * HOUR }],
    },
    {
      entry: log[0],
      impact: 0,
      fired: [],
      cooling: [
        { rule_id: 'rule_any', until: NOW + HOUR },
        { rule_id: 'rule_click', until: NOW + 23 * HOUR },
      ],
    },
  ])
})

test('a share is dated by receipt when the timestamp lies after it', () => {
  const log = [entry('evt_a', NOW + 60_000, { received_at: NOW })]
  const { events, state } = replay(log, BOOK, DEFAULT_SETTINGS, NOW, FRESH)
  expect(events[0]?.fired[0]?.dated_at).toBe(NOW)
  expect(state).toEqual({ risk: -23, recovery: 0, as_of: NOW })
})

test('a manual adjustment is its own share, and an inert event gives and cools nothing', () => {
  const log = [
    entry('evt_a', NOW - 2, { inert: true }),
    entry('evt_b', NOW - 1, { fixed_impact: 7 }),
    entry('evt_c', NOW, { type: 'sim.clicked' }),
  ]
  const { events } = replay(log, BOOK, DEFAULT_SETTINGS, NOW, FRESH)
  expect(events.map(event => event.impact)).toEqual([0, 7, -23])
  expect(events.map(event => event.fired.length)).toEqual([0, 0, 2])
})

test('a fixed entry gives what it gave, and its firings cool on both sides', () => {
  const fired = [
    { rule_id: 'rule_gone', impact: -9, dated_at: NOW - 3 * HOUR },
    { rule_id: 'rule_any', impact: -2, dated_at: NOW - 3 * HOUR },
  ]
  const cooling = [{ rule_id: 'rule_click', until: NOW }]
  const log = [
    entry('evt_a', NOW - 3.5 * HOUR, { type: 'sim.opened' }),
    entry('evt_b', NOW - 3 * HOUR, { fixed: { fired, cooling } }),
    entry('evt_c', NOW - 2.5 * HOUR, { type: 'sim.opened' }),
    entry('evt_d', NOW - 2 * HOUR, { type: 'sim.opened' }),
  ]
  const start = { carried: null, firings: new Map([['rule_any', [NOW - 3 * HOUR]]]) }
  const { events } = replay(log, BOOK, DEFAULT_SETTINGS, NOW, start)
  expect(events.map(event => event.impact)).toEqual([0, -11, 0, -3])
  expect(events[1]).toMatchObject({ fired, cooling })
})

test('shares that cancel each other out stand in risk and recovery all the same', () => {
  const book = compileRules([rule('rule_good', 'sim.clicked', 10), rule('rule_bad', 'sim.*', -10)])
  const { state, events } = replay([entry('a', NOW)], book, DEFAULT_SETTINGS, NOW, FRESH)
  expect(state).toEqual({ risk: -10, recovery: 10, as_of: NOW })
  expect(events[0]!.impact).toBe(0)
})

test('an empty log leaves what was carried, decayed', () => {
  const half_life = DEFAULT_SETTINGS.half_life_days * DAY_MS
  const carried = { risk: -40, recovery: 10, as_of: NOW - half_life }
  const start = { carried, firings: new Map([['rule_click', [NOW]]]) }
  const { state, events } = replay([], BOOK, DEFAULT_SETTINGS, NOW, start)
  expect(state).toEqual({ risk: -20, recovery: 5, as_of: NOW })
  expect(events).toEqual([])
})

test('a firing of a removed event cools also after an earlier event has fired', () => {
  const start = { carried: null, firings: new Map([['rule_click', [NOW - 2 * HOUR]]]) }
  const log = [entry('evt_a', NOW - 30 * HOUR), entry('evt_b', NOW)]
  const { events } = replay(log, BOOK, DEFAULT_SETTINGS, NOW, start)
  expect(events.map(event => event.impact)).toEqual([-23, -3])
})

test('an entry that was judged before is scored by the rules that were found to mean it', () => {
  const book = compileRules([
    { ...rule('rule_long', 'sim.clicked', -20), conditions: { raw: { contains: 'x' } } },
    rule('rule_other', 'sim.clicked', -3),
  ])
  const [long, other] = book.by_type.get('sim.clicked')!
  const log = [
    entry('evt_1', NOW - HOUR, { meant: [long!] }),
    entry('evt_2', NOW - HOUR, { meant: [] }),
    entry('evt_3', NOW - HOUR, { details: { raw: 'x' }, meant: [other!] }),
    entry('evt_4', NOW - HOUR, { details: { raw: 'x' } }),
  ]
  const { events } = replay(log, book, DEFAULT_SETTINGS, NOW, FRESH)
  expect(events.map(event => event.impact)).toEqual([-20, 0, -3, -23])
})
