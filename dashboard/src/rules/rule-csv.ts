// A rule with what it did lately, and rules as lines of a file.
import type { Rule } from '../generated/api.ts'
import type { CsvColumns } from '../ui/csv-button.tsx'
import type { Activity } from './rule-activity.ts'
import { sayRule } from './rule-words.ts'

export type RuleRow = {
  rule: Rule
  /** Undefined until it is known. */
  did: Activity | undefined
}

/** Of what was not counted to its end a file has no figures. */
const counted = ({ did }: RuleRow) => (did?.more ? undefined : did)

export const RULE_CSV: CsvColumns<RuleRow> = {
  id: ({ rule }) => rule.id,
  name: ({ rule }) => rule.name,
  sentence: ({ rule }) => sayRule(rule),
  event_type: ({ rule }) => rule.event_type,
  category: ({ rule }) => rule.category,
  impact: ({ rule }) => rule.impact,
  cooldown: ({ rule }) => rule.cooldown,
  conditions: ({ rule }) => JSON.stringify(rule.conditions),
  priority: ({ rule }) => rule.priority,
  exclusive: ({ rule }) => rule.exclusive,
  status: ({ rule }) => rule.status,
  is_default: ({ rule }) => rule.is_default,
  fired_30d: ({ did }) => (did?.more ? `${did.fired}+` : did?.fired),
  people_30d: row => counted(row)?.people,
  effect_30d: row => counted(row)?.effect,
}
