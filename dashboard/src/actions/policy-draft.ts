// A policy while it is being written: every kind of trigger keeps its own fields, so switching loses nothing. Pure.
import { readRows } from '../rules/condition-rows.ts'
import { type ConditionsDraft, conditionsDraftFaults, readConditions } from '../rules/rule-draft.ts'
import type { Band } from '../ui/bands.ts'
import { changedFields } from '../ui/changed-fields.ts'
import type { ActionType } from './action-words.ts'
import type { Policy, PolicyInput, Trigger } from './policy.ts'

export type PolicyDraft = {
  name: string
  kind: Trigger['kind']
  bands: Band[]
  event_type: string
  conditions: ConditionsDraft
  points: number | string
  within: string
  department: string | null
  type: ActionType
  course: string
  message: string
  requires_approval: boolean
  quiet_for: string
  /** What the fields here do not show is kept as it is. */
  other: Record<string, unknown>
}

export function beginPolicy(): PolicyDraft {
  return {
    name: '',
    kind: 'band_entered',
    bands: ['critical'],
    event_type: '',
    conditions: { mode: 'rows', rows: [] },
    points: 20,
    within: '7d',
    department: null,
    type: 'notify_manager',
    course: '',
    message: '',
    requires_approval: false,
    quiet_for: '24h',
    other: {},
  }
}

const asText = (value: unknown) => (typeof value === 'string' ? value : '')

export function draftPolicy(policy: Policy): PolicyDraft {
  const { name, trigger, department, type, parameters, requires_approval, quiet_for } = policy
  const { course, message, ...other } = parameters
  const draft = {
    ...beginPolicy(),
    name,
    kind: trigger.kind,
    department,
    type,
    requires_approval,
    quiet_for,
    other,
    course: asText(course),
    message: asText(message),
  }
  if (trigger.kind === 'band_entered') return { ...draft, bands: trigger.bands }
  if (trigger.kind === 'score_drop') {
    return { ...draft, points: trigger.points, within: trigger.within }
  }
  const rows = readRows(trigger.conditions ?? {})
  return { ...draft, event_type: trigger.event_type, conditions: { mode: 'rows', rows } }
}

export function writePolicy(draft: PolicyDraft): PolicyInput {
  const { name, department, type, course, message, requires_approval, quiet_for, other } = draft
  const parameters = {
    ...other,
    ...(type === 'assign_training' ? { course } : {}),
    ...(message.trim() === '' ? {} : { message }),
  }
  return {
    name,
    trigger: writeTrigger(draft),
    department,
    type,
    parameters,
    requires_approval,
    quiet_for,
  }
}

/** What a change sends. With another type its own approval is meant, which the server would otherwise choose. */
export function policyChanges(begun: PolicyDraft, draft: PolicyDraft): Partial<PolicyInput> {
  const input = writePolicy(draft)
  const changes = changedFields(writePolicy(begun), input)
  const { parameters, requires_approval } = input
  return changes.type ? { ...changes, parameters, requires_approval } : changes
}

function writeTrigger(draft: PolicyDraft): Trigger {
  if (draft.kind === 'band_entered') return { kind: draft.kind, bands: draft.bands }
  if (draft.kind === 'score_drop') {
    return { kind: draft.kind, points: Number(draft.points), within: draft.within }
  }
  const { conditions } = readConditions(draft.conditions)
  return { kind: draft.kind, event_type: draft.event_type, conditions }
}

export function isReady(draft: PolicyDraft): boolean {
  if (draft.name.trim() === '') return false
  if (draft.type === 'assign_training' && draft.course.trim() === '') return false
  if (draft.kind === 'band_entered') return draft.bands.length > 0
  if (draft.kind === 'score_drop') return Number(draft.points) >= 1
  return draft.event_type !== '' && conditionsDraftFaults(draft.conditions).length === 0
}
