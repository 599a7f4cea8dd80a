// Retention: old events go, what they weigh stays, and nobody's score moves because of it.

import { beforeAll, describe, expect, test } from 'vitest'
import {
  checkBooks,
  hire,
  ingest,
  readLog,
  readStandings,
  recalculate,
} from '../../test/scenario.ts'
import { type Service, startService, type Tenant } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { changeRetention } from '../manage-tenants.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { DAY, MINUTE } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import type { Fragment } from '../platform/sql.ts'
import { adjustScore } from './adjust-score.ts'
import { applyDueChangesJob } from './apply-due-changes.job.ts'
import { retainEventsJob } from './retain-events.job.ts'

let service: Service
let tenant: Tenant
let ids: string[]

const EMAILS = ['ann@example.com', 'ben@example.com', 'cid@example.com']
const retain = (chunk?: number) => runDueJobs(service.context, [retainEventsJob(chunk)])

type Condition = (tx: Tx) => Fragment

async function count(table: string, and: Condition = tx => tx``): Promise<number> {
  const { tenant_id } = tenant
  const [row] = await service.context.db.inTenant(
    tenant_id,
    tx => tx`SELECT count(*) AS n FROM ${tx(table)} WHERE tenant_id = ${tenant_id} ${and(tx)}`,
  )
  return row!.n
}

const isFolded: Condition = tx => tx`AND folded`
const isForgotten: Condition = tx => tx`AND folded AND timestamp < '2026-06-02T09:00:00Z'`
const stale: Condition = tx =>
  tx`AND timestamp < '2026-04-26T09:00:00Z' AND (to_version IS NOT NULL OR NOT folded)`

/** Fourteen months in which all kinds of things happen, in order. */
async function live(): Promise<void> {
  for (let month = 0; month < 14; month++) {
    const at = service.clock.now()
    const email = EMAILS[month % 3]!
    const old = { email, type: 'sim.replied', at: at - 2 * DAY }
    await ingest(service, tenant, [
      ...(month === 0 ? [] : [old]),
      { email, type: month % 2 ? 'auth.login_failure' : 'sim.reported', source: 'idp' },
      { email: EMAILS[0]!, type: 'other.nothing' },
    ])
    const body = { source: 'scanner', event_type: 'sim.qr_scanned', external_id: `x${month}` }
    const sent = await tenant.call('POST', '/v1/events/webhook', { ...body, employee: { email } })
    if (month % 4 === 1) {
      await tenant.call('POST', `/v1/events/${sent.body.id}/retract`, { reason: 'scanner' })
    }
    if (month === 2) {
      const given = { employee_id: ids[1]!, impact: -12, reason: 'found in a report' }
      await service.context.db.inTenant(tenant.tenant_id, tx =>
        adjustScore(tx, { tenant_id: tenant.tenant_id, origin: operatorOrigin(), now: at }, given),
      )
    }
    if (month === 3) await tenant.call('PATCH', `/v1/employees/${ids[2]}`, { status: 'inactive' })
    service.clock.advance(30 * DAY)
    await runDueJobs(service.context, [applyDueChangesJob()])
  }
}

beforeAll(async () => {
  service = await startService()
  tenant = await service.tenant()
  ids = await hire(service, tenant, EMAILS)
  await live()
})

type Read = Awaited<ReturnType<typeof readStandings>>[0]
const numbers = ({ carried: _carried, sources: _sources, ...rest }: Read) => rest

/** Whether everyone's integrations are the sources of the events that are left. */
async function checkSources(): Promise<void> {
  const log = await readLog(service, tenant)
  for (const { employee_id, sources } of await readStandings(service, tenant)) {
    const own = log.filter(event => event.employee_id === employee_id).map(event => event.source)
    expect([...sources].sort()).toEqual([...new Set(own)].sort())
  }
}

