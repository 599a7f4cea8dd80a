// Batches that have people in common: the second goes on beside the first, and comes to the same as after it.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { holdCounts, seeWaiting } from '../../test/locks.ts'
import { checkBooks, hire } from '../../test/scenario.ts'
import { type Service, START, startService, type Tenant } from '../../test/service.ts'
import { type StepName, watchSteps } from '../platform/steps.ts'
import { createIngest, type Ingest } from './ingest-queue.ts'

const service: Service = await startService()
let tenant: Tenant

/** Enough for two turns. */
const MANY = 300
const emailOf = (i: number) => `person${i}@example.com`
const listPeople = (from: number) => Array.from({ length: MANY }, (_, i) => emailOf(from + i))

beforeEach(async () => {
  service.clock.set(START)
  tenant = await service.tenant()
  await hire(service, tenant, listPeople(0))
  await hire(service, tenant, listPeople(MANY))
  const rule = { name: 'VPN', category: 'custom', event_type: 'custom.vpn_anomaly', impact: -5 }
  expect((await tenant.call('POST', '/v1/rules', rule)).status).toBe(201)
})

afterEach(() => watchSteps(() => {}))

/** Resolves when a step is passed for the nth time from now. */
function passed(wanted: StepName, times: number): Promise<void> {
  return new Promise(resolve => {
    let seen = 0
    watchSteps(name => {
      if (name === wanted && ++seen === times) resolve()
    })
  })
}

type Sent = { email: string; external_id?: string }

async function send(events: readonly Sent[], headers: Record<string, string> = {}) {
  const body = {
    events: events.map(({ email, external_id }) => ({
      type: 'custom.vpn_anomaly',
      employee_email: email,
      ...(external_id !== undefined && { external_id }),
    })),
  }
  const { status, body: answer } = await tenant.call('POST', '/v1/events/batch', body, headers)
  expect(status).toBe(207)
  return answer.data as { index: number; status: number; event: any }[]
}

const plainly = (emails: readonly string[]) => emails.map(email => ({ email }))

/** Each begins where the one before has ended. */
function expectInOrder(events: readonly any[]): void {
  for (const [i, event] of events.slice(1).entries()) {
    expect(event.score_after).toBe(event.score_before - 5)
    expect(event.score_before).toBe(events[i].score_after)
  }
}

it('is scored for everybody else while the first is still under way, and in order for those of both', async () => {
  const common = emailOf(7)
  const counts = holdCounts(service)
  await counts.held
  const bothScored = passed('ingest.scored', 2)
  const one = send(plainly([...listPeople(0), common]))
  const other = send(plainly([...listPeople(MANY), common, common]))
  // Without a second turn the other would wait for the lock on the person of both.
  await bothScored
  await counts.release()
  const [first, second] = await Promise.all([one, other])
  expect(first.map(item => item.status)).toEqual(Array(MANY + 1).fill(201))
  expect(second.map(item => item.index)).toEqual(second.map((_, i) => i))
  const ofBoth = [first[7], first[MANY], second[MANY], second[MANY + 1]]
  expectInOrder(ofBoth.map(item => item!.event))
  await checkBooks(service, tenant)
})

it('keeps the order of the request where an external id leads from one person to another', async () => {
  const [common, neighbour] = [emailOf(7), emailOf(MANY + 7)]
  const counts = holdCounts(service)
  await counts.held
  const bothScored = passed('ingest.scored', 2)
  const one = send(plainly([...listPeople(0), common]))
  const other = send([
    { email: common, external_id: 'x' },
    { email: neighbour, external_id: 'x' },
    ...plainly(listPeople(MANY)),
  ])
  await bothScored
  await counts.release()
  const [, second] = await Promise.all([one, other])
  expect(second.slice(0, 2).map(item => item.status)).toEqual([201, 200])
  expect(second[1]!.event.id).toBe(second[0]!.event.id)
  await checkBooks(service, tenant)
})

it('gives up and begins anew where another process has taken somebody in between', async () => {
  const common = emailOf(7)
  const counts = holdCounts(service)
  await counts.held
  const bothScored = passed('ingest.scored', 2)
  const one = send(plainly(listPeople(0)))
  const other = send(plainly([...listPeople(MANY), common]))
  await bothScored
  const begunAnew = passed('ingest.begun', 1)
  const { sql } = service.context.db
  // It waits behind the first batch and before the second.
  const between = sql.begin(async tx => {
    await tx`SELECT 1 FROM employee_states s JOIN employees e USING (tenant_id, employee_id)
      WHERE s.tenant_id = ${tenant.tenant_id} AND e.email_key = ${common} FOR UPDATE OF s`
    await begunAnew
  })
  await seeWaiting(service, tenant, 'transactionid')
  await counts.release()
  await between
  const [first, second] = await Promise.all([one, other])
  expect([...first, ...second].map(item => item.status)).toEqual(Array(2 * MANY + 1).fill(201))
  expectInOrder([first[7]!.event, second[MANY]!.event])
  await checkBooks(service, tenant)
})

it('answers as the first does to the same Idempotency-Key in parallel', async () => {
  const headers = { 'idempotency-key': 'once' }
  const events = plainly(listPeople(0))
  const [first, second] = await Promise.all([send(events, headers), send(events, headers)])
  expect(second).toEqual(first)
  await checkBooks(service, tenant)
})

it('ends, with everything written once, where batches of two processes cross', async () => {
  const { tenant_id } = tenant
  const processes = [createIngest(service.context), createIngest(service.context)]
  const batch = (ingest: Ingest, turn: number) =>
    ingest(tenant_id, {
      inputs: Array.from({ length: MANY }, (_, i) => ({
        type: 'custom.vpn_anomaly',
        source: 'api',
        timestamp: null,
        details: {},
        external_id: null,
        keep_unmatched: false,
        // Half of the people of the batch before, and half of the one after.
        employee_email: emailOf((turn * 150 + i * 7) % (2 * MANY)),
      })),
      actor: 'key:test',
      repeatable: null,
      answer: outcomes => ({ status: 207, body: outcomes.map(one => one.kind) }),
    })
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, turn) => batch(processes[turn % 2]!, turn)),
  )
  expect(answers.flatMap(answer => answer.body)).toEqual(Array(8 * MANY).fill('scored'))
  await checkBooks(service, tenant)
})
