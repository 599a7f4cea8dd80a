// The audit log in the dashboard: the whole of it as a file, and the verdict on it.
import { describe, expect, it } from 'vitest'
import { signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { requireReaderStill } from '../access/judge-originator.ts'
import { asOperator } from '../accounts/identity.ts'
import { changeMember } from '../accounts/manage-members.ts'
import type { Tx } from '../platform/database.ts'
import { findHead } from './audit.queries.ts'
import { exportAudit } from './read-audit.ts'
import { proveAudit } from './verify-audit.ts'

const service = await startService()
const { context } = service
const RULE = { name: 'R', event_type: 'custom.x', category: 'custom', impact: -1 }

async function busyTenant() {
  const tenant = await service.tenant()
  for (let i = 0; i < 5; i++) await tenant.call('POST', '/v1/rules', RULE)
  return tenant
}

describe('in the dashboard', () => {
  it('200: the whole log as a file, and the verdict on it', async () => {
    const tenant = await busyTenant()
    const desk = await signIn(service, tenant.tenant_id, 'admin')
    const file = await desk.call('GET', '/admin/audit/export')
    expect(file.headers['content-type']).toBe('application/x-ndjson')
    expect(file.headers['content-disposition']).toMatch(/^attachment; filename="audit-/)
    const seqs = (file.body as string)
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).seq)
    expect(seqs).toEqual(seqs.map((_, i) => i + 1))
    const { body } = await desk.call('GET', '/admin/audit/verdict')
    // As `audit verify --head` takes it.
    const last = await context.db.inTenant(tenant.tenant_id, tx => findHead(tx, tenant.tenant_id))
    const head = `${seqs.length}:${last!.hash.toString('hex')}`
    expect(body).toEqual({ entries: seqs.length, valid: true, fault: null, head })
    await context.db.inTenant(
      tenant.tenant_id,
      tx =>
        tx`UPDATE audit_entries SET action = 'x' WHERE tenant_id = ${tenant.tenant_id} AND seq = 4`,
    )
    const later = await desk.call('GET', '/admin/audit/verdict')
    expect(later.body).toMatchObject({ valid: false, fault: 'entry 4 was changed' })
  })

  it('ends where whoever takes it slowly has lost the right, and with the last entry there was', async () => {
    const tenant = await service.tenant()
    const { tenant_id } = tenant
    const { user_id } = await signIn(service, tenant_id, 'admin')
    const rules = Array.from({ length: 8 }, () => tenant.call('POST', '/v1/rules', RULE))
    await Promise.all(rules)
    const actor = { kind: 'user', id: user_id } as const
    const still = (tx: Tx) =>
      requireReaderStill(tx, tenant_id, actor, 'audit:read', context.clock.now())
    const all = await Array.fromAsync(exportAudit(context, tenant_id, still, 4))
    const [kept, lost] = [1, 2].map(() => exportAudit(context, tenant_id, still, 4))
    await Promise.all([kept!.next(), lost!.next()])
    await tenant.call('POST', '/v1/rules', RULE)
    expect(await Array.fromAsync(kept!)).toEqual(all.slice(1))
    await asOperator(context, tenant_id, changeMember, user_id, { role: 'viewer' })
    const got: string[] = []
    const rest = (async () => {
      for await (const line of lost!) got.push(line)
    })()
    await expect(rest).rejects.toMatchObject({ status: 403 })
    expect(got).toEqual(all.slice(1, 4))
  })

  it('403 for an analyst, 401 for a key', async () => {
    const tenant = await service.tenant()
    const analyst = await signIn(service, tenant.tenant_id, 'analyst')
    for (const path of ['/admin/audit/export', '/admin/audit/verdict']) {
      expect((await analyst.call('GET', path)).status).toBe(403)
      expect((await tenant.call('GET', path)).status).toBe(401)
    }
  })
})

it('logs are read one piece at a time, however many ask: the other connections are for others', async () => {
  const { tenant_id } = await busyTenant()
  let [inside, most] = [0, 0]
  const counted = async <T>(id: string, work: (tx: Tx) => Promise<T>) => {
    most = Math.max(most, ++inside)
    return context.db.inTenant(id, work).finally(() => inside--)
  }
  const own = { ...context, db: { ...context.db, inTenant: counted, readTenant: counted } }
  const asked = Array.from({ length: 10 }, async (_, i) => {
    if (i % 2 === 0) return (await proveAudit(own, tenant_id, null)).verdict.entries
    return (await Array.fromAsync(exportAudit(own, tenant_id))).length
  })
  expect(new Set(await Promise.all(asked)).size).toBe(1)
  expect(most).toBe(1)
})

it('a proof ends with whoever asked for it', async () => {
  const { tenant_id } = await busyTenant()
  const gone = proveAudit(context, tenant_id, null, () => false)
  await expect(gone).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})
