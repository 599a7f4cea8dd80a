// A job acts by the rights of whoever asked for it: when they are gone it stops, and what was done stays.
import { describe, expect, it } from 'vitest'
import { addApp } from '../../test/oauth.ts'
import { signIn } from '../../test/people.ts'
import { checkBooks, openChanged, readStandings, runJobs } from '../../test/scenario.ts'
import { type Call, caller, startService, type Tenant } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { changeMember, removeMember } from '../accounts/manage-members.ts'
import { createKey, revokeKeyById } from '../keys/manage-keys.ts'
import { listGrants } from '../oauth/apps.queries.ts'
import { endGrantById } from '../oauth/end-grant.ts'
import { changeApp } from '../oauth/manage-apps.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { HOUR } from '../platform/clock.ts'
import { requestRecalculation } from './request-jobs.ts'
import { replayJobsJob } from './run-replay-jobs.job.ts'

const service = await startService()

const OPERATOR = operatorOrigin()
const EMAILS = ['a@x.com', 'b@x.com', 'c@x.com']
/** One person for each claim. */
const SLOW = { pieces: 1, events: 1, most_employees: 1, first_employees: 1 }
const ERROR = 'whoever asked for this may no longer do it'

async function openThree(): Promise<Tenant> {
  return (await openChanged(service, await service.tenant(), EMAILS)).tenant
}

const scores = async (tenant: Tenant) =>
  (await readStandings(service, tenant)).map(standing => standing.score)

type Originator = { call: Call; loseRights(): Promise<unknown> }

async function asKey({ tenant_id }: Tenant, expires_at: Date | null = null) {
  const input = { name: 'ci', scopes: ['rules:write', 'events:write'] as const, expires_at }
  const made = await asOperator(service.context, tenant_id, createKey, input)
  return { key_id: made.id, call: caller(service.app, made.key) }
}

async function asApp({ tenant_id }: Tenant, people = 1) {
  const scopes = ['rules:write', 'events:write'] as const
  const app = await addApp(service, tenant_id, [...scopes])
  const users: string[] = []
  let call: Call = caller(service.app, null)
  for (let i = 0; i < people; i++) {
    const person = await signIn(service, tenant_id, 'admin')
    users.push(person.user_id)
    call = caller(service.app, (await app.connect(person)).tokens.access_token)
  }
  return { client_id: app.client_id, users, call }
}

async function endGrantOf({ tenant_id }: Tenant, user_id: string): Promise<void> {
  const { context, clock } = service
  const [grant] = await context.db.inTenant(tenant_id, tx =>
    listGrants(tx, tenant_id, { user_id, client_id: null }, new Date(clock.now())),
  )
  await asOperator(context, tenant_id, endGrantById, grant!.grant_id, null)
}

const change = ({ tenant_id }: Tenant, user_id: string, to: Parameters<typeof changeMember>[3]) =>
  asOperator(service.context, tenant_id, changeMember, user_id, to)

const ORIGINATORS: [string, (tenant: Tenant) => Promise<Originator>][] = [
  [
    'a key that is revoked',
    async tenant => {
      const { key_id, call } = await asKey(tenant)
      const { tenant_id } = tenant
      return {
        call,
        loseRights: () => asOperator(service.context, tenant_id, revokeKeyById, key_id),
      }
    },
  ],
  [
    'a key that expires',
    async tenant => {
      const { call } = await asKey(tenant, new Date(service.clock.now() + HOUR))
      return { call, loseRights: async () => service.clock.advance(HOUR) }
    },
  ],
  [
    'a key whose scope is taken away',
    async tenant => {
      const { key_id, call } = await asKey(tenant)
      const { tenant_id } = tenant
      const narrow = () =>
        service.context.db.inTenant(
          tenant_id,
          tx => tx`UPDATE api_keys SET scopes = '{rules:read,events:read}'
            WHERE tenant_id = ${tenant_id} AND key_id = ${key_id}`,
        )
      return { call, loseRights: narrow }
    },
  ],
  [
    'a person with a lower role',
    async tenant => {
      const { user_id, call } = await signIn(service, tenant.tenant_id, 'admin')
      return { call: call as Call, loseRights: () => change(tenant, user_id, { role: 'viewer' }) }
    },
  ],
  [
    'a person who is disabled',
    async tenant => {
      const { user_id, call } = await signIn(service, tenant.tenant_id, 'admin')
      return {
        call: call as Call,
        loseRights: () => change(tenant, user_id, { status: 'disabled' }),
      }
    },
  ],
  [
    'a person who is removed',
    async tenant => {
      const { tenant_id } = tenant
      const { user_id, call } = await signIn(service, tenant_id, 'admin')
      const remove = () => removeMember(service.context, tenant_id, OPERATOR, user_id)
      return { call: call as Call, loseRights: remove }
    },
  ],
  [
    'an app whose grant is ended',
    async tenant => {
      const { users, call } = await asApp(tenant)
      return { call, loseRights: () => endGrantOf(tenant, users[0]!) }
    },
  ],
  [
    'an app whose person has a lower role',
    async tenant => {
      const { users, call } = await asApp(tenant)
      return { call, loseRights: () => change(tenant, users[0]!, { role: 'viewer' }) }
    },
  ],
  [
    'an app that may ask for less',
    async tenant => {
      const { client_id, call } = await asApp(tenant)
      const scopes = ['rules:read'] as const
      const narrow = () =>
        asOperator(service.context, tenant.tenant_id, changeApp, client_id, { scopes: [...scopes] })
      return { call, loseRights: narrow }
    },
  ],
]

