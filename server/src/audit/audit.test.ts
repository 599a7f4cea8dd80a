// The audit log: what it records, and that every kind of tampering shows.
import { describe, expect, it } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { seeWaiting } from '../../test/locks.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { operatorOrigin } from '../platform/actor.ts'
import type { Tx } from '../platform/database.ts'
import { countEntries, findHead, listEntries } from './audit.queries.ts'
import { AuditEntry } from './audit.schema.ts'
import { hashEntry, hashGenesis, hashValues } from './audit-chain.ts'
import { exportAudit } from './read-audit.ts'
import { recordAudit } from './record-audit.ts'
import { verifyAudit } from './verify-audit.ts'

const service = await startService()
const { context } = service
const RULE = { name: 'R', event_type: 'custom.x', category: 'custom', impact: -1 }

async function busyTenant() {
  const tenant = await service.tenant()
  for (let i = 0; i < 5; i++) {
    const { body } = await tenant.call('POST', '/v1/rules', RULE)
    await tenant.call('PATCH', `/v1/rules/${body.id}`, { impact: -2 - i })
  }
  return tenant
}

async function hire(tenant: Tenant, email = 'ada@example.com'): Promise<string> {
  const person = { email, first_name: 'Ada', last_name: 'L' }
  return (await tenant.call('POST', '/v1/employees', person)).body.id
}

const verify = (tenant: Tenant, known = null as Parameters<typeof verifyAudit>[2]) =>
  verifyAudit(context, tenant.tenant_id, known)

describe('200', () => {
  it('is verified and exported a hundred entries at a time, as their values may be long', async () => {
    const { tenant_id } = await service.tenant()
    const subject = { subject_kind: 'rule', subject_id: 'rule_x' }
    const changes = Array.from({ length: 250 }, () => ({ action: 'rule.changed', ...subject }))
    await context.db.inTenant(tenant_id, tx =>
      recordAudit(tx, tenant_id, service.clock.now(), operatorOrigin(), changes),
    )
    const sizes: number[] = []
    const note = <T>(found: T): T => {
      sizes.push(((found as { entries?: unknown[] }).entries ?? (found as unknown[])).length)
      return found
    }
    const db: typeof context.db = {
      ...context.db,
      inTenant: async (id, work) => note(await context.db.inTenant(id, work)),
      readTenant: async (id, work) => note(await context.db.readTenant(id, work)),
    }
    const verdict = await verifyAudit({ ...context, db }, tenant_id, null)
    expect(verdict).toMatchObject({ valid: true })
    const lines = await Array.fromAsync(exportAudit({ ...context, db }, tenant_id))
    expect(lines).toHaveLength(verdict.entries)
    expect(Math.max(...sizes)).toBe(100)
  })

  it('GET /v1/audit shows who did what, with before and after, newest first, by filter', async () => {
    const tenant = await busyTenant()
    const { body } = await tenant.call('GET', '/v1/audit?action=rule.created')
    expect(body.pagination.total).toBe(5)
    const all = await tenant.call('GET', '/v1/audit?per_page=100')
    const seqs = all.body.data.map((one: any) => one.seq)
    expect(seqs).toEqual([...seqs].sort((a, b) => b - a))
    const changed = all.body.data[0]
    expect(changed).toMatchObject({
      actor: { kind: 'key', id: tenant.key_id },
      subject: { kind: 'rule' },
      before: { impact: -1 },
      after: { impact: -6 },
      erased: false,
    })
    expect(changed.request_id).toMatch(/^req_/)
    const one = await tenant.call('GET', `/v1/audit?subject_id=${changed.subject.id}`)
    expect(one.body.pagination.total).toBe(2)
    expect((await tenant.call('GET', '/v1/audit?to=2020-01-01')).body.data).toEqual([])
  })

  it('tells how many there are without reading them, and reads the values of its page alone', async () => {
    const { tenant_id } = await busyTenant()
    const subject = { subject_kind: 'rule', subject_id: 'rule_x' }
    const changes = Array.from({ length: 200 }, () => ({ action: 'rule.changed', ...subject }))
    const now = service.clock.now()
    const filter = { actor_id: null, action: null, subject_id: null, from: null, to: null }
    await context.db.inTenant(tenant_id, tx =>
      recordAudit(tx, tenant_id, now, operatorOrigin(), changes),
    )
    await context.db.sql`ANALYZE audit_entries, audit_values`
    await context.db.inTenant(tenant_id, async tx => {
      const untouched = await countRead(tx, 'audit_entries')
      const total = await countEntries(tx, tenant_id, filter)
      expect(await countRead(tx, 'audit_entries')).toBe(untouched)
      expect(total).toBe(await countEntries(tx, tenant_id, { ...filter, from: new Date(0) }))
      for (const sort of ['at', 'action', 'actor_id', 'subject_id'] as const) {
        const page = { per_page: 1, offset: 100 }
        const before = await countRead(tx, 'audit_values')
        await listEntries(tx, tenant_id, filter, { sort, order: 'asc' }, page)
        expect((await countRead(tx, 'audit_values')) - before, sort).toBeLessThanOrEqual(2)
      }
    })
  })

  it('lists leave out values longer than 4 KB and say so, an entry by its number has them', async () => {
    const tenant = await service.tenant()
    const longer = (by: number) => ({
      conditions: { user: Array.from({ length: 40 + by }, (_, i) => `${i}`.padStart(100, 'x')) },
    })
    const { body: rule } = await tenant.call('POST', '/v1/rules', { ...RULE, ...longer(0) })
    for (let by = 1; by < 10; by++) {
      await tenant.call('PATCH', `/v1/rules/${rule.id}`, longer(by))
    }
    const page = await tenant.call('GET', '/v1/audit?per_page=100')
    expect(JSON.stringify(page.body).length).toBeLessThan(10_000)
    const [cut] = page.body.data
    const left = { before: null, after: null, truncated: true, erased: false }
    expect(cut).toMatchObject({ action: 'rule.updated', address: '127.0.0.1', ...left })
    expect(page.body.data.at(-1)).toMatchObject({ after: { plan: 'enterprise' }, truncated: false })
    const whole = await tenant.call('GET', `/v1/audit/${cut.seq}`)
    expect(whole).toMatchObject({
      status: 200,
      body: {
        ...cut,
        before: longer(8),
        after: longer(9),
        truncated: false,
      },
    })
    const lines = await Array.fromAsync(exportAudit(context, tenant.tenant_id))
    expect(JSON.parse(lines.at(-1)!)).toEqual(whole.body)
  })

  it('404 for an entry that there is none of, 403 without audit:read', async () => {
    const tenant = await busyTenant()
    for (const seq of ['0', '99', '-1', '1e3', '01', 'x', '9'.repeat(30)]) {
      expect((await tenant.call('GET', `/v1/audit/${seq}`)).status, seq).toBe(404)
    }
    const other = await tenant.as('rules:read')
    expect((await other('GET', '/v1/audit/1')).status).toBe(403)
  })

  it('finds a change by the action that the API document gives as its example', async () => {
    const tenant = await busyTenant()
    const [example] = (AuditEntry as unknown as { examples: { action: string }[] }).examples
    const { body } = await tenant.call('GET', `/v1/audit?action=${example!.action}`)
    expect(body.pagination.total).toBe(5)
  })
})