describe('after twelve months', () => {
  test('events go, every number of every standing stays, and the books agree', async () => {
    const before = await readStandings(service, tenant)
    const history = await count('score_history')
    const log = await readLog(service, tenant)
    const cutoff = Date.parse('2026-04-26T09:00:00Z')
    expect(new Date(service.clock.now()).toISOString()).toBe('2027-04-26T09:00:00.000Z')
    const old = log.filter(event => event.timestamp.getTime() < cutoff)
    expect(old.length).toBeGreaterThan(5)
    await Promise.all([retain(2), retain(3)])
    const left = await readLog(service, tenant)
    expect(left.map(one => one.event_id)).toEqual(
      log.filter(one => one.timestamp.getTime() >= cutoff).map(one => one.event_id),
    )
    const after = await readStandings(service, tenant)
    expect(after.map(numbers)).toEqual(before.map(numbers))
    expect(after.some(one => one.carried !== null && one.carried.risk < 0)).toBe(true)
    expect(await count('score_history')).toBe(history)
    await checkBooks(service, tenant)
    await checkSources()
    const list = await tenant.call('GET', '/v1/events?per_page=1')
    expect(list.body.pagination.total).toBe(left.length)
  })

  test('counts of empty days, external ids and ended shares are gone; firings are kept', async () => {
    expect(await count('event_counts', tx => tx`AND day < '2026-04-24'`)).toBe(0)
    const left = await readLog(service, tenant)
    const kept = left.filter(one => one.source === 'scanner').length
    expect(await count('external_ids')).toBe(kept)
    expect(await count('shares', isFolded)).toBeGreaterThan(3)
    expect(await count('shares', stale)).toBe(0)
  })

  test('state without its removed part is the state of what is kept: recalculation changes nothing', async () => {
    const before = await readStandings(service, tenant)
    const job = await recalculate(service, tenant)
    expect(job.scores_changed).toBe(0)
    const after = await readStandings(service, tenant)
    for (const [i, standing] of after.entries()) {
      expect(Math.abs(standing.state.risk - before[i]!.state.risk)).toBeLessThan(1e-9)
      expect(Math.abs(standing.state.recovery - before[i]!.state.recovery)).toBeLessThan(1e-9)
    }
    await checkBooks(service, tenant)
  })

  test('a folded firing still cools', async () => {
    const rules = (await tenant.call('GET', '/v1/rules?per_page=100')).body.data
    const rule = rules.find((one: { event_type: string }) => one.event_type === 'sim.reported')
    const path = `/v1/rules/${rule.id}`
    expect((await tenant.call('PATCH', path, { cooldown: '60d' })).status).toBe(200)
    const email = EMAILS[0]!
    // 56 days after the first, which was removed, and 124 before the next.
    const cold = service.clock.now() - 364 * DAY
    const [outcome] = await ingest(service, tenant, [{ email, type: 'sim.reported', at: cold }])
    expect(outcome).toMatchObject({ kind: 'scored', event: { rules_matched: [], impact: 0 } })
  })

  test('a repeated run finds nothing to do', async () => {
    expect(await retainEventsJob().run(service.context)).toBe(false)
  })
})

describe('other terms', () => {
  test('six months after the operator asked for them, and firings forgotten a year later', async () => {
    const { context } = service
    const change = (months: number) =>
      asOperator(context, tenant.tenant_id, changeRetention, months)
    for (const months of [5, 37, 6.5]) await expect(change(months)).rejects.toThrow('6 to 36')
    expect(await change(6)).toMatchObject({ retention_months: 6 })
    await runDueJobs(context, [applyDueChangesJob()])
    const before = await readStandings(service, tenant)
    await retain()
    const cutoff = Date.parse('2026-10-26T09:00:00Z')
    const log = await readLog(service, tenant)
    expect(log.every(one => one.timestamp.getTime() >= cutoff)).toBe(true)
    expect(log.length).toBeGreaterThan(0)
    expect((await readStandings(service, tenant)).map(numbers)).toEqual(before.map(numbers))
    await checkBooks(service, tenant)
    const folded = await count('shares', isFolded)
    const forgotten = await count('shares', isForgotten)
    expect(forgotten).toBeGreaterThan(0)
    service.clock.set('2027-12-02T09:00:00Z')
    await runDueJobs(context, [applyDueChangesJob()])
    const later = await readStandings(service, tenant)
    await retain()
    const grown = (await count('shares', isFolded)) - (folded - forgotten)
    expect(grown).toBeGreaterThan(0)
    expect(await count('shares', isForgotten)).toBe(0)
    const last = await readStandings(service, tenant)
    expect(last.map(numbers)).toEqual(later.map(numbers))
    await checkBooks(service, tenant)
    await checkSources()
    const lost = later.some((one, i) => one.sources.length > last[i]!.sources.length)
    expect(lost, 'a source without events is no integration any more').toBe(true)
  })
})

/** Somebody new whose event was retracted thirteen months ago, and the worker has removed it since. */
async function removedSince(reason: string) {
  service.clock.set('2028-03-02T09:00:00Z')
  const own = await service.tenant()
  const [id] = await hire(service, own, ['zoe@example.com'])
  const body = {
    source: 'scanner',
    event_type: 'sim.link_clicked',
    employee: { email: 'zoe@example.com' },
  }
  const event_id = (await own.call('POST', '/v1/events/webhook', body)).body.id as string
  await own.call('POST', `/v1/events/${event_id}/retract`, { reason })
  service.clock.set('2029-04-02T09:00:00Z')
  await runDueJobs(service.context, [applyDueChangesJob(), retainEventsJob()])
  expect((await own.call('GET', `/v1/events/${event_id}`)).status).toBe(404)
  return { own, id, event_id }
}

