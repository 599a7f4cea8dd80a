// Reading rules: order, filters, pages, and who may.
import { describe, expect, it } from 'vitest'
import { startService } from '../../test/service.ts'
import { DEFAULT_RULES } from './default-rules.ts'
import { CLICK, create } from './rules.fixture.ts'
import type { RuleRow } from './rules.queries.ts'

const service = await startService()
const acme = await service.tenant()

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