describe('the chain', () => {
  it('is proven piece by piece, also while it grows', async () => {
    const tenant = await service.tenant()
    const add = (count: number) =>
      context.db.inTenant(tenant.tenant_id, tx =>
        recordAudit(
          tx,
          tenant.tenant_id,
          service.clock.now(),
          operatorOrigin(),
          Array.from({ length: count }, (_, i) => ({
            action: 'rule.created',
            subject_kind: 'rule',
            subject_id: `rule_${i}`,
          })),
        ),
      )
    await add(2_000)
    let pictures = 0
    const readTenant: typeof context.db.readTenant = async (...asked) => {
      const piece = await context.db.readTenant(...asked)
      pictures += 1
      if (pictures < 3) await add(1)
      return piece
    }
    const growing = { ...context, db: { ...context.db, readTenant } }
    const { entries, valid } = await verifyAudit(growing, tenant.tenant_id, null)
    expect({ entries, valid, pictures }).toEqual({
      entries: (await verify(tenant)).entries,
      valid: true,
      pictures: 21,
    })
  })

  it('holds while parallel changes write to it, and after values were erased', async () => {
    const tenant = await service.tenant()
    await Promise.all(Array.from({ length: 20 }, () => tenant.call('POST', '/v1/rules', RULE)))
    const before = await verify(tenant)
    expect(before).toEqual({
      tenant_id: tenant.tenant_id,
      entries: expect.any(Number),
      valid: true,
    })
    expect(before.entries).toBeGreaterThanOrEqual(22)
    const id = await hire(tenant)
    await tenant.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
    expect((await verify(tenant)).valid).toBe(true)
    const { body } = await tenant.call('GET', `/v1/audit?subject_id=${id}&action=employee.created`)
    expect(body.data[0]).toMatchObject({ erased: true, before: null, after: null })
  })

  it('hashes an entry as it always has', () => {
    const entry = {
      seq: 7,
      at: new Date('2026-03-02T09:00:00.123Z'),
      actor_kind: 'key',
      actor_id: 'key_1',
      action: 'employee.updated',
      subject_kind: 'employee',
      subject_id: 'emp_1',
      employee_id: 'emp_1',
      request_id: 'req_1',
      values_hash: hashValues(Buffer.alloc(16, 1), '{"before":null,"after":{"title":"Clerk"}}'),
    }
    const first = hashGenesis('ten_1')
    expect(first.toString('hex')).toBe(
      'e060401a1bf56fb655c8e83dda1f9277cac673d6461cd2f8d213ea292e6541c9',
    )
    expect(entry.values_hash.toString('hex')).toBe(
      '1a00e76c43a8ce3a06210b0d5d78104a498c79c310be78f016f6d102404c3945',
    )
    expect(hashEntry(first, entry).toString('hex')).toBe(
      '7f4a1e7b17fb3eb7047c9e898ad579bbef8ac24289f79c547aa9beb534f213b5',
    )
    expect(hashEntry(first, { ...entry, employee_id: null }).toString('hex')).toBe(
      '17df4b9d31f7e751d89e6056ff5e6b4ee1022d8c26a634cbe4dca8013b07e13a',
    )
  })

  it('shows that a whole log was emptied, its head with it', async () => {
    const tenant = await busyTenant()
    const { tenant_id } = tenant
    await context.db.inTenant(tenant_id, async tx => {
      await tx`DELETE FROM audit_entries WHERE tenant_id = ${tenant_id}`
      await tx`DELETE FROM audit_heads WHERE tenant_id = ${tenant_id}`
    })
    expect(await verify(tenant)).toMatchObject({
      valid: false,
      fault: 'the log is empty; it begins with the organization itself',
    })
  })

  it('holds for who proves it while an entry is written', async () => {
    const tenant = await busyTenant()
    const id = tenant.tenant_id
    const entries = (await verify(tenant)).entries
    const met = await context.db.inTenant(id, async tx => {
      await tx`LOCK TABLE audit_values`
      const verdict = verify(tenant)
      // It has read the head and waits for the entries.
      await seeWaiting(service, tenant, 'relation')
      const change = { action: 'rule.created', subject_kind: 'rule', subject_id: 'rule_1' }
      await recordAudit(tx, id, service.clock.now(), operatorOrigin(), [change])
      return { verdict }
    })
    expect(await met.verdict).toEqual({ tenant_id: id, entries, valid: true })
    expect(await verify(tenant)).toEqual({ tenant_id: id, entries: entries + 1, valid: true })
  })

  it.each<[string, (tx: Tx, id: string) => Promise<unknown>, string]>([
    [
      'a changed entry',
      (tx, id) => tx`UPDATE audit_entries SET action = 'x' WHERE tenant_id = ${id} AND seq = 4`,
      'entry 4 was changed',
    ],
    [
      'an entry about somebody else',
      (tx, id) =>
        tx`UPDATE audit_entries SET employee_id = 'emp_1' WHERE tenant_id = ${id} AND seq = 4`,
      'entry 4 was changed',
    ],
    [
      'changed values',
      (tx, id) => tx`UPDATE audit_values SET content = '{}' WHERE tenant_id = ${id} AND seq = 4`,
      'the values of entry 4 were changed',
    ],
    [
      'a changed salt',
      (tx, id) => tx`UPDATE audit_values SET salt = '\\x00' WHERE tenant_id = ${id} AND seq = 4`,
      'the values of entry 4 were changed',
    ],
    [
      'values taken away',
      (tx, id) => tx`DELETE FROM audit_values WHERE tenant_id = ${id} AND seq IN (4, 5)`,
      'the values of entry 4 are gone without an erasure',
    ],
    [
      'a removed entry',
      (tx, id) => tx`DELETE FROM audit_entries WHERE tenant_id = ${id} AND seq = 4`,
      'entry 4 is missing',
    ],
    [
      'entries in another order',
      async (tx, id) => {
        for (const [from, to] of [
          [4, 0],
          [5, 4],
          [0, 5],
        ] as const) {
          await tx`UPDATE audit_entries SET seq = ${to} WHERE tenant_id = ${id} AND seq = ${from}`
        }
      },
      'entry 4 does not follow the one before it',
    ],
    [
      'a cut end',
      (tx, id) => tx`DELETE FROM audit_entries WHERE tenant_id = ${id} AND seq > 8`,
      'the log ends at entry 8, its head says 12',
    ],
  ])('shows %s', async (_name, tamper, fault) => {
    const tenant = await busyTenant()
    expect((await verify(tenant)).valid).toBe(true)
    await context.db.inTenant(tenant.tenant_id, tx => tamper(tx, tenant.tenant_id))
    expect(await verify(tenant)).toMatchObject({ valid: false, fault })
  })

  it('shows the log of another organization, whole or an entry of it', async () => {
    const [one, other] = [await busyTenant(), await busyTenant()]
    const exchange = async (rows: string) => {
      const turns = [
        [one.tenant_id, 'aside'],
        [other.tenant_id, one.tenant_id],
        ['aside', other.tenant_id],
      ]
      for (const [from, to] of turns) {
        for (const table of ['audit_entries', 'audit_values', 'audit_heads']) {
          await context.db.sql.unsafe(
            `UPDATE ${table} SET tenant_id = '${to}' WHERE tenant_id = '${from}' AND ${rows}`,
          )
        }
      }
      return [await verify(one), await verify(other)]
    }
    const whole = { valid: false, fault: 'entry 1 does not begin the log of this organization' }
    expect(await exchange('true')).toMatchObject([whole, whole])
    expect(await exchange('true')).toMatchObject([{ valid: true }, { valid: true }])
    const single = { valid: false, fault: 'entry 4 does not follow the one before it' }
    expect(await exchange('seq = 4')).toMatchObject([single, single])
  })

  it('holds without values only where an erasure of the same person follows', async () => {
    const tenant = await service.tenant()
    const id = await hire(tenant)
    const other = await hire(tenant, 'bo@example.com')
    const act = (path: string, body?: object) =>
      tenant.call(body ? 'POST' : 'GET', `/v1/employees/${path}`, body)
    const take = (seq: number) =>
      context.db.inTenant(
        tenant.tenant_id,
        tx => tx`DELETE FROM audit_values WHERE tenant_id = ${tenant.tenant_id} AND seq = ${seq}`,
      )
    const { entries: hired } = await verify(tenant)
    const gone = (seq: number) => ({
      entries: seq - 1,
      valid: false,
      fault: `the values of entry ${seq} are gone without an erasure`,
    })
    await act(`${id}/erase`, { confirm: 'erase' })
    expect(await verify(tenant)).toMatchObject({ valid: true })
    await take(hired)
    expect(await verify(tenant), 'of somebody else').toMatchObject(gone(hired))
    await act(`${other}/erase`, { confirm: 'erase' })
    expect(await verify(tenant)).toMatchObject({ valid: true })
    await act(`${id}/export`)
    const { entries: exported } = await verify(tenant)
    await take(exported)
    expect(await verify(tenant), 'of later').toMatchObject(gone(exported))
    await act(`${id}/erase`, { confirm: 'erase' })
    const { entries: last } = await verify(tenant)
    await take(last)
    expect(await verify(tenant), 'of the erasure itself').toMatchObject(gone(last))
  })

  it('takes values of which the salt or the content is null for gone', async () => {
    const { sql } = context.db
    await sql`ALTER TABLE audit_values ALTER COLUMN salt DROP NOT NULL, ALTER COLUMN content DROP NOT NULL`
    for (const column of ['salt', 'content']) {
      const tenant = await busyTenant()
      await sql`UPDATE audit_values SET ${sql(column)} = NULL WHERE tenant_id = ${tenant.tenant_id} AND seq > 3`
      expect(await verify(tenant), column).toMatchObject({
        valid: false,
        fault: 'the values of entry 4 are gone without an erasure',
      })
    }
  })

  it('shows an end that was cut together with its head, to who kept the head', async () => {
    const tenant = await busyTenant()
    const id = tenant.tenant_id
    const head = await context.db.inTenant(id, tx => findHead(tx, id))
    expect((await verify(tenant, head)).valid).toBe(true)
    await context.db.inTenant(id, async tx => {
      await tx`DELETE FROM audit_entries WHERE tenant_id = ${id} AND seq > 6`
      await tx`UPDATE audit_heads SET seq = 6, hash = (
        SELECT hash FROM audit_entries WHERE tenant_id = ${id} AND seq = 6) WHERE tenant_id = ${id}`
    })
    expect((await verify(tenant)).valid).toBe(true)
    expect((await verify(tenant, head)).valid).toBe(false)
  })

  it('is exported as NDJSON, oldest first', async () => {
    const tenant = await busyTenant()
    const lines = await Array.fromAsync(exportAudit(context, tenant.tenant_id))
    const seqs = lines.map(line => JSON.parse(line).seq)
    expect(seqs).toEqual(seqs.map((_, i) => i + 1))
  })
})
