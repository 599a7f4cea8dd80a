// All SQL of rules; the order of every list is the order of evaluation.
import type { Category } from '../../../scoring/rules.ts'
import type { Tx } from '../platform/database.ts'

export type RuleRow = {
  id: string
  name: string
  event_type: string
  category: Category
  impact: number
  cooldown: string
  conditions: Record<string, unknown>
  priority: number
  exclusive: boolean
  is_default: boolean
  status: 'active' | 'inactive'
  created_at: Date
}

function columns(tx: Tx) {
  return tx`rule_id AS id, name, event_type, category, impact, cooldown, conditions, priority, exclusive,
    is_default, status, created_at`
}

export async function insertRules(tx: Tx, tenant_id: string, rules: readonly RuleRow[]) {
  const column = <T>(read: (rule: RuleRow) => T): T[] => rules.map(read)
  await tx`INSERT INTO rules AS x (tenant_id, rule_id, name, event_type, category, impact, cooldown,
      conditions, priority, exclusive, is_default, status, created_at)
    SELECT tn.tenant_id, u.rule_id, u.name, u.event_type, u.category, u.impact, u.cooldown,
      u.conditions::jsonb, u.priority, u.exclusive, u.is_default, u.status, u.created_at
    FROM tenants tn, unnest(${column(r => r.id)}::text[], ${column(r => r.name)}::text[],
      ${column(r => r.event_type)}::text[], ${column(r => r.category)}::text[],
      ${column(r => r.impact)}::int[], ${column(r => r.cooldown)}::text[],
      ${column(r => JSON.stringify(r.conditions))}::text[], ${column(r => r.priority)}::int[],
      ${column(r => r.exclusive)}::boolean[], ${column(r => r.is_default)}::boolean[],
      ${column(r => r.status)}::text[], ${column(r => r.created_at)}::timestamptz[])
      AS u(rule_id, name, event_type, category, impact, cooldown, conditions, priority, exclusive,
        is_default, status, created_at)
    WHERE tn.tenant_id = ${tenant_id}`
}

export async function listActiveRules(tx: Tx, tenant_id: string): Promise<RuleRow[]> {
  return tx<RuleRow[]>`
    SELECT ${columns(tx)} FROM rules WHERE tenant_id = ${tenant_id} AND status = 'active'
    ORDER BY priority DESC, created_at, rule_id`
}

export type RuleFilter = { category?: string | undefined; status?: string | undefined }

export async function listRules(
  tx: Tx,
  tenant_id: string,
  filter: RuleFilter,
  { per_page, offset }: { per_page: number; offset: number },
): Promise<RuleRow[]> {
  const { category = null, status = null } = filter
  return tx<RuleRow[]>`
    SELECT ${columns(tx)} FROM rules WHERE tenant_id = ${tenant_id}
      AND (${category}::text IS NULL OR category = ${category})
      AND (${status}::text IS NULL OR status = ${status})
    ORDER BY priority DESC, created_at, rule_id LIMIT ${per_page} OFFSET ${offset}`
}

export async function countRules(tx: Tx, tenant_id: string, filter: RuleFilter): Promise<number> {
  const { category = null, status = null } = filter
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM rules WHERE tenant_id = ${tenant_id}
      AND (${category}::text IS NULL OR category = ${category})
      AND (${status}::text IS NULL OR status = ${status})`
  return row!.n
}

/** How many bytes the conditions of all rules take as JSON. */
export async function measureConditions(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT coalesce(sum(octet_length(conditions::text)), 0) AS n FROM rules WHERE tenant_id = ${tenant_id}`
  return row!.n
}

export async function findRule(tx: Tx, tenant_id: string, rule_id: string) {
  const [row] = await tx<RuleRow[]>`
    SELECT ${columns(tx)} FROM rules WHERE tenant_id = ${tenant_id} AND rule_id = ${rule_id}`
  return row
}

export async function lockRule(tx: Tx, tenant_id: string, rule_id: string) {
  const [row] = await tx<RuleRow[]>`
    SELECT ${columns(tx)} FROM rules WHERE tenant_id = ${tenant_id} AND rule_id = ${rule_id} FOR UPDATE`
  return row
}

/** Invariant: id, is_default and created_at of a rule never change. */
export async function updateRule(tx: Tx, tenant_id: string, rule: RuleRow): Promise<void> {
  await tx`UPDATE rules SET name = ${rule.name}, event_type = ${rule.event_type}, category = ${rule.category},
      impact = ${rule.impact}, cooldown = ${rule.cooldown},
      conditions = ${JSON.stringify(rule.conditions)}::text::jsonb,
      priority = ${rule.priority}, exclusive = ${rule.exclusive}, status = ${rule.status}
    WHERE tenant_id = ${tenant_id} AND rule_id = ${rule.id}`
}

export async function deleteRule(tx: Tx, tenant_id: string, rule_id: string): Promise<void> {
  await tx`DELETE FROM rules WHERE tenant_id = ${tenant_id} AND rule_id = ${rule_id}`
}

/** Every process that keeps compiled rules compares this number in the transaction that uses them. */
export async function raiseRulesVersion(tx: Tx, tenant_id: string): Promise<void> {
  await tx`UPDATE tenants SET rules_version = rules_version + 1 WHERE tenant_id = ${tenant_id}`
}