describe('what is known of a removed event', () => {
  test('is part of the export of its person', async () => {
    const { own, id, event_id } = await removedSince('was on leave')
    const { audit } = (await own.call('GET', `/v1/employees/${id}/export`)).body
    const about = audit.filter((one: { subject_id: string }) => one.subject_id === event_id)
    expect(about).toMatchObject([{ action: 'event.retracted', after: { reason: 'was on leave' } }])
  })

  test('is erased with its person', async () => {
    const { own, id, event_id } = await removedSince('was on sick leave')
    const erased = await own.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
    expect(erased.status).toBe(200)
    const { data } = (await own.call('GET', `/v1/audit?subject_id=${event_id}`)).body
    expect(data).toHaveLength(1)
    expect(JSON.stringify(data)).not.toContain('sick leave')
  })

  test('keeps it from being taken a second time, also where months differ in length', async () => {
    service.clock.set('2031-02-28T10:00:00Z')
    const own = await service.tenant()
    await hire(service, own, ['zoe@example.com'])
    const event = {
      type: 'custom.seen',
      employee_email: 'zoe@example.com',
      external_id: 'seen-1',
      timestamp: '2031-02-28T10:00:00Z',
    }
    expect((await own.call('POST', '/v1/events', event)).status).toBe(201)
    service.clock.set('2032-02-28T12:00:00Z')
    await retain()
    for (const now of ['2032-02-28T12:00:00Z', '2032-02-29T09:00:00Z', '2032-03-01T00:00:00Z']) {
      service.clock.set(now)
      expect((await own.call('POST', '/v1/events', event)).status, now).toBe(400)
    }
  })
})

test('a longer term holds for a worker that is under way', async () => {
  service.clock.set('2033-03-02T09:00:00Z')
  const own = await service.tenant()
  await hire(service, own, ['zoe@example.com'])
  await ingest(service, own, [{ email: 'zoe@example.com', type: 'sim.link_clicked' }])
  service.clock.set('2034-04-02T09:00:00Z')
  const { context } = service
  await runDueJobs(context, [applyDueChangesJob()])
  const old = { email: 'zoe@example.com', type: 'sim.replied', at: service.clock.now() - 500 * DAY }
  const acrossTenants: Database['acrossTenants'] = async work => {
    const found = await context.db.acrossTenants(work)
    await asOperator(context, own.tenant_id, changeRetention, 36)
    await ingest(service, own, [old])
    return found
  }
  await retainEventsJob().run({ ...context, db: { ...context.db, acrossTenants } })
  const types = (await readLog(service, own)).map(event => event.type)
  expect(types).toEqual(expect.arrayContaining(['sim.link_clicked', 'sim.replied']))
  await checkBooks(service, own)
})

test('a removed negative event is the last one again where a later one is retracted', async () => {
  service.clock.set('2035-03-02T09:00:00Z')
  const own = await service.tenant()
  const email = 'zoe@example.com'
  await hire(service, own, [email])
  const rule = { name: 'Both', event_type: 'custom.both', category: 'custom' }
  for (const impact of [3, -2]) await own.call('POST', '/v1/rules', { ...rule, impact })
  const last = service.clock.now() - 2 * DAY
  await ingest(service, own, [
    { email, type: 'sim.link_clicked', at: last },
    { email, type: 'custom.both', at: last + DAY },
  ])
  service.clock.set('2036-04-02T09:00:00Z')
  await runDueJobs(service.context, [applyDueChangesJob(), retainEventsJob()])
  const [later] = await ingest(service, own, [{ email, type: 'sim.link_clicked' }])
  const { id } = (later as { event: { id: string } }).event
  expect((await own.call('POST', `/v1/events/${id}/retract`, { reason: 'scanner' })).status).toBe(
    200,
  )
  const lastNegative = async () => (await readStandings(service, own))[0]!.last_negative_at
  expect(await lastNegative()).toBe(last)
  await recalculate(service, own)
  expect(await lastNegative()).toBe(last)
  await checkBooks(service, own)
})

test('of the day on which the term ends, statistics and lists tell of what is left', async () => {
  service.clock.set('2037-03-02T09:00:00Z')
  const own = await service.tenant()
  const email = 'zoe@example.com'
  await hire(service, own, [email])
  const at = (minutes: number) => service.clock.now() - minutes * MINUTE
  const sent = await ingest(
    service,
    own,
    [120, 110, 60].map(minutes => ({ email, type: 'other.nothing', at: at(minutes) })),
  )
  const { id } = (sent[1] as { event: { id: string } }).event
  await own.call('POST', `/v1/events/${id}/retract`, { reason: 'scanner' })
  const day = 'from=2037-03-02&to=2037-03-02'
  const counted = async () => (await own.call('GET', `/v1/events/statistics?${day}`)).body.data
  const listed = async () => (await own.call('GET', `/v1/events?${day}`)).body.pagination.total
  expect([await counted(), await listed()]).toMatchObject([[{ count: 2 }], 3])
  service.clock.set('2038-03-02T07:30:00Z')
  await retain()
  expect([await counted(), await listed()]).toMatchObject([[{ count: 1 }], 1])
})
