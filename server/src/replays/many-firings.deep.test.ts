// Of somebody with very many firings no replay holds the process for long.
import { expect, it } from 'vitest'
import { type LogEntry, replay } from '../../../scoring/replay.ts'
import { compileRules, type Rule } from '../../../scoring/rules.ts'
import { DEFAULT_SETTINGS } from '../../../scoring/settings.ts'
import { MINUTE, SECOND } from '../platform/clock.ts'

const MANY = 10_000
const RULE: Rule = {
  id: 'rule_a',
  event_type: 'custom.x',
  impact: -1,
  cooldown: '5m',
  conditions: {},
  priority: 100,
  exclusive: false,
  status: 'active',
  created_at: 0,
}

it.each(['5m', '0h'])('beside ten thousand that are fixed, under a cooldown of %s', cooldown => {
  const log: LogEntry[] = Array.from({ length: MANY }, (_, i) => ({
    event_id: `evt_${i}`,
    type: 'custom.x',
    source: 'test',
    timestamp: 5 * i * MINUTE,
    received_at: 5 * i * MINUTE,
    details: {},
  }))
  const fixed = log.map(({ timestamp }) => timestamp + SECOND)
  const before = process.cpuUsage()
  const start = { carried: null, firings: new Map([['rule_a', fixed]]) }
  const book = compileRules([{ ...RULE, cooldown }])
  replay(log, book, DEFAULT_SETTINGS, 5 * MANY * MINUTE, start)
  const { user, system } = process.cpuUsage(before)
  // A tenth of this as a rule; when each event went through all of them it was six seconds.
  expect((user + system) / 1e6).toBeLessThan(1.5)
})
