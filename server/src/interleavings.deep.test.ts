// Two sessions on one row, their statements let through in every order that a bounded search finds: the books hold.
import { describe, expect, it } from 'vitest'
import {
  type Change,
  type Ended,
  interleave,
  listOrders,
  type Order,
  type Side,
} from '../test/interleave.ts'
import { checkBooks, hire, ingest, readHistory, readLog, readStandings } from '../test/scenario.ts'
import { startService, type Tenant } from '../test/service.ts'
import { createLimiter } from './access/take-tokens.ts'
import { askAsOperator } from './accounts/identity.ts'
import { changeEmployee } from './employees/change-employee.ts'
import { answerOne } from './events/answer-events.ts'
import { advanceStandings, applyDueChangesJob } from './events/apply-due-changes.job.ts'
import { ingestTogether } from './events/ingest-events.ts'
import { retractEvent } from './events/retract-events.ts'
import type { Answer, Repeatable } from './idempotency/answer-once.ts'
import { operatorOrigin } from './platform/actor.ts'
import { DAY, MINUTE } from './platform/clock.ts'
import { eraseEmployee } from './privacy/erase-employee.ts'
import { recalculateStandings } from './replays/recalculate-standings.ts'
import { replayJobsJob } from './replays/run-replay-jobs.job.ts'
import { verifyChunk } from './verify/verify-tenant.ts'
import { claimDeliveries } from './webhooks/claim-deliveries.ts'
import { LOOPBACK, message, tell } from './webhooks/receiver.fixture.ts'

/** Orders tried for each pair of sides; more than these change nothing but the time. */
const MOST_ORDERS = 36

const service = await startService(LOOPBACK)
let tenant: Tenant
let people = 0

function byOperator() {
  return askAsOperator(tenant.tenant_id, service.clock.now())
}

type Contest<A, B> = {
  first: Side<A>
  second: Side<B>
  /** What must hold after each order, besides the books. */
  check(ended: Ended<A, B>): Promise<void> | void
}

/** Sets up a contest again for each order, and holds the books to account after it. */
async function contest<A, B>(
  set: () => Promise<Contest<A, B>>,
  { most = MOST_ORDERS, change }: { most?: number; change?: Change } = {},
): Promise<void> {
  tenant = await service.tenant()
  const inTurn = { first: Number.POSITIVE_INFINITY, second: 0 }
  const { counts } = await hold(await set(), inTurn, change)
  for (const order of listOrders(counts, most, 1)) {
    const label = `order ${order.first}, ${order.second} of ${counts}`
    await hold(await set(), order, change).catch((error: Error) => {
      throw new Error(`${label}: ${error.message}`, { cause: error })
    })
  }
  await checkBooks(service, tenant)
}

async function hold<A, B>(
  { first, second, check }: Contest<A, B>,
  order: Order,
  change?: Change,
): Promise<Ended<A, B>> {
  const ended = await interleave(service, first, second, order, change)
  for (const side of [ended.first, ended.second]) {
    if (side.status === 'rejected' && side.reason?.status === undefined) throw side.reason
  }
  await check(ended)
  const { faults } = await verifyChunk(service.context, tenant.tenant_id, '', 500)
  expect(faults).toEqual([])
  return ended
}

async function newcomer(): Promise<{ email: string; employee_id: string }> {
  const email = `person${++people}@example.com`
  const [employee_id] = await hire(service, tenant, [email])
  return { email, employee_id: employee_id! }
}

type Sent = {
  external_id?: string
  repeatable?: Repeatable
  type?: string
  keep_unmatched?: boolean
}

function send(email: string, sent: Sent = {}): Side<Answer> {
  const { external_id, repeatable = null, type, keep_unmatched = false } = sent
  return async context => {
    const input = {
      type: type ?? 'sim.link_clicked',
      source: 'sensor',
      employee_email: email,
      timestamp: null,
      details: {},
      keep_unmatched,
      external_id: external_id ?? null,
    }
    const submission = {
      inputs: [input],
      actor: 'key:test',
      repeatable,
      answer: ([outcome]: any) => answerOne(outcome, 'req_test'),
    }
    const [answer] = await ingestTogether(context, tenant.tenant_id, [submission])
    if (answer instanceof Error) throw answer
    return answer!
  }
}

function done<T>(side: PromiseSettledResult<T>): T {
  if (side.status === 'rejected') throw side.reason
  return side.value
}

const bodyOf = (side: PromiseSettledResult<Answer>) => done(side).body as any

