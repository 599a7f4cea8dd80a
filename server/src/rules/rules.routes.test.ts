// The rules API: what it answers, what it refuses, and what each change leaves behind.
import { beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService, type Tenant } from '../../test/service.ts'
import type { Fault } from '../platform/errors.ts'
import { DEFAULT_RULES } from './default-rules.ts'
import type { RuleRow } from './rules.queries.ts'

let service: Service
let acme: Tenant

beforeAll(async () => {
  service = await startService()
  acme = await service.tenant()
})

const CLICK = {
  name: 'Contractor clicked',
  event_type: 'sim.link_clicked',
  category: 'email',
  impact: -12,
}

async function create(tenant: Tenant, change: object = {}) {
  const answer = await tenant.call('POST', '/v1/rules', { ...CLICK, ...change })
  expect(answer.status).toBe(201)
  return answer.body
}

async function rulesVersion(tenant: Tenant): Promise<number> {
  const { tenant_id } = tenant
  const [row] = await service.context.db.inTenant(
    tenant_id,
    tx => tx`SELECT rules_version FROM tenants WHERE tenant_id = ${tenant_id}`,
  )
  return row!.rules_version
}

async function lastAudit(tenant: Tenant) {
  const { tenant_id } = tenant
  const [row] = await service.context.db.inTenant(
    tenant_id,
    tx => tx`SELECT e.action, e.actor_id, e.subject_id, v.content FROM audit_entries e
      JOIN audit_values v ON v.tenant_id = e.tenant_id AND v.seq = e.seq
      WHERE e.tenant_id = ${tenant_id} AND v.tenant_id = ${tenant_id} ORDER BY e.seq DESC LIMIT 1`,
  )
  const { content, ...entry } = row!
  return { ...entry, ...JSON.parse(content) }
}

describe('GET /v1/rules', () => {
  it('200 gives a new tenant the default rules in order of evaluation', async () => {
    const { call } = await service.tenant()
    const first = await call('GET', '/v1/rules?per_page=100')
    expect(first.status).toBe(200)
    expect(first.body.pagination).toEqual({ page: 1, per_page: 100, total: 35, total_pages: 1 })
    expect(first.body.data[0]).toEqual({
      id: expect.stringMatching(/^rule_[0-9a-z]+$/),
      name: 'Malware detected',
      event_type: 'endpoint.malware_detected',
      category: 'endpoint',
      impact: -40,
      cooldown: '24h',
      conditions: {},
      priority: 220,
      exclusive: false,
      is_default: true,
      status: 'active',
      created_at: '2026-03-02T09:00:00.000Z',
    })
    const inOrder = DEFAULT_RULES.toSorted((a, b) => b.priority - a.priority)
    expect(first.body.data.map((rule: RuleRow) => rule.name)).toEqual(
      inOrder.map(rule => rule.name),
    )
  })

  it('200 orders by priority, then age, then id', async () => {
    const tenant = await service.tenant()
    const late = await create(tenant, { priority: 220 })
    service.clock.advance(1)
    const later = await create(tenant, { priority: 220 })
    const top = await create(tenant, { priority: 1000 })
    const { body } = await tenant.call('GET', '/v1/rules?per_page=4')
    const names = body.data.map((rule: RuleRow) => rule.id)
    expect([names[0], names[2], names[3]]).toEqual([top.id, late.id, later.id])
  })

  it('200 filters by category and status and pages through the rest', async () => {
    const tenant = await service.tenant()
    const { id } = await create(tenant)
    await tenant.call('PATCH', `/v1/rules/${id}`, { status: 'inactive' })
    const inactive = await tenant.call('GET', '/v1/rules?status=inactive')
    expect(inactive.body.data.map((rule: RuleRow) => rule.id)).toEqual([id])
    const training = await tenant.call('GET', '/v1/rules?category=training&per_page=3&page=2')
    expect(training.body.data).toHaveLength(1)
    expect(training.body.pagination).toEqual({ page: 2, per_page: 3, total: 4, total_pages: 2 })
    const none = await tenant.call('GET', '/v1/rules?category=custom')
    expect(none.body).toEqual({
      data: [],
      pagination: { page: 1, per_page: 25, total: 0, total_pages: 0 },
    })
    const past = await tenant.call('GET', '/v1/rules?page=1000000')
    expect(past.body).toMatchObject({ data: [], pagination: { total: 36 } })
  })

  it.each([
    ['category=hr', 'category'],
    ['status=on', 'status'],
    ['page=0', 'page'],
    ['page=99999999999', 'page'],
    ['page=1.5', 'page'],
    ['per_page=101', 'per_page'],
    ['per_page=', 'per_page'],
    ['sort=name', 'sort'],
    ['status=active&status=inactive', 'status'],
    ['category=%00', 'category'],
  ])('400 refuses ?%s by name', async (query, path) => {
    const answer = await acme.call('GET', `/v1/rules?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('VALIDATION_ERROR')
    expect(answer.body.error.details[0].path).toBe(path)
  })
})

describe('GET /v1/rules/:id', () => {
  it('200 gives what creation gave', async () => {
    const conditions = {
      severity: ['high', null],
      'metadata.n': { gte: 3, exists: true },
      ok: true,
    }
    const rule = await create(acme, { conditions })
    expect(rule.conditions).toEqual(conditions)
    const answer = await acme.call('GET', `/v1/rules/${rule.id}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(rule)
  })

  it.each(['rule_nothing', 'x', 'rule_%2F..%2F', 'a'.repeat(900), '%F0%9F%92%A9'])(
    '404 for %s',
    async id => {
      for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
        const body = method === 'PATCH' ? { impact: 1 } : undefined
        const answer = await acme.call(method, `/v1/rules/${id}`, body)
        expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND'])
      }
    },
  )

  it("404 for another tenant's rule, which stays as it was", async () => {
    const other = await service.tenant()
    const rule = await create(other)
    expect((await acme.call('GET', `/v1/rules/${rule.id}`)).status).toBe(404)
    expect((await acme.call('PATCH', `/v1/rules/${rule.id}`, { impact: 1 })).status).toBe(404)
    expect((await acme.call('DELETE', `/v1/rules/${rule.id}`)).status).toBe(404)
    expect((await other.call('GET', `/v1/rules/${rule.id}`)).body).toEqual(rule)
  })
})

