// Creating, changing and deleting rules: what is answered, left behind and refused.
import { describe, expect, it } from 'vitest'
import { interleave } from '../../test/interleave.ts'
import { lastAudit } from '../../test/last-audit.ts'
import { startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import type { Fault } from '../platform/errors.ts'
import { createRule, MOST_RULES } from './change-rules.ts'
import { CLICK, create, rulesVersion } from './rules.fixture.ts'
import { insertRules } from './rules.queries.ts'
import type { NewRuleInput } from './rules.schema.ts'

const service = await startService()
const acme = await service.tenant()

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

  it('409 beyond a thousand rules', async () => {
    const { call, tenant_id } = await service.tenant()
    const { body: rule } = await call('POST', '/v1/rules', CLICK)
    const { pagination } = (await call('GET', '/v1/rules?per_page=1')).body
    const more = Array.from({ length: MOST_RULES - pagination.total }, (_, i) => ({
      ...rule,
      id: `rule_x${i}`,
      created_at: new Date(service.clock.now()),
    }))
    await service.context.db.inTenant(tenant_id, tx => insertRules(tx, tenant_id, more))
    const refused = await call('POST', '/v1/rules', CLICK)
    expect(refused.body.error).toMatchObject({ code: 'CONFLICT' })
    expect((await call('DELETE', '/v1/rules/rule_x0')).status).toBe(204)
    expect((await call('POST', '/v1/rules', CLICK)).status).toBe(201)
  })

  it('409 beyond what the conditions of all rules may take together, also by a change', async () => {
    const { call, tenant_id } = await service.tenant()
    const texts = Array.from({ length: 100 }, (_, i) => `${i}${'x'.repeat(998)}`)
    const conditions = { a: texts, b: texts }
    const { body: rule } = await call('POST', '/v1/rules', { ...CLICK, conditions })
    const more = Array.from({ length: 19 }, (_, i) => ({
      ...rule,
      id: `rule_x${i}`,
      created_at: new Date(service.clock.now()),
    }))
    await service.context.db.inTenant(tenant_id, tx => insertRules(tx, tenant_id, more))
    const refused = { code: 'CONFLICT', message: expect.stringContaining('4 MiB') }
    const { body } = await call('POST', '/v1/rules', { ...CLICK, conditions })
    expect(body.error).toMatchObject(refused)
    const { body: small } = await call('POST', '/v1/rules', CLICK)
    const changed = await call('PATCH', `/v1/rules/${small.id}`, { conditions })
    expect(changed.body.error).toMatchObject(refused)
    expect((await call('GET', `/v1/rules/${small.id}`)).body.conditions).toEqual({})
    const smaller = await call('PATCH', '/v1/rules/rule_x0', { conditions: { a: texts } })
    expect(smaller.status).toBe(200)
    expect((await call('DELETE', '/v1/rules/rule_x1')).status).toBe(204)
    expect((await call('PATCH', `/v1/rules/${small.id}`, { conditions })).status).toBe(200)
  })

  it('409 for one of two at once where there is room for a single one', async () => {
    const { call, tenant_id } = await service.tenant()
    const { body: rule } = await call('POST', '/v1/rules', CLICK)
    const { pagination } = (await call('GET', '/v1/rules?per_page=1')).body
    const more = Array.from({ length: MOST_RULES - pagination.total - 1 }, (_, i) => ({
      ...rule,
      id: `rule_x${i}`,
      created_at: new Date(service.clock.now()),
    }))
    await service.context.db.inTenant(tenant_id, tx => insertRules(tx, tenant_id, more))
    const side = (own: Context) => asOperator(own, tenant_id, createRule, CLICK as NewRuleInput)
    // The second begins when the first has sent one statement, and goes as far as it can.
    const order = { first: 1, second: Number.POSITIVE_INFINITY }
    const { first, second } = await interleave(service, side, side, order)
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected'])
    const { body } = await call('GET', '/v1/rules?per_page=1')
    expect(body.pagination.total).toBe(MOST_RULES)
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
    const before = await rulesVersion(service, acme)
    const rule = await create(acme)
    expect(await rulesVersion(service, acme)).toBe(before + 1)
    expect(await lastAudit(service, acme)).toMatchObject({
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
    [{ name: 'NUL \u0000' }, 'name'],
    [{ name: 'half \ud800' }, 'name'],
  ])('400 refuses %j by name and writes nothing', async (change, path) => {
    const before = await rulesVersion(service, acme)
    const answer = await acme.call('POST', '/v1/rules', { ...CLICK, ...change })
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('VALIDATION_ERROR')
    expect(answer.body.error.details.map((fault: Fault) => fault.path)).toContain(path)
    expect(await rulesVersion(service, acme)).toBe(before)
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
    const before = await rulesVersion(service, acme)
    await acme.call('PATCH', `/v1/rules/${rule.id}`, { impact: -13, cooldown: '0h' })
    expect(await rulesVersion(service, acme)).toBe(before + 1)
    expect(await lastAudit(service, acme)).toMatchObject({
      action: 'rule.updated',
      subject_id: rule.id,
      before: { impact: -12 },
      after: { impact: -13 },
    })
    expect((await lastAudit(service, acme)).after).not.toHaveProperty('cooldown')
  })

  it.each([{}, { impact: -12 }, { conditions: {} }])('200 %j changes nothing', async change => {
    const rule = await create(acme)
    const before = await rulesVersion(service, acme)
    const answer = await acme.call('PATCH', `/v1/rules/${rule.id}`, change)
    expect([answer.status, answer.body]).toEqual([200, rule])
    expect(await rulesVersion(service, acme)).toBe(before)
    expect((await lastAudit(service, acme)).action).toBe('rule.created')
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
    const before = await rulesVersion(service, acme)
    const changes = [{ impact: 9 }, { priority: 9 }, { name: 'Nine' }, { cooldown: '9h' }]
    await Promise.all(changes.map(one => acme.call('PATCH', `/v1/rules/${rule.id}`, one)))
    const { body } = await acme.call('GET', `/v1/rules/${rule.id}`)
    expect(body).toEqual(Object.assign({}, rule, ...changes))
    expect(await rulesVersion(service, acme)).toBe(before + 4)
  })
})

describe('DELETE /v1/rules/:id', () => {
  it('204 without a body; the rule is gone, the version raised, the rule kept in the audit log', async () => {
    const rule = await create(acme)
    const before = await rulesVersion(service, acme)
    const answer = await acme.call('DELETE', `/v1/rules/${rule.id}`)
    expect([answer.status, answer.body]).toEqual([204, undefined])
    expect(await rulesVersion(service, acme)).toBe(before + 1)
    expect(await lastAudit(service, acme)).toMatchObject({
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
