// The summary: one line for each kind of fault, and what was wrong is never left out.
import { expect, test } from 'vitest'
import { showResults } from './report.ts'
import type { Outcome, Row } from './run-seeded.ts'

const row = (refused: number, recovered_ms: number | null): Row => {
  return { target: 'postgres', kind: 'kill', refused, unknown: 1, recovered_ms, note: '' }
}
const outcome: Outcome = {
  seed: 7,
  at: '2026-01-02T00:00:00.000Z',
  seconds: 500,
  capacity: 500,
  rate: 200,
  rows: [row(3, 120), row(4, 900)],
  counts: { ok: 10, refused: 7, unknown: 2, retried: 2, repeated: 1, checks: 5 },
  verdict: {
    events: 9,
    deliveries: 20,
    emptied_ms: 1500,
    faults: [],
    copies: { explained: [{ name: 'kill', copies: 2, in_flight: 4 }], faults: [] },
  },
  faults: [],
}
const kept = { at: outcome.at, machine: '', seconds: 500 }

test('the faults of a seed are one line for each kind', () => {
  const text = showResults({ seeded: { ...kept, result: outcome } })
  expect(text).toContain('### Faults by seed 7\n\n2026-01-02, 2 faults in 500 s.')
  expect(text).toContain('| postgres | kill | 2 | 7 | 2 | 900 |')
  expect(text).toContain('9 events, each once; 20 messages, all arrived, with 2 further copies')
  expect(text).toContain('is clean')
})

test('what was wrong is shown', () => {
  const wrong = { ...outcome, faults: ['event 3 was acknowledged, it is there 0 times'] }
  const text = showResults({ seeded: { ...kept, result: wrong } })
  expect(text).toContain('- event 3 was acknowledged, it is there 0 times')
  expect(text).not.toContain('is clean')
  const steps = [{ step: 'decay.found' as const, nth: 1, faults: ['lost'] }]
  expect(showResults({ steps: { ...kept, result: steps } })).toContain('- decay.found, 1: lost')
})

test('a planted bug that was not caught stands out', () => {
  const plants = [
    { plant: null, about: 'nothing is planted', faults: [], seconds: 1 },
    { plant: 'x', about: 'is wrong', faults: [], seconds: 1 },
  ]
  const text = showResults({ plants: { ...kept, result: plants } })
  expect(text).toContain('0 of 1 caught')
  expect(text).toContain('| x | is wrong | NOT CAUGHT |')
})