describe('POST /v1/rules', () => {
  it('201 fills in the defaults, answers with the whole rule and where it is', async () => {
    const answer = await acme.call('POST', '/v1/rules', CLICK)
    expect(answer.status).toBe(201)
    expect(answer.headers.location).toBe(`/v1/rules/${answer.body.id}`)
    expect(answer.body).toEqual({
      ...CLICK,
      id: expect.stringMatching(/^rule_[0-9a-z]+$/),
      cooldown: '0h',
      conditions: {},
      priority: 100,
      exclusive: false,
      is_default: false,
      status: 'active',
      created_at: new Date(service.clock.now()).toISOString(),
    })
  })

  it('201 takes every field it names', async () => {
    const given = {
      name: 'Lost badge',
      event_type: 'custom.badge.*',
      category: 'custom',
      impact: 100,
      cooldown: '52w',
      conditions: { source: 'door', 'metadata.zone': { not_in: ['lobby', 1, null] } },
      priority: 0,
      exclusive: true,
    }
    const answer = await acme.call('POST', '/v1/rules', given)
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject(given)
  })

  it('201 raises the rules version and is audited, both with the rule', async () => {
    const before = await rulesVersion(acme)
    const rule = await create(acme)
    expect(await rulesVersion(acme)).toBe(before + 1)
    expect(await lastAudit(acme)).toMatchObject({
      action: 'rule.created',
      actor_id: acme.key_id,
      subject_id: rule.id,
      before: null,
      after: { impact: -12, name: CLICK.name },
    })
  })

  it.each([
    [{ name: undefined }, 'name'],
    [{ event_type: undefined }, 'event_type'],
    [{ category: undefined }, 'category'],
    [{ impact: undefined }, 'impact'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 7 }, 'name'],
    [{ event_type: 'clicked' }, 'event_type'],
    [{ event_type: 'manual.adjustment' }, 'event_type'],
    [{ event_type: 'custom.badge' }, 'category'],
    [{ category: 'custom' }, 'category'],
    [{ category: 'hr' }, 'category'],
    [{ impact: -101 }, 'impact'],
    [{ impact: 1.5 }, 'impact'],
    [{ impact: '5' }, 'impact'],
    [{ cooldown: '366d' }, 'cooldown'],
    [{ cooldown: 'soon' }, 'cooldown'],
    [{ priority: 1001 }, 'priority'],
    [{ priority: null }, 'priority'],
    [{ exclusive: 'yes' }, 'exclusive'],
    [{ conditions: [] }, 'conditions'],
    [{ conditions: { severity: { like: 'x' } } }, 'conditions.severity'],
    [{ conditions: { 'a..b': 1 } }, 'conditions.a..b'],
    [{ is_default: true }, 'is_default'],
    [{ status: 'inactive' }, 'status'],
    [{ id: 'rule_mine' }, 'id'],
    [{ name: 'NUL \u0000' }, '/name'],
    [{ name: 'half \ud800' }, '/name'],
  ])('400 refuses %j by name and writes nothing', async (change, path) => {
    const before = await rulesVersion(acme)
    const answer = await acme.call('POST', '/v1/rules', { ...CLICK, ...change })
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('VALIDATION_ERROR')
    expect(answer.body.error.details.map((fault: Fault) => fault.path)).toContain(path)
    expect(await rulesVersion(acme)).toBe(before)
  })

  it('400 tells every fault at once', async () => {
    const answer = await acme.call('POST', '/v1/rules', {
      ...CLICK,
      event_type: 'nodot',
      cooldown: 'x',
      conditions: { a: {} },
    })
    const paths = answer.body.error.details.map((fault: Fault) => fault.path)
    expect(paths).toEqual(['event_type', 'cooldown', 'conditions.a'])
  })

  it('400 for a body that is missing or no object', async () => {
    expect((await acme.call('POST', '/v1/rules')).status).toBe(400)
    for (const body of ['[]', 'null', '"x"', '{']) {
      expect((await acme.call('POST', '/v1/rules', body)).status).toBe(400)
    }
  })

  it('201 once for an Idempotency-Key: the same answer again, 409 for another body', async () => {
    const tenant = await service.tenant()
    const headers = { 'idempotency-key': 'one' }
    const first = await tenant.call('POST', '/v1/rules', CLICK, headers)
    const again = await tenant.call('POST', '/v1/rules', CLICK, headers)
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers.location).toBe(first.headers.location)
    const other = await tenant.call('POST', '/v1/rules', { ...CLICK, impact: -1 }, headers)
    expect([other.status, other.body.error.code]).toEqual([409, 'CONFLICT'])
    expect((await tenant.call('GET', '/v1/rules')).body.pagination.total).toBe(36)
  })

  it('201 parallel duplicates of an Idempotency-Key create one rule', async () => {
    const tenant = await service.tenant()
    const headers = { 'idempotency-key': 'at-once' }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => tenant.call('POST', '/v1/rules', CLICK, headers)),
    )
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([201]))
    expect(new Set(answers.map(answer => answer.body.id)).size).toBe(1)
    expect((await tenant.call('GET', '/v1/rules')).body.pagination.total).toBe(36)
  })
})

