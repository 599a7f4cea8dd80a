// What a rule did lately is said exactly where all of it was counted, and not as if it were where it was not.
import { expect, test } from 'vitest'
import { NONE, sayActivity, sayFired, sumEffects } from './rule-activity.ts'
import { RULE_CSV, type RuleRow } from './rule-csv.ts'

const few = { fired: 3, people: 1, effect: -30, more: false }
const many = { fired: 10_000, people: 812, effect: -20_000, more: true }
const written = (did: RuleRow['did']) => {
  const row = { did } as RuleRow
  return [RULE_CSV.fired_30d!(row), RULE_CSV.people_30d!(row), RULE_CSV.effect_30d!(row)]
}

test('all of it counted', () => {
  expect(sayActivity(few)).toBe('fired 3 times on 1 person in 30 days, −30 in all')
  expect(sayActivity(NONE)).toBe('not fired in 30 days')
  expect(sumEffects([few, NONE])).toBe(-30)
  expect(written(few)).toEqual([3, 1, -30])
})

test('only the latest of it counted', () => {
  expect(sayActivity(many)).toBe(
    'fired 10,000 times or more in 30 days, the latest 10,000 on 812 people, −20,000 in all',
  )
  expect(sayFired(many)).toBe('10,000+')
  expect(sumEffects([few, many])).toBeNull()
  expect(written(many)).toEqual(['10000+', undefined, undefined])
})
