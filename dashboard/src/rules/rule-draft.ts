// A rule while it is being written: fields as typed, what they would make, and what is wrong with them. Pure.
import { conditionsFaults } from '../../../scoring/conditions.ts'
import type { Fault } from '../../../scoring/faults.ts'
import { CATEGORIES, type Category, ruleFaults } from '../../../scoring/rules.ts'
import type { Rule } from '../generated/api.ts'
import {
  type ConditionRow,
  newRow,
  type RowFault,
  readRows,
  rowFaults,
  writeConditions,
} from './condition-rows.ts'
import { splitCooldown, type Unit } from './rule-words.ts'

export type ConditionsDraft =
  | { mode: 'rows'; rows: ConditionRow[] }
  | { mode: 'json'; text: string }

export type RuleDraft = {
  name: string
  event_type: string
  category: Category
  impact: number | string
  cooldown_count: number | string
  cooldown_unit: Unit
  priority: number | string
  exclusive: boolean
  conditions: ConditionsDraft
}

export type WrittenRule = Pick<
  Rule,
  | 'name'
  | 'event_type'
  | 'category'
  | 'impact'
  | 'cooldown'
  | 'conditions'
  | 'priority'
  | 'exclusive'
>

export function beginDraft(event_type = '', field = ''): RuleDraft {
  return {
    name: '',
    event_type,
    category: categoryOf(event_type) ?? 'email',
    impact: -10,
    cooldown_count: 24,
    cooldown_unit: 'h',
    priority: 100,
    exclusive: false,
    conditions: { mode: 'rows', rows: field ? [newRow(field)] : [] },
  }
}

export function draftOf(rule: Rule): RuleDraft {
  const { name, event_type, category, impact, priority, exclusive } = rule
  const { count, unit } = splitCooldown(rule.cooldown)
  return {
    name,
    event_type,
    category,
    impact,
    priority,
    exclusive,
    cooldown_count: count,
    cooldown_unit: unit,
    conditions: { mode: 'rows', rows: readRows(rule.conditions) },
  }
}

const PREFIXES: Record<string, Category> = {
  auth: 'identity',
  email: 'email',
  sim: 'email',
  endpoint: 'endpoint',
  training: 'training',
  recovery: 'training',
  custom: 'custom',
}

/** What a type of event usually belongs to; only `custom.` is a must. */
export function categoryOf(event_type: string): Category | undefined {
  return PREFIXES[event_type.split('.')[0]!]
}

/** The categories a type may have. */
export function categoriesOf(event_type: string): readonly Category[] {
  const own = event_type.startsWith('custom.')
  return CATEGORIES.filter(category => (category === 'custom') === own)
}

type ReadConditions = { conditions: Record<string, unknown>; faults: (Fault | RowFault)[] }

export function readConditions(draft: ConditionsDraft): ReadConditions {
  if (draft.mode === 'rows') {
    const faults = rowFaults(draft.rows)
    return { conditions: faults.length > 0 ? {} : writeConditions(draft.rows), faults }
  }
  try {
    return { conditions: JSON.parse(draft.text || '{}'), faults: [] }
  } catch {
    const message = 'is not JSON yet'
    return { conditions: {}, faults: [{ path: 'conditions', message }] }
  }
}

const whole = (typed: number | string): number => (typed === '' ? Number.NaN : Number(typed))

export function writeRule(draft: RuleDraft): {
  rule: WrittenRule
  faults: (Fault | RowFault)[]
} {
  const { conditions, faults } = readConditions(draft.conditions)
  const { category, exclusive } = draft
  const rule = {
    name: draft.name.trim(),
    event_type: draft.event_type.trim(),
    category,
    exclusive,
    conditions,
    impact: whole(draft.impact),
    cooldown: `${draft.cooldown_count === '' ? 0 : draft.cooldown_count}${draft.cooldown_unit}`,
    priority: whole(draft.priority),
  }
  return { rule, faults: [...faults, ...ruleFaults(rule)] }
}

/** What is wrong with the conditions alone. */
export function conditionsDraftFaults(draft: ConditionsDraft): (Fault | RowFault)[] {
  const { conditions, faults } = readConditions(draft)
  return [...faults, ...conditionsFaults(conditions)]
}