describe('PATCH /v1/rules/:id', () => {
  it('200 changes what is given and keeps the rest', async () => {
    const rule = await create(acme)
    const change = {
      name: 'New name',
      event_type: 'custom.x',
      category: 'custom',
      impact: 3,
      cooldown: '2d',
      conditions: { severity: 'low' },
      priority: 7,
      exclusive: true,
      status: 'inactive',
    }
    const answer = await acme.call('PATCH', `/v1/rules/${rule.id}`, change)
    expect([answer.status, answer.body]).toEqual([200, { ...rule, ...change }])
    expect((await acme.call('GET', `/v1/rules/${rule.id}`)).body).toEqual(answer.body)
    const one = await acme.call('PATCH', `/v1/rules/${rule.id}`, { impact: 4 })
    expect(one.body).toEqual({ ...rule, ...change, impact: 4 })
  })

  it('200 raises the rules version and audits what was and what is', async () => {
    const rule = await create(acme)
    const before = await rulesVersion(acme)
    await acme.call('PATCH', `/v1/rules/${rule.id}`, { impact: -13, cooldown: '0h' })
    expect(await rulesVersion(acme)).toBe(before + 1)
    expect(await lastAudit(acme)).toMatchObject({
      action: 'rule.updated',
      subject_id: rule.id,
      before: { impact: -12 },
      after: { impact: -13 },
    })
    expect((await lastAudit(acme)).after).not.toHaveProperty('cooldown')
  })

  it.each([{}, { impact: -12 }, { conditions: {} }])('200 %j changes nothing', async change => {
    const rule = await create(acme)
    const before = await rulesVersion(acme)
    const answer = await acme.call('PATCH', `/v1/rules/${rule.id}`, change)
    expect([answer.status, answer.body]).toEqual([200, rule])
    expect(await rulesVersion(acme)).toBe(before)
    expect((await lastAudit(acme)).action).toBe('rule.created')
  })

  it('200 changes and deactivates a default rule, which stays a default rule', async () => {
    const tenant = await service.tenant()
    const [rule] = (await tenant.call('GET', '/v1/rules?per_page=1')).body.data
    const change = { impact: -1, status: 'inactive' }
    const answer = await tenant.call('PATCH', `/v1/rules/${rule.id}`, change)
    expect([answer.status, answer.body]).toEqual([200, { ...rule, ...change }])
    expect(answer.body.is_default).toBe(true)
  })

  it.each([
    [{ is_default: false }, 'is_default'],
    [{ created_at: '2020-01-01T00:00:00Z' }, 'created_at'],
    [{ impact: null }, 'impact'],
    [{ status: 'paused' }, 'status'],
    [{ category: 'custom' }, 'category'],
    [{ event_type: 'custom.x' }, 'category'],
    [{ cooldown: '' }, 'cooldown'],
  ])('400 refuses %j by name', async (change, path) => {
    const rule = await create(acme)
    const answer = await acme.call('PATCH', `/v1/rules/${rule.id}`, change)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(path)
    expect((await acme.call('GET', `/v1/rules/${rule.id}`)).body).toEqual(rule)
  })

  it('200 parallel changes of different fields all hold', async () => {
    const rule = await create(acme)
    const before = await rulesVersion(acme)
    const changes = [{ impact: 9 }, { priority: 9 }, { name: 'Nine' }, { cooldown: '9h' }]
    await Promise.all(changes.map(one => acme.call('PATCH', `/v1/rules/${rule.id}`, one)))
    const { body } = await acme.call('GET', `/v1/rules/${rule.id}`)
    expect(body).toEqual(Object.assign({}, rule, ...changes))
    expect(await rulesVersion(acme)).toBe(before + 4)
  })
})

