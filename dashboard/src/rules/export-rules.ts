// The rules that are shown, as CSV.
import { printCsv, saveFile } from '../ui/csv.ts'
import { sayRule } from './rule-words.ts'
import type { RuleRow } from './rules-page.tsx'

const HEAD = [
  'id',
  'name',
  'sentence',
  'event_type',
  'category',
  'impact',
  'cooldown',
  'conditions',
  'priority',
  'exclusive',
  'status',
  'is_default',
  'fired_30d',
  'people_30d',
  'effect_30d',
]

export function exportRules(rows: readonly RuleRow[]): void {
  const lines = rows.map(({ rule, fired, people, effect }) => [
    ...[rule.id, rule.name, sayRule(rule), rule.event_type, rule.category, rule.impact],
    ...[rule.cooldown, JSON.stringify(rule.conditions), rule.priority, rule.exclusive],
    ...[rule.status, rule.is_default, fired, people, effect],
  ])
  saveFile('rules.csv', printCsv(HEAD, lines))
}
