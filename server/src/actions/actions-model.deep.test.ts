// The life of actions against a model: who may decide, what ends when, and how long a policy rests.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkModel, command, nth } from '../../test/model.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { insertMembership, type Membership } from '../accounts/memberships.queries.ts'
import { DAY, HOUR } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import type { ActionStatus, ActionType } from './action-types.ts'
import { addPolicy, happen, hire, openDesk } from './actions.fixture.ts'
import { approveAction, rejectAction, reportAction, requestAction } from './change-action.ts'
import { expireActionsJob } from './expire-actions.job.ts'

const service = await startService()
const { clock, context } = service

type Known = {
  id: string
  status: ActionStatus
  by: string
  mail: boolean
  expires_at: number
}
type Model = { actions: Known[]; told: Record<string, number>; acted_at: number | null }
type Real = { tenant: Tenant; employee: { id: string; email: string } }
type Verb = 'approve' | 'reject' | 'complete' | 'fail'

const TYPES = {
  webhook_only: { mail: false, asks: false },
  restrict_access: { mail: false, asks: true },
  notify_manager: { mail: true, asks: false },
} as const satisfies Partial<Record<ActionType, { mail: boolean; asks: boolean }>>
const LIFE = { awaiting_approval: 7 * DAY, triggered: 30 * DAY }

const askedBy = (id: string, { tenant_id }: Tenant) => {
  const origin = { actor: { kind: 'user' as const, id }, request_id: 'req_test', address: '' }
  return { tenant_id, origin, now: clock.now() }
}

function tellOf(model: Model, kind: string): void {
  model.told[kind] = (model.told[kind] ?? 0) + 1
}

function add(model: Model, id: string, asks: boolean, rest: { by: string; mail: boolean }): void {
  const status = asks ? 'awaiting_approval' : 'triggered'
  model.actions.push({ id, status, ...rest, expires_at: clock.now() + LIFE[status] })
  if (!asks) tellOf(model, 'action.triggered')
}

const PEOPLE = ['usr_a', 'usr_b']
const who = fc.constantFrom(...PEOPLE)

const request = fc
  .record({ by: who, type: fc.constantFrom(...(Object.keys(TYPES) as (keyof typeof TYPES)[])) })
  .map(({ by, type }) =>
    command<Model, Real>(`${by} asks for ${type}`, async (model, { tenant, employee }) => {
      const { mail, asks } = TYPES[type]
      const wanted = { employee_id: employee.id, type }
      const action = await context.db.inTenant(tenant.tenant_id, tx =>
        requestAction(tx, askedBy(by, tenant), wanted),
      )
      add(model, action.id, asks, { by: `user:${by}`, mail })
    }),
  )

/** What the contract lets happen: the new status, or the status of the refusal. */
function expectVerdict(action: Known, verb: Verb, by: string): ActionStatus | number {
  const wanted = verb === 'approve' || verb === 'reject' ? 'awaiting_approval' : 'triggered'
  const isOver = action.expires_at <= clock.now()
  if (isOver || action.status !== wanted) return 409
  if (verb === 'approve') return action.by === `user:${by}` ? 403 : 'triggered'
  if (verb === 'reject') return 'rejected'
  if (action.mail) return 409
  return verb === 'complete' ? 'completed' : 'failed'
}

function decide({ tenant }: Real, { id }: Known, verb: Verb, by: string) {
  const asked = askedBy(by, tenant)
  return context.db.inTenant<{ status: string }>(tenant.tenant_id, tx => {
    if (verb === 'approve') return approveAction(tx, asked, id, '')
    if (verb === 'reject') return rejectAction(tx, asked, id, '')
    const status = verb === 'complete' ? 'completed' : 'failed'
    return reportAction(tx, asked, id, status, {})
  })
}

