// What a simulated company starts with: rules, policies, subscriptions and a few people.
import { DEFAULT_EDGES } from '../../../scoring/settings.ts'
import { between, pick, type Random } from '../../src/demo/random.ts'
import { newStanding, nextDueAt } from '../../src/employees/standing.ts'
import { dayOf, HOUR } from '../../src/platform/clock.ts'
import type { ScoringBasis } from '../../src/tenants/scoring-basis.ts'
import { EVENT_KINDS } from '../../src/webhooks/event-kinds.ts'
import type { Store } from './store.ts'

export type Stage = { tenant_id: string; emails: string[]; basis: ScoringBasis }

const RULES = [
  { event_type: 'custom.slip', impact: -15, cooldown: '0h' },
  { event_type: 'custom.breach', impact: -30, cooldown: '24h' },
  { event_type: 'custom.report', impact: 10, cooldown: '0h' },
  { event_type: 'custom.*', impact: -1, cooldown: '1h' },
  { event_type: 'recovery.clean_streak', impact: 4, cooldown: '0h' },
]

const POLICIES = [
  { trigger: { kind: 'band_entered', bands: ['red', 'critical'] }, requires_approval: false },
  {
    trigger: { kind: 'event', event_type: 'custom.breach', conditions: {} },
    requires_approval: true,
  },
  { trigger: { kind: 'score_drop', points: 20, within: '7d' }, requires_approval: false },
]

let worlds = 0

export function setStage(store: Store, random: Random, now: number): Stage {
  // Compiled rules and settings are kept by tenant for the life of a process.
  const tenant_id = `ten_simulated${++worlds}`
  const created_at = new Date(now)
  const clean_streak_days = between(random, 1, 3)
  const versions = { rules_version: 1, policies_version: 1, settings_version: 1, edges_version: 1 }
  const streak = { clean_streak_days, clean_streak_changed_at: null }
  const kept = { retention_months: 24, closing_to: null, created_at }
  const tenant = { tenant_id, ...versions, ...streak, ...kept }
  store.seed('tenants', tenant)
  const settings = {
    starting_score: 75,
    half_life_days: pick(random, [2, 7, 90]),
    recovery_cap: 25,
  }
  store.seed('scoring_settings', { settings_version: 1, ...settings, valid_from: created_at })
  store.seed('band_edges', { edges_version: 1, ...DEFAULT_EDGES, valid_from: created_at })
  addRulesAndPolicies(store, created_at)
  const basis: ScoringBasis = {
    ...tenant,
    edges: DEFAULT_EDGES,
    settingsOf: () => settings,
    edgesOf: () => DEFAULT_EDGES,
  }
  const emails = Array.from({ length: between(random, 2, 4) }, (_, i) => `p${i}@example.com`)
  emails.forEach((email, i) => {
    addPerson(store, basis, email, `emp_${i}`, now)
  })
  return { tenant_id, emails, basis }
}

function addRulesAndPolicies(store: Store, created_at: Date): void {
  RULES.forEach((rule, i) => {
    const row = { id: `rule_${i}`, rule_id: `rule_${i}`, ...rule, conditions: {}, created_at }
    store.seed('rules', { ...row, priority: 10 - i, exclusive: false, status: 'active' })
  })
  POLICIES.forEach((policy, i) => {
    const row = { id: `pol_${i}`, policy_id: `pol_${i}`, ...policy, quiet_for: '24h' }
    const rest = { department: null, type: 'webhook_only', parameters: {}, status: 'active' }
    store.seed('action_policies', { ...row, ...rest, name: 'Simulated' })
  })
  const events = [...EVENT_KINDS]
  store.seed('webhooks', { webhook_id: 'whk_on', events, status: 'enabled' })
  store.seed('webhooks', { webhook_id: 'whk_off', events: ['score.updated'], status: 'disabled' })
}

function addPerson(
  store: Store,
  basis: ScoringBasis,
  email: string,
  employee_id: string,
  now: number,
): void {
  const person = { employee_id, email, department: 'Sales' }
  const { standing, step } = newStanding(person, basis, now - HOUR, 'operator:test')
  const { state, carried: _, ...rest } = standing
  const at = (moment: number | null) => (moment === null ? null : new Date(moment))
  const created_at = new Date(standing.created_at)
  store.seed('employees', { employee_id, email, email_key: email, created_at })
  store.seed('employee_states', {
    ...rest,
    risk: state.risk,
    recovery: state.recovery,
    as_of: new Date(state.as_of),
    carried_risk: 0,
    carried_recovery: 0,
    carried_as_of: null,
    erased_at: null,
    next_change_at: at(standing.next_change_at),
    streak_due_at: at(standing.streak_due_at),
    next_due_at: at(nextDueAt(standing)),
  })
  store.seed('score_history', { ...step, at: new Date(step.at) })
  const { status, department, band, score } = standing
  const cell = { day: dayOf(step.at), status, department, band, score, slot: -1 }
  const people = (store.find('score_counts', store.keyOf('score_counts', cell))?.people ?? 0) + 1
  store.seed('score_counts', { ...cell, people })
}