/** Two events of one employee: each begins where the other ended. */
async function twoEvents(): Promise<Contest<Answer, Answer>> {
  const { email } = await newcomer()
  const [first, second] = [send(email), send(email, { type: 'auth.suspicious_login' })]
  const check = async (ended: Ended<Answer, Answer>) => {
    const [a, b] = [bodyOf(ended.first), bodyOf(ended.second)]
    const [one, other] = a.score_before > b.score_before ? [a, b] : [b, a]
    expect(other.score_before).toBe(one.score_after)
    expect(other.score_after).toBe(75 - 25 - 15)
    const history = await readHistory(service, tenant, email)
    expect(history.map(row => row.version)).toEqual([1, 2, 3])
  }
  return { first, second, check }
}

describe('ingestion and', () => {
  it('ingestion for one employee: each begins where the other ended', async () => {
    await contest(twoEvents)
  })

  it('ingestion without the lock, which the search notices', async () => {
    const change: Change = text => text.replace('FOR UPDATE OF s', '')
    await expect(contest(twoEvents, { change })).rejects.toThrow(/order \d+, \d+ of/)
  })

  it('ingestion under one external id: one event, told twice', async () => {
    await contest(async () => {
      const { email, employee_id } = await newcomer()
      const external_id = `ext-${employee_id}`
      return {
        first: send(email, { external_id }),
        second: send(email, { external_id }),
        check: async ended => {
          expect(bodyOf(ended.first).id).toBe(bodyOf(ended.second).id)
          const statuses = [done(ended.first).status, done(ended.second).status]
          expect(statuses.sort()).toEqual([200, 201])
          const log = await readLog(service, tenant)
          expect(log.filter(event => event.email === email)).toHaveLength(1)
        },
      }
    })
  })

  it('ingestion for nobody under one external id: kept once', async () => {
    let made = 0
    await contest(async () => {
      const [email, external_id] = [`nobody${++made}@example.com`, `lost-${made}`]
      const sent = { external_id, keep_unmatched: true }
      return {
        first: send(email, sent),
        second: send(email, sent),
        check: async ended => {
          expect([done(ended.first).status, done(ended.second).status]).toEqual([404, 404])
          const { body } = await tenant.call('GET', '/v1/events/unmatched?per_page=100')
          const kept = body.data.filter((one: any) => one.employee.email === email)
          expect(kept).toHaveLength(1)
        },
      }
    })
  })

  it('its repeat under one Idempotency-Key: one event, one answer', async () => {
    await contest(async () => {
      const { email, employee_id } = await newcomer()
      const repeatable = { request: `POST /v1/events ${employee_id}`, body_hash: Buffer.from('a') }
      return {
        first: send(email, { repeatable }),
        second: send(email, { repeatable }),
        check: async ended => {
          expect(done(ended.first)).toEqual(done(ended.second))
          const log = await readLog(service, tenant)
          expect(log.filter(event => event.email === email)).toHaveLength(1)
        },
      }
    })
  })

  it('retraction: the one is added, the other taken away', async () => {
    await contest(async () => {
      const { email } = await newcomer()
      const [outcome] = await ingest(service, tenant, [{ email, type: 'auth.mfa_disabled' }])
      const { id } = (outcome as { event: { id: string } }).event
      const second: Side<unknown> = ({ db }) =>
        db.inTenant(tenant.tenant_id, tx => retractEvent(tx, byOperator(), id, 'wrong', () => {}))
      return {
        first: send(email),
        second,
        check: async ended => {
          done(ended.second)
          const { impact } = bodyOf(ended.first)
          const found = (await readStandings(service, tenant)).find(one => one.email === email)!
          expect(found.score).toBe(75 + impact)
        },
      }
    })
  })

  it('recalculation: what is replayed knows the event, or the event what was replayed', async () => {
    await contest(async () => {
      const { email } = await newcomer()
      await ingest(service, tenant, [{ email, type: 'auth.mfa_disabled' }])
      const asked = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
      expect(asked.status).toBe(202)
      const job = replayJobsJob()
      return {
        first: send(email),
        second: context => job.run(context),
        check: async ended => {
          expect(done(ended.second)).toBe(true)
          const { impact } = bodyOf(ended.first)
          const found = (await readStandings(service, tenant)).find(one => one.email === email)!
          expect(found.score).toBe(75 - 30 + impact)
          const job_url = `/v1/rules/recalculate/${asked.body.job_id}`
          expect((await tenant.call('GET', job_url)).body.status).toBe('completed')
        },
      }
    })
  })

  it('deactivation: the event counts, or it is kept without counting', async () => {
    await contest(async () => {
      const { email, employee_id } = await newcomer()
      const scoring = { advance: advanceStandings, recalculate: recalculateStandings }
      const second: Side<unknown> = ({ db }) =>
        db.inTenant(tenant.tenant_id, tx =>
          changeEmployee(tx, byOperator(), employee_id, { status: 'inactive' }, scoring),
        )
      return {
        first: send(email),
        second,
        check: async ended => {
          done(ended.second)
          const { impact, score_after } = bodyOf(ended.first)
          const found = (await readStandings(service, tenant)).find(one => one.email === email)!
          expect(found.status).toBe('inactive')
          expect(found.score).toBe(75 + impact)
          expect(score_after).toBe(75 + impact)
        },
      }
    })
  })

  it('erasure: the event is scored before it, or finds nobody after it', async () => {
    await contest(
      async () => {
        const { email, employee_id } = await newcomer()
        return {
          first: send(email),
          second: context =>
            eraseEmployee(context, tenant.tenant_id, operatorOrigin(), employee_id),
          check: async ended => {
            done(ended.second)
            const { status } = done(ended.first)
            expect([201, 404]).toContain(status)
            const events = (await readLog(service, tenant)).filter(
              event => event.employee_id === employee_id,
            )
            expect(events).toHaveLength(status === 201 ? 1 : 0)
            expect(JSON.stringify(events)).not.toContain(email)
          },
        }
      },
      { most: 16 },
    )
  })

  it('decay: what fell due comes first and once, whoever writes it', async () => {
    let person: { email: string }
    await contest(async () => {
      person ??= await newcomer()
      const { email } = person
      await ingest(service, tenant, [{ email, type: 'auth.mfa_disabled' }])
      service.clock.advance(4 * DAY)
      const job = applyDueChangesJob()
      return {
        first: send(email, { type: 'email.phishing_reported' }),
        second: context => job.run(context),
        check: async ended => {
          done(ended.first)
          done(ended.second)
          const history = await readHistory(service, tenant, email)
          expect(history.map(row => row.version)).toEqual(history.map((_, i) => i + 1))
          const times = history.map(row => row.at.getTime())
          expect(times).toEqual([...times].sort((a, b) => a - b))
          expect(history.some(row => row.reason === 'decay')).toBe(true)
        },
      }
    })
  })
})

