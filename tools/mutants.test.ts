// The report on mutants counts rightly and names what is alive.
import { expect, test } from 'vitest'
import { printSurvivors, scoreOf } from './mutants.ts'

const mutant = (status: string, line = 1) => {
  return {
    mutatorName: 'EqualityOperator',
    status,
    replacement: 'a <= b',
    location: { start: { line } },
  }
}

test('timeouts are noticed, what no test reaches is alive, what was ignored does not count', () => {
  const list = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored'].map(status =>
    mutant(status),
  )
  expect(scoreOf(list)).toEqual({ noticed: 2, all: 4, score: 50 })
  expect(scoreOf([]).score).toBe(100)
})

test('every survivor is listed with its line, before and after', () => {
  const source = 'first\n  return a < b\n'
  const files = {
    'scoring/x.ts': { source, mutants: [mutant('Killed'), mutant('Survived', 2)] },
    'scoring/a.ts': { source, mutants: [mutant('Killed')] },
  }
  const page = printSurvivors({ files }, '2026-03-02')
  expect(page).toContain('2 of 3 changes (66.7 %)')
  expect(page).toContain('- line 2, EqualityOperator: `return a < b` → `a <= b`')
  expect(page.indexOf('scoring/a.ts')).toBeLessThan(page.indexOf('scoring/x.ts'))
  expect(page).not.toContain('### `scoring/a.ts`')
})
