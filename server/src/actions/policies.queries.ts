// SQL of action policies.
import type { Tx } from '../platform/database.ts'
import type { Policy } from './policy.ts'

export type PolicyRow = Policy & {
  status: 'active' | 'inactive'
  created_by: string
  created_at: Date
  updated_at: Date
}

function columns(tx: Tx) {
  return tx`policy_id AS id, name, status, trigger, department, type, parameters, requires_approval, quiet_for,
    created_by, created_at, updated_at`
}

export async function insertPolicies(tx: Tx, tenant_id: string, rows: readonly PolicyRow[]) {
  const column = <T>(read: (row: PolicyRow) => T): T[] => rows.map(read)
  await tx`INSERT INTO action_policies AS x (tenant_id, policy_id, name, status, trigger, department, type,
      parameters, requires_approval, quiet_for, created_by, created_at, updated_at)
    SELECT tn.tenant_id, u.policy_id, u.name, u.status, u.trigger::jsonb, u.department, u.type,
      u.parameters::jsonb, u.requires_approval, u.quiet_for, u.created_by, u.created_at, u.updated_at
    FROM tenants tn, unnest(${column(r => r.id)}::text[], ${column(r => r.name)}::text[],
      ${column(r => r.status)}::text[], ${column(r => JSON.stringify(r.trigger))}::text[],
      ${column(r => r.department)}::text[], ${column(r => r.type)}::text[],
      ${column(r => JSON.stringify(r.parameters))}::text[], ${column(r => r.requires_approval)}::boolean[],
      ${column(r => r.quiet_for)}::text[], ${column(r => r.created_by)}::text[],
      ${column(r => r.created_at)}::timestamptz[], ${column(r => r.updated_at)}::timestamptz[])
      AS u(policy_id, name, status, trigger, department, type, parameters, requires_approval, quiet_for,
        created_by, created_at, updated_at)
    WHERE tn.tenant_id = ${tenant_id}`
}

export async function listPolicies(tx: Tx, tenant_id: string): Promise<PolicyRow[]> {
  return tx<PolicyRow[]>`
    SELECT ${columns(tx)} FROM action_policies WHERE tenant_id = ${tenant_id} ORDER BY policy_id`
}

export async function lockPolicy(tx: Tx, tenant_id: string, policy_id: string) {
  const [row] = await tx<PolicyRow[]>`
    SELECT ${columns(tx)} FROM action_policies
    WHERE tenant_id = ${tenant_id} AND policy_id = ${policy_id} FOR UPDATE`
  return row
}

/** Invariant: the caller holds the row. */
export async function updatePolicy(tx: Tx, tenant_id: string, row: PolicyRow): Promise<void> {
  await tx`UPDATE action_policies SET name = ${row.name}, status = ${row.status},
      trigger = ${JSON.stringify(row.trigger)}::text::jsonb, department = ${row.department}, type = ${row.type},
      parameters = ${JSON.stringify(row.parameters)}::text::jsonb, requires_approval = ${row.requires_approval},
      quiet_for = ${row.quiet_for}, updated_at = ${row.updated_at}
    WHERE tenant_id = ${tenant_id} AND policy_id = ${row.id}`
}

export async function deletePolicy(tx: Tx, tenant_id: string, policy_id: string): Promise<void> {
  await tx`DELETE FROM action_policies WHERE tenant_id = ${tenant_id} AND policy_id = ${policy_id}`
}

export async function countPolicies(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM action_policies WHERE tenant_id = ${tenant_id}`
  return row!.n
}

/** Every process that keeps compiled policies compares this number in the transaction that uses them. */
export async function raisePoliciesVersion(tx: Tx, tenant_id: string): Promise<void> {
  await tx`UPDATE tenants SET policies_version = policies_version + 1 WHERE tenant_id = ${tenant_id}`
}