describe('two claims of', () => {
  it('deliveries never hold the same one, nor two of one employee', async () => {
    let made = 0
    await contest(async () => {
      if (made++ === 0) {
        const url = 'http://127.0.0.1:9/hook'
        const hook = await tenant.call('POST', '/v1/webhooks', { url, events: ['score.updated'] })
        expect(hook.status).toBe(201)
      }
      const now = service.clock.now()
      const employees = [`emp_a${made}`, `emp_b${made}`]
      const messages = [...employees, ...employees].map((id, i) => message(id, now, i))
      await tell(service.context, tenant.tenant_id, messages)
      const claim: Side<string[]> = async context => {
        const room = { all: 3, tenant: 3, of: () => 3, kept: () => 2 }
        const { deliveries } = await claimDeliveries(context, tenant.tenant_id, room, MINUTE)
        return deliveries.map(one => `${one.employee_id} ${one.delivery_id}`)
      }
      return {
        first: claim,
        second: claim,
        check: async ended => {
          const [a, b] = [done(ended.first), done(ended.second)]
          expect(a.length + b.length).toBeGreaterThan(0)
          expect(a.filter(one => b.includes(one))).toEqual([])
          const of = (list: string[]) => new Set(list.map(one => one.split(' ')[0]!))
          expect([...of(a)].filter(one => of(b).has(one))).toEqual([])
          await service.context.db
            .sql`UPDATE webhook_deliveries SET status = 'delivered', next_attempt_at = NULL,
            lease_until = NULL, fence = NULL WHERE tenant_id = ${tenant.tenant_id}`
        },
      }
    })
  })

  it('the last token: one is admitted', async () => {
    let made = 0
    await contest(async () => {
      const spec = { bucket: `last${made++}`, per_minute: 1, capacity: 1 }
      const take: Side<boolean> = async ({ db, clock }) => {
        const taken = await createLimiter(db, clock).take(tenant.tenant_id, [spec], 1)
        return taken.admitted
      }
      return {
        first: take,
        second: take,
        check: ended => {
          expect([done(ended.first), done(ended.second)].sort()).toEqual([false, true])
        },
      }
    })
  })
})
