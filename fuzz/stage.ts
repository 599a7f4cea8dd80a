// A whole service for the fuzzer: a clock of its own, a log it can read, a tenant to attack from and one to find.
import pino from 'pino'
import { acceptLink } from '../server/src/accounts/accept-link.ts'
import { asOperator } from '../server/src/accounts/identity.ts'
import { inviteUser } from '../server/src/accounts/invite-user.ts'
import { type App, buildApp } from '../server/src/app.ts'
import { readConfig } from '../server/src/config.ts'
import { listJobs } from '../server/src/jobs.ts'
import { createKey, readScopes } from '../server/src/keys/manage-keys.ts'
import { openTenant } from '../server/src/open-tenant.ts'
import { operatorOrigin } from '../server/src/platform/actor.ts'
import type { Context } from '../server/src/platform/context.ts'
import { openDatabase } from '../server/src/platform/database.ts'
import type { PostgresAddress } from '../server/src/platform/embedded-postgres.ts'
import { runDueJobs } from '../server/src/platform/jobs.ts'
import { logOptions } from '../server/src/platform/log-options.ts'
import { createSecrets, keyFromSetting } from '../server/src/platform/secrets.ts'
import { updateTenant } from '../server/src/tenants/tenants.queries.ts'
import type { FuzzAnswer } from './judge.ts'
import type { FuzzRequest } from './requests.ts'

export const HOST = 'fuzz.test'
const ORIGIN = `http://${HOST}`
const SECRET_KEY = 'a key for the fuzzer only, long enough'
const START = Date.parse('2026-03-02T09:00:00.000Z')
const VISIT = { address: '192.0.2.1', request_id: 'req_fuzz', device: 'fuzz', cookies: '' }
const MANY = 1_000_000
const ROOMY = {
  requests: MANY,
  burst: MANY,
  scores: MANY,
  inbound: MANY,
  outbound: MANY,
  recalculations: 1000,
}

export type Caller = {
  tenant_id: string
  key: string
  key_id: string
  email: string
  password: string
}

export type Stage = {
  readonly app: App
  readonly context: Context
  readonly attacker: Caller
  readonly victim: Caller
  /** Where people are erased whose names are words of the configuration. */
  readonly bystander: Caller
  /** What was written to the log since the last look. */
  readLog(): string[]
  advance(ms: number): void
  send(request: FuzzRequest): Promise<FuzzAnswer>
  /** Cookie and token of a fresh session of the attacker's owner. */
  logIn(): Promise<Record<string, string>>
  work(): Promise<void>
  close(): Promise<void>
}

export async function openStage(address: PostgresAddress): Promise<Stage> {
  let now = START
  let sent = 0
  const lines: string[] = []
  const cost = { memory_kib: 8, passes: 1 }
  const context: Context = {
    db: openDatabase({ address, pool: 6, prepare: true }),
    clock: { now: () => now },
    config: Object.freeze({ ...readConfig({}), log_level: 'trace', password_cost: cost }),
    secrets: createSecrets(keyFromSetting(SECRET_KEY)),
    log: pino(logOptions('trace'), { write: line => void lines.push(line) }),
  }
  const app = buildApp(context)
  await app.server.ready()
  const send = async (request: FuzzRequest) => {
    // From many addresses, so that the limit of one does not answer for everything else.
    const remoteAddress = `198.51.100.${++sent % 250}`
    const method = request.method as 'GET'
    const answer = await app.server.inject({ ...request, method, remoteAddress })
    return { status: answer.statusCode, headers: answer.headers, body: answer.body }
  }
  const attacker = await openCaller(context, 'Attacker', 'owner@attacker.test')
  const victim = await openCaller(context, 'Victim canaryzq', 'owner@victim.test')
  const bystander = await openCaller(context, 'hooks acme not_in', 'owner@bystander.test')
  return {
    app,
    context,
    attacker,
    victim,
    bystander,
    send,
    readLog: () => lines.splice(0),
    advance: ms => {
      now += ms
    },
    logIn: () => logIn(send, attacker),
    work: () =>
      runDueJobs(
        context,
        listJobs(async () => true),
      ),
    close: async () => {
      await app.close()
      await context.db.close()
    },
  }
}

async function openCaller(context: Context, name: string, email: string): Promise<Caller> {
  const { tenant_id } = await openTenant(context, operatorOrigin(), { name, plan: 'enterprise' })
  await context.db.inTenant(tenant_id, tx =>
    updateTenant(tx, tenant_id, { plan: 'enterprise', limits: ROOMY, status: 'active' }),
  )
  const { key, id: key_id } = await asOperator(context, tenant_id, createKey, {
    name: 'fuzz',
    scopes: readScopes('all'),
    expires_at: null,
  })
  const password = `violet otters sing to ${tenant_id.slice(-6)}`
  const input = { email, role: 'owner' as const }
  const invited = await inviteUser(context, tenant_id, operatorOrigin(), ORIGIN, input)
  const token = new URL(invited.setup_url).searchParams.get('token')!
  await acceptLink(context, VISIT, null, { token, password })
  return { tenant_id, key, key_id, email, password }
}

async function logIn(send: Stage['send'], { email, password }: Caller) {
  const answer = await send({
    method: 'POST',
    url: '/session/login',
    headers: { host: HOST, origin: ORIGIN, 'content-type': 'application/json' },
    payload: JSON.stringify({ email, password }),
  })
  if (answer.status !== 200) throw new Error(`the fuzzer cannot log in: ${answer.body}`)
  const cookie = String([answer.headers['set-cookie']].flat()[0]).split(';')[0]!
  const { csrf_token } = JSON.parse(answer.body) as { csrf_token: string }
  return { host: HOST, origin: ORIGIN, cookie, 'x-csrf-token': csrf_token }
}