describe('a job of one who loses the right to it', () => {
  it.each(ORIGINATORS)('%s: the recalculation ends, what was done stays', async (_name, open) => {
    const tenant = await openThree()
    const { call, loseRights } = await open(tenant)
    const asked = await call('POST', '/v1/rules/recalculate', { scope: 'all' })
    expect(asked.status).toBe(202)
    await replayJobsJob(SLOW).run(service.context)
    expect((await scores(tenant)).toSorted()).toEqual([35, 65, 65])
    await loseRights()
    await runJobs(service)
    expect((await scores(tenant)).filter(score => score < 60)).toHaveLength(1)
    const { body } = await tenant.call('GET', asked.headers.location as string)
    expect(body).toMatchObject({ status: 'cancelled', employees_processed: 1, error: ERROR })
    const { job_id } = asked.body
    const entries = await tenant.call('GET', `/v1/audit?subject_id=${job_id}&per_page=1`)
    expect(entries.body.data[0]).toMatchObject({
      action: 'recalculation.cancelled',
      actor: { kind: 'engine' },
      after: { status: 'cancelled', error: ERROR },
    })
    await checkBooks(service, tenant)
    expect((await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })).status).toBe(202)
    await runJobs(service)
    expect(new Set(await scores(tenant)).size).toBe(1)
  })

  it.each([
    ['/v1/rules/recalculate?dry_run=true', { scope: 'all' }],
    ['/v1/events/retract', { reason: 'scanner', filter: { type: 'custom.a' } }],
  ])('POST %s before it has begun: nothing is done', async (url, input) => {
    const tenant = await openThree()
    const { user_id, call } = await signIn(service, tenant.tenant_id, 'admin')
    const asked = await call('POST', url, input)
    expect(asked.status).toBe(202)
    await change(tenant, user_id, { role: 'viewer' })
    await runJobs(service)
    const { body } = await tenant.call('GET', asked.headers.location as string)
    expect(body).toMatchObject({ status: 'cancelled', error: ERROR })
    expect(await scores(tenant)).toEqual([65, 65, 65])
  })
})

describe('a job goes on', () => {
  it('for a person whose lower role still holds the scope', async () => {
    const tenant = await openThree()
    const { user_id, call } = await signIn(service, tenant.tenant_id, 'admin')
    const filter = { type: 'custom.a' }
    const asked = await call('POST', '/v1/events/retract', { reason: 'scanner', filter })
    await change(tenant, user_id, { role: 'analyst' })
    await runJobs(service)
    const { body } = await tenant.call('GET', asked.headers.location as string)
    expect(body).toMatchObject({ status: 'completed', error: null })
  })

  it('for an app that another person still lets do it', async () => {
    const tenant = await openThree()
    const { users, call } = await asApp(tenant, 2)
    const asked = await call('POST', '/v1/rules/recalculate', { scope: 'all' })
    await endGrantOf(tenant, users[1]!)
    await runJobs(service)
    const { body } = await tenant.call('GET', asked.headers.location as string)
    expect(body.status).toBe('completed')
  })

  it('for the operator, whom no tenant knows', async () => {
    const tenant = await openThree()
    const { tenant_id } = tenant
    const asked = { tenant_id, origin: OPERATOR, now: service.clock.now() }
    const limits = { recalculations: 9, recalculation_window_ms: HOUR } as never
    const { job_id } = await service.context.db.inTenant(tenant_id, tx =>
      requestRecalculation(tx, asked, limits, { scope: 'all' }, false),
    )
    await runJobs(service)
    const { body } = await tenant.call('GET', `/v1/rules/recalculate/${job_id}`)
    expect(body.status).toBe('completed')
  })

  it('after a change of settings, which is in force already', async () => {
    const tenant = await openThree()
    const { user_id, call } = await signIn(service, tenant.tenant_id, 'admin')
    const changed = await call('PATCH', '/admin/settings', { starting_score: 70 })
    expect(changed.status).toBe(200)
    await change(tenant, user_id, { role: 'viewer' })
    await runJobs(service)
    const { job_id } = changed.body.jobs[0]
    const { body } = await tenant.call('GET', `/v1/rules/recalculate/${job_id}`)
    expect(body).toMatchObject({ status: 'completed', employees_processed: 3 })
    await checkBooks(service, tenant)
  })
})
