// The newest entry of a tenant's audit log, with what it says.
import type { Service, Tenant } from './service.ts'

export async function lastAudit({ context }: Service, { tenant_id }: Tenant) {
  const [row] = await context.db.inTenant(
    tenant_id,
    tx => tx`SELECT e.action, e.actor_id, e.subject_id, v.content FROM audit_entries e
      JOIN audit_values v ON v.tenant_id = e.tenant_id AND v.seq = e.seq
      WHERE e.tenant_id = ${tenant_id} AND v.tenant_id = ${tenant_id} ORDER BY e.seq DESC LIMIT 1`,
  )
  const { content, ...entry } = row!
  return { ...entry, ...JSON.parse(content) }
}
