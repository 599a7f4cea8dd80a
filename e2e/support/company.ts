// An organization for a file of journeys, in the one service of the worker: real server, PostgreSQL, worker, deliveries.
import pino from 'pino'
import type { Page } from 'playwright-core'
import { asOperator } from '../../server/src/accounts/identity.ts'
import { inviteUser } from '../../server/src/accounts/invite-user.ts'
import { openSession } from '../../server/src/accounts/open-session.ts'
import type { Role } from '../../server/src/accounts/roles.ts'
import { type App, buildApp } from '../../server/src/app.ts'
import { listJobs } from '../../server/src/jobs.ts'
import { createKey, readScopes } from '../../server/src/keys/manage-keys.ts'
import { openTenant } from '../../server/src/open-tenant.ts'
import { operatorOrigin } from '../../server/src/platform/actor.ts'
import type { Context } from '../../server/src/platform/context.ts'
import { openDatabase, RESERVED_TENANT } from '../../server/src/platform/database.ts'
import { nameRoles } from '../../server/src/platform/database-roles.ts'
import { startWorker } from '../../server/src/platform/jobs.ts'
import { createSecrets, keyFromSetting } from '../../server/src/platform/secrets.ts'
import { startDeliveryEngine } from '../../server/src/webhooks/deliver-webhooks.job.ts'
import {
  addPerson,
  type Browser as Caller,
  openBrowser as openCaller,
  PASSWORD,
} from '../../server/test/people.ts'
import { cloneDatabase, type Service, testConfig } from '../../server/test/service.ts'
import { type Looks, type OwnLooks, openOwn, openPage, openShared } from './browser.ts'

export { PASSWORD }

export type Person = { email: string; user_id: string }

export type Company = {
  url: string
  tenant_id: string
  context: Context
  app: App
  /** A call of the API with the tenant's key. */
  api<T = any>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }>
  /** Somebody with this role, who has chosen PASSWORD. */
  person(role: Role, email?: string): Promise<Person>
  /** A page of somebody who is logged in, in the window of that role. Null: still an empty one. */
  enter(role: Role, path?: string | null, looks?: Looks): Promise<Page>
  /** The same in a window of one's own: for journeys that set its clock, its network or its cookies. */
  enterApart(role: Role, path?: string | null, looks?: OwnLooks): Promise<Page>
  /** A page of this person in a window of their own, with a session of their own: for journeys that change it. */
  enterAs(email: string, path: string | null): Promise<Page>
  /** A page of nobody. */
  visit(path: string, looks?: Looks): Promise<Page>
  /** This person elsewhere, who calls as the dashboard does. */
  callAs(email: string): Promise<Caller>
}

type Running = { app: App; context: Context; url: string }

/** Ends with the process of the worker. */
let running: Promise<Running> | undefined
let people = 0

async function startService(): Promise<Running> {
  const address = await cloneDatabase()
  const config = testConfig({ webhook_allow: ['127.0.0.0/8'], host: '127.0.0.1' })
  const context: Context = {
    db: openDatabase({ address, pool: config.pool, prepare: true, roles: nameRoles() }),
    clock: { now: () => Date.now() },
    config,
    secrets: createSecrets(keyFromSetting('a key for journeys only, long enough')),
    log: pino({ level: 'silent' }),
  }
  const app = buildApp(context)
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  startWorker(context, listJobs())
  startDeliveryEngine(context)
  const { port } = app.server.server.address() as { port: number }
  return { app, context, url: `http://127.0.0.1:${port}` }
}

