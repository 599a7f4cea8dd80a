// Creating, changing and deleting rules: each raises the rules version, so the next event sees it.
import { isDeepStrictEqual } from 'node:util'
import { ruleFaults } from '../../../scoring/rules.ts'
import { requireScopeStill } from '../access/judge-originator.ts'
import type { Asked } from '../accounts/identity.ts'
import { type AuditedChange, recordAudit } from '../audit/record-audit.ts'
import type { Tx } from '../platform/database.ts'
import { ApiError, conflict, invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { lockTenant } from '../tenants/tenants.queries.ts'
import {
  countRules,
  deleteRule,
  insertRules,
  lockRule,
  measureConditions,
  type RuleRow,
  raiseRulesVersion,
  updateRule,
} from './rules.queries.ts'
import type { NewRuleInput, RuleChangeInput } from './rules.schema.ts'

/** Every event is judged by the rules of its type, so what they may cost together is bounded. */
export const MOST_RULES = 1000
/** They are read and compiled together after every change, so their conditions are bounded as a whole. */
const MOST_CONDITIONS = 4 * 1024 * 1024
export const TOO_LARGE =
  'the conditions of all rules take at most 4 MiB as JSON; shorten some or delete a rule first'

export async function createRule(tx: Tx, asked: Asked, input: NewRuleInput): Promise<RuleRow> {
  const { tenant_id, now } = asked
  const { name, event_type, category, impact } = input
  const { cooldown = '0h', conditions = {}, priority = 100, exclusive = false } = input
  const rule: RuleRow = {
    id: newId('rule', now),
    name,
    event_type,
    category,
    impact,
    cooldown,
    conditions,
    priority,
    exclusive,
    is_default: false,
    status: 'active',
    created_at: new Date(now),
  }
  checkRule(rule)
  // Invariant: the tenant's row is held until commit, so that two of them cannot both be the last.
  await lockTenant(tx, tenant_id)
  await requireScopeStill(tx, asked, 'rules:write')
  if ((await countRules(tx, tenant_id, {})) >= MOST_RULES) {
    throw conflict(`a tenant has at most ${MOST_RULES} rules; delete one first`)
  }
  await insertRules(tx, tenant_id, [rule])
  await settleChange(tx, asked, rule.id, { action: 'rule.created', after: rule })
  if (isLarger(rule)) await boundConditions(tx, tenant_id)
  return rule
}

/** What is not given stays; a change to what is there already is none. */
export async function changeRule(
  tx: Tx,
  asked: Asked,
  rule_id: string,
  change: RuleChangeInput,
): Promise<RuleRow> {
  const { tenant_id } = asked
  const before = await lockRule(tx, tenant_id, rule_id)
  await requireScopeStill(tx, asked, 'rules:write')
  if (!before) throw notFound('rule')
  const after: RuleRow = { ...before, ...change }
  checkRule(after)
  if (isDeepStrictEqual(before, after)) return before
  await updateRule(tx, tenant_id, after)
  const names = (Object.keys(change) as (keyof RuleChangeInput)[]).filter(
    name => !isDeepStrictEqual(before[name], after[name]),
  )
  await settleChange(tx, asked, rule_id, {
    action: 'rule.updated',
    before: pick(before, names),
    after: pick(after, names),
  })
  if (isLarger(after, before)) await boundConditions(tx, tenant_id)
  return after
}

/** Shares it gave stay as recorded: what they say of the past remains true. */
export async function removeRule(tx: Tx, asked: Asked, rule_id: string): Promise<void> {
  const { tenant_id } = asked
  const before = await lockRule(tx, tenant_id, rule_id)
  await requireScopeStill(tx, asked, 'rules:write')
  if (!before) throw notFound('rule')
  if (before.is_default) {
    throw new ApiError(
      'DEFAULT_RULE',
      'a default rule cannot be deleted; deactivate it instead with PATCH and status inactive',
    )
  }
  await deleteRule(tx, tenant_id, rule_id)
  await settleChange(tx, asked, rule_id, { action: 'rule.deleted', before })
}

function isLarger({ conditions }: RuleRow, before?: RuleRow): boolean {
  return JSON.stringify(conditions).length > JSON.stringify(before?.conditions ?? {}).length
}

/** Invariant: the tenant's row is held by now, so that no other change is under way. */
async function boundConditions(tx: Tx, tenant_id: string): Promise<void> {
  if ((await measureConditions(tx, tenant_id)) > MOST_CONDITIONS) throw conflict(TOO_LARGE)
}

function checkRule(rule: RuleRow): void {
  const faults = ruleFaults(rule)
  if (faults.length > 0) throw invalid(faults)
}

/** Invariant: the lock of the rule's row is held; the tenant's row and the audit log come after it. */
async function settleChange(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  rule_id: string,
  change: Pick<AuditedChange, 'action' | 'before' | 'after'>,
): Promise<void> {
  await raiseRulesVersion(tx, tenant_id)
  await recordAudit(tx, tenant_id, now, origin, [
    { ...change, subject_kind: 'rule', subject_id: rule_id },
  ])
}

function pick(rule: RuleRow, names: readonly (keyof RuleRow)[]): Partial<RuleRow> {
  return Object.fromEntries(names.map(name => [name, rule[name]]))
}
