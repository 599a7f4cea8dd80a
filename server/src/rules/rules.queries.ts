// All SQL of rules; the order of every list is the order of evaluation.
import type { Category } from '../../../scoring/rules.ts'
import type { Tx } from '../platform/database.ts'

export type RuleRow = {
  rule_id: string
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

export async function insertRules(tx: Tx, tenant_id: string, rules: readonly RuleRow[]) {
  const column = <T>(read: (rule: RuleRow) => T): T[] => rules.map(read)
  await tx`INSERT INTO rules AS x (tenant_id, rule_id, name, event_type, category, impact, cooldown,
      conditions, priority, exclusive, is_default, status, created_at)
    SELECT tn.tenant_id, u.rule_id, u.name, u.event_type, u.category, u.impact, u.cooldown,
      u.conditions::jsonb, u.priority, u.exclusive, u.is_default, u.status, u.created_at
    FROM tenants tn, unnest(${column(r => r.rule_id)}::text[], ${column(r => r.name)}::text[],
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
    SELECT rule_id, name, event_type, category, impact, cooldown, conditions, priority, exclusive,
      is_default, status, created_at
    FROM rules WHERE tenant_id = ${tenant_id} AND status = 'active'
    ORDER BY priority DESC, created_at, rule_id`
}