export async function startCompany(name = 'Acme'): Promise<Company> {
  running ??= startService()
  const { app, context, url } = await running
  const { tenant_id } = await openTenant(context, operatorOrigin(), { name, plan: 'enterprise' })
  const { key } = await asOperator(context, tenant_id, createKey, {
    name: 'journeys',
    scopes: readScopes('all'),
    expires_at: null,
  })
  const service = { app, context } as Service
  // All organizations of a worker share one list of users.
  const person = async (role: Role, email = `person${++people}@example.test`) => {
    const made = await addPerson(service, tenant_id, role, email)
    users.set(email, made.user_id)
    return made
  }
  const users = new Map<string, string>()
  const sessions = new Map<Role, string>()
  const open = (email: string) => insertSession(context, users.get(email)!, tenant_id)
  const sessionOf = async (role: Role) => {
    const session = sessions.get(role) ?? (await open((await person(role)).email))
    sessions.set(role, session)
    return session
  }
  return {
    url,
    tenant_id,
    context,
    app,
    person,
    api: (method, path, body) => callApi(url, key, method, path, body),
    visit: async (path, looks) => openPage(await openOwn(url, null), path, looks),
    enter: async (role, path = '/', looks) =>
      openPage(await openShared(url, role, await sessionOf(role)), path, looks),
    enterApart: async (role, path = '/', looks) =>
      openPage(await openOwn(url, await sessionOf(role), looks?.timezone), path, looks),
    enterAs: async (email, path) => openPage(await openOwn(url, await open(email)), path),
    callAs: async email => {
      const caller = openCaller(service)
      await caller.logIn(email)
      return caller
    },
  }
}

/** The cookie of a session as a login opens it. */
async function insertSession(
  { db, clock }: Context,
  user_id: string,
  active_tenant: string,
): Promise<string> {
  const visit = { address: '127.0.0.1', request_id: 'req_journey', device: 'test', cookies: '' }
  const session = { user_id, stage: 'signed_in', active_tenant } as const
  const { token } = await db.inTenant(RESERVED_TENANT, tx =>
    openSession(tx, visit, clock.now(), session),
  )
  return token
}

async function callApi(url: string, key: string, method: string, path: string, body?: unknown) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

const EMPLOYEES = [
  { first_name: 'Ada', last_name: 'Moss', department: 'Finance' },
  { first_name: 'Ben', last_name: 'Okoro', department: 'Finance' },
  { first_name: 'Cleo', last_name: 'Marsh', department: 'Sales' },
  { first_name: 'Dan', last_name: 'Ruiz', department: 'Sales' },
  { first_name: 'Eva', last_name: 'Lind', department: 'Sales' },
  { first_name: 'Finn', last_name: 'Berg', department: '' },
].map(person => ({ ...person, email: `${person.first_name.toLowerCase()}@acme.test` }))

const EVENTS = [
  ['ada@acme.test', 'training.completed'],
  ['cleo@acme.test', 'sim.link_clicked'],
  ['dan@acme.test', 'sim.link_clicked'],
  ['dan@acme.test', 'sim.credential_submitted'],
  ['eva@acme.test', 'endpoint.malware_detected'],
  ['eva@acme.test', 'auth.mfa_disabled'],
] as const

/** One with something to look at: people in every band, and the events that put them there. */
export async function seedCompany(name = 'Acme'): Promise<Company> {
  const company = await startCompany(name)
  await take(company.api('POST', '/v1/employees/batch', { employees: EMPLOYEES }), 207)
  // One after the other, as they would come in: a batch takes custom types alone.
  for (const [email, event_type] of EVENTS) await sendEvent(company, email, event_type)
  return company
}

export async function sendEvent({ api }: Company, email: string, event_type: string) {
  const event = { source: 'story', event_type, employee: { email } }
  return take(api('POST', '/v1/events/webhook', event), 201)
}

export async function findPerson({ api }: Company, email: string) {
  return take(api('GET', `/v1/employees/by-email/${email}`), 200)
}

async function take(asked: Promise<{ status: number; body: any }>, wanted: number) {
  const { status, body } = await asked
  if (status !== wanted) throw new Error(JSON.stringify(body))
  return body
}

/** Joins by the link of another organization, and works in the first again. */
export async function addOrganization(company: Company, email: string, name: string) {
  const { app, context, url } = company
  const { tenant_id } = await openTenant(context, operatorOrigin(), { name, plan: 'enterprise' })
  const input = { email, role: 'admin' } as const
  const { setup_url } = await inviteUser(context, tenant_id, operatorOrigin(), url, input)
  const caller = openCaller({ app, context } as Service)
  await caller.logIn(email)
  await caller.call('POST', '/session/link/accept', {
    token: new URL(setup_url).searchParams.get('token')!,
  })
}