const verdict = fc
  .record({
    by: who,
    verb: fc.constantFrom<Verb>('approve', 'reject', 'complete', 'fail'),
    place: fc.nat(30),
  })
  .map(({ by, verb, place }) =>
    command<Model, Real>(
      `${by} ${verb}s ${place}`,
      async (model, real) => {
        const action = nth(model.actions, place)
        const expected = expectVerdict(action, verb, by)
        const found = await decide(real, action, verb, by).then(
          answer => answer.status,
          error => error.status,
        )
        expect(found).toBe(expected)
        if (typeof expected === 'number') return
        action.status = expected
        if (expected === 'triggered') action.expires_at = clock.now() + LIFE.triggered
        else action.expires_at = Number.POSITIVE_INFINITY
        if (expected === 'triggered') tellOf(model, 'action.triggered')
        if (expected === 'completed') tellOf(model, 'action.completed')
      },
      model => model.actions.length > 0,
    ),
  )

/** The policy waits for approval and rests for a day; exactly at its end it acts again. */
const event = fc.constant(
  command<Model, Real>('an event', async (model, { tenant, employee }) => {
    await happen(tenant, employee, 'custom.watched')
    const rests = model.acted_at !== null && clock.now() - model.acted_at < DAY
    const { body } = await tenant.call('GET', '/v1/actions?per_page=100')
    const known = new Set(model.actions.map(one => one.id))
    const fresh = body.data.filter((one: { id: string }) => !known.has(one.id))
    expect(fresh).toHaveLength(rests ? 0 : 1)
    if (rests) return
    model.acted_at = clock.now()
    add(model, fresh[0].id, true, { by: 'engine:engine', mail: false })
  }),
)

const wait = fc.constantFrom(HOUR, 23 * HOUR, DAY, 7 * DAY - 1, 7 * DAY, 23 * DAY).map(ms =>
  command<Model, Real>(`wait ${ms / HOUR} h`, async () => {
    clock.advance(ms)
  }),
)

/** Whatever is over is so recorded, and everything else stands as the model has it. */
const expire = fc.constant(
  command<Model, Real>('the worker', async (model, { tenant }) => {
    await runDueJobs(context, [expireActionsJob()])
    for (const action of model.actions) {
      if (action.expires_at > clock.now()) continue
      Object.assign(action, { status: 'expired', expires_at: Number.POSITIVE_INFINITY })
    }
    const rows = await context.db.inTenant(
      tenant.tenant_id,
      tx => tx`SELECT action_id, status FROM actions WHERE tenant_id = ${tenant.tenant_id}`,
    )
    const found = Object.fromEntries(rows.map(row => [row.action_id, row.status]))
    expect(found).toEqual(Object.fromEntries(model.actions.map(one => [one.id, one.status])))
    const told = await context.db.inTenant(
      tenant.tenant_id,
      tx => tx`SELECT event, count(*) AS n FROM webhook_deliveries WHERE tenant_id = ${tenant.tenant_id}
        GROUP BY event`,
    )
    expect(Object.fromEntries(told.map(row => [row.event, row.n]))).toEqual(model.told)
  }),
)

it('every transition is allowed, refused and told as the model says', async () => {
  const commands = [request, verdict, verdict, verdict, event, wait, expire]
  await checkModel(commands, open, { runs: 25, most: 30 })
})

async function open(): Promise<{ model: Model; real: Real }> {
  const tenant = await service.tenant()
  const desk = await openDesk(service, tenant)
  const trigger = { kind: 'event', event_type: 'custom.watched', conditions: {} }
  await addPolicy(desk, trigger, { requires_approval: true })
  const hook = {
    url: 'https://hooks.example.com/',
    events: ['action.triggered', 'action.completed'],
  }
  expect((await tenant.call('POST', '/v1/webhooks', hook)).status).toBe(201)
  for (const user_id of PEOPLE) {
    const row: Membership = {
      user_id,
      membership_id: `mem_${user_id}`,
      email: `${user_id}@example.com`,
      role: 'admin',
      status: 'active',
      created_by: 'operator',
      created_at: new Date(clock.now()),
    }
    await context.db.inTenant(tenant.tenant_id, tx => insertMembership(tx, tenant.tenant_id, row))
  }
  const employee = await hire(tenant)
  return { model: { actions: [], told: {}, acted_at: null }, real: { tenant, employee } }
}