describe('DELETE /v1/rules/:id', () => {
  it('204 without a body; the rule is gone, the version raised, the rule kept in the audit log', async () => {
    const rule = await create(acme)
    const before = await rulesVersion(acme)
    const answer = await acme.call('DELETE', `/v1/rules/${rule.id}`)
    expect([answer.status, answer.body]).toEqual([204, undefined])
    expect(await rulesVersion(acme)).toBe(before + 1)
    expect(await lastAudit(acme)).toMatchObject({
      action: 'rule.deleted',
      subject_id: rule.id,
      before: { name: CLICK.name },
      after: null,
    })
    expect((await acme.call('GET', `/v1/rules/${rule.id}`)).status).toBe(404)
    expect((await acme.call('DELETE', `/v1/rules/${rule.id}`)).status).toBe(404)
  })

  it('204 keeps the shares the rule gave', async () => {
    const rule = await create(acme)
    const { tenant_id } = acme
    const { db } = service.context
    const at = new Date(service.clock.now())
    await db.inTenant(
      tenant_id,
      tx => tx`INSERT INTO shares (tenant_id, employee_id, rule_id, timestamp, event_id, from_version,
          impact, dated_at, folded)
        VALUES (${tenant_id}, 'emp_1', ${rule.id}, ${at}, 'evt_1', 2, -12, ${at}, false)`,
    )
    expect((await acme.call('DELETE', `/v1/rules/${rule.id}`)).status).toBe(204)
    const rows = await db.inTenant(
      tenant_id,
      tx =>
        tx`SELECT impact, to_version FROM shares WHERE tenant_id = ${tenant_id} AND rule_id = ${rule.id}`,
    )
    expect([...rows]).toEqual([{ impact: -12, to_version: null }])
  })

  it('409 DEFAULT_RULE for a default rule, also an inactive one, which stays', async () => {
    const tenant = await service.tenant()
    const [rule] = (await tenant.call('GET', '/v1/rules?per_page=1')).body.data
    await tenant.call('PATCH', `/v1/rules/${rule.id}`, { status: 'inactive' })
    const answer = await tenant.call('DELETE', `/v1/rules/${rule.id}`)
    expect([answer.status, answer.body.error.code]).toEqual([409, 'DEFAULT_RULE'])
    expect(answer.body.error.message).toContain('deactivate it instead')
    expect((await tenant.call('GET', `/v1/rules/${rule.id}`)).status).toBe(200)
  })
})

describe('scopes', () => {
  it('403 names the scope; reading does not let one write', async () => {
    const reader = await acme.as('rules:read')
    const stranger = await acme.as('employees:read,rules:write')
    expect((await reader('GET', '/v1/rules')).status).toBe(200)
    const refused = await Promise.all([
      reader('POST', '/v1/rules', CLICK),
      reader('PATCH', '/v1/rules/rule_x', {}),
      reader('DELETE', '/v1/rules/rule_x'),
      stranger('GET', '/v1/rules'),
      stranger('GET', '/v1/rules/rule_x'),
    ])
    expect(refused.map(answer => answer.status)).toEqual([403, 403, 403, 403, 403])
    expect(refused[0]!.body.error.message).toContain('rules:write')
    expect(refused[3]!.body.error.message).toContain('rules:read')
  })
})
