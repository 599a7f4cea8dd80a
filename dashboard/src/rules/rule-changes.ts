// What differs between two drafts of a rule, and how one goes on when somebody else has saved meanwhile. Pure.
import { sameValue } from '../ui/changed-fields.ts'
import { type RuleDraft, readConditions, type WrittenRule, writeRule } from './rule-draft.ts'

type Part = keyof WrittenRule

/** The fields each part of a rule is typed into. */
const FIELDS: Record<Part, readonly (keyof RuleDraft)[]> = {
  name: ['name'],
  event_type: ['event_type'],
  category: ['category'],
  impact: ['impact'],
  cooldown: ['cooldown_count', 'cooldown_unit'],
  conditions: ['conditions'],
  priority: ['priority'],
  exclusive: ['exclusive'],
}
const PARTS = Object.keys(FIELDS) as Part[]

/** The parts in which they differ; the same conditions in another order or a longer form do not. */
export function changesOf(before: RuleDraft, after: RuleDraft): Part[] {
  const [was, is] = [writeRule(before).rule, writeRule(after).rule]
  // What is not whole yet cannot be compared, and is somebody's work all the same.
  const unfinished = readConditions(after.conditions).faults.length > 0
  return PARTS.filter(
    part => (part === 'conditions' && unfinished) || !sameValue(was[part], is[part]),
  )
}

/** What was changed stays as typed; the rest becomes what was saved. */
export function followSaved(draft: RuleDraft, before: RuleDraft, saved: RuleDraft): RuleDraft {
  const own = changesOf(before, draft)
  const theirs = changesOf(before, saved).filter(part => !own.includes(part))
  const fields = theirs.flatMap(part => FIELDS[part])
  return { ...draft, ...Object.fromEntries(fields.map(field => [field, saved[field]])) }
}
