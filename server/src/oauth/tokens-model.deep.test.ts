// Codes, tokens, rotation and revocation against a model of the family that every grant begins.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkModel, command, nth } from '../../test/model.ts'
import { addApp, challengeOf, REDIRECT_URI } from '../../test/oauth.ts'
import { addPerson } from '../../test/people.ts'
import { caller, startService } from '../../test/service.ts'
import { DAY, SECOND } from '../platform/clock.ts'
import { approveRequest } from './approve-request.ts'
import { LIFETIMES } from './lifetimes.ts'

const service = await startService()
const { clock, context } = service
const { tenant_id } = await service.tenant()
const app = await addApp(service, tenant_id)
const { user_id } = await addPerson(service, tenant_id)
const [membership] = await context.db.inTenant(
  tenant_id,
  tx =>
    tx`SELECT membership_id FROM memberships WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`,
)

type Grant = { ended: boolean; expires_at: number }
type Code = { text: string; verifier: string; grant: Grant; used: boolean; expires_at: number }
type Access = { text: string; grant: Grant; revoked: boolean; expires_at: number }
type Refresh = {
  /** Given in the same answer. */
  access: Access
  text: string
  grant: Grant
  revoked: boolean
  expires_at: number
  used_at: number | null
  successor: Refresh | null
}
type Model = { codes: Code[]; access: Access[]; refresh: Refresh[] }
type Real = null

const isLive = (grant: Grant) => !grant.ended && grant.expires_at > clock.now()

const approve = fc.constant(
  command<Model, Real>('approve', async model => {
    const verifier = 'v'.repeat(43 + model.codes.length)
    const origin = { actor: { kind: 'user' as const, id: user_id }, request_id: '', address: '' }
    const client = { tenant_id, app: { client_id: app.client_id }, redirect_uri: REDIRECT_URI }
    const granted = ['scores:read', 'events:write']
    const { membership_id } = membership!
    const offer = { membership_id, granted, code_challenge: challengeOf(verifier) }
    const text = await approveRequest(context, origin, client as never, offer as never)
    const now = clock.now()
    const grant = { ended: false, expires_at: now + LIFETIMES.grant_ms }
    const expires_at = now + LIFETIMES.code_ms
    model.codes.push({ text, verifier, grant, used: false, expires_at })
  }),
)

function keepPair(model: Model, body: any, grant: Grant): Refresh {
  const now = clock.now()
  const common = { grant, revoked: false }
  const text: string = body.access_token
  const access = { ...common, text, expires_at: now + LIFETIMES.access_ms }
  model.access.push(access)
  const refresh: Refresh = {
    ...common,
    access,
    text: body.refresh_token,
    expires_at: Math.min(now + LIFETIMES.refresh_idle_ms, grant.expires_at),
    used_at: null,
    successor: null,
  }
  model.refresh.push(refresh)
  return refresh
}

const exchange = fc
  .record({ place: fc.nat(20), wrong: fc.constantFrom(false, false, false, true) })
  .map(({ place, wrong }) =>
    command<Model, Real>(
      `exchange ${place}${wrong ? ' wrongly' : ''}`,
      async model => {
        const code = nth(model.codes, place)
        const { status, body } = await app.post('/oauth/token', {
          grant_type: 'authorization_code',
          redirect_uri: REDIRECT_URI,
          code: code.text,
          code_verifier: wrong ? 'w'.repeat(43) : code.verifier,
        })
        const inTime = code.expires_at > clock.now()
        const good = !code.used && inTime && !wrong && isLive(code.grant)
        expect(status).toBe(good ? 200 : 400)
        // The second use of a code ends what the first gave, however late it comes.
        if (code.used) code.grant.ended = true
        if (!good) return
        code.used = true
        keepPair(model, body, code.grant)
      },
      model => model.codes.length > 0,
    ),
  )

/** What is to come of a refresh: a new pair, a refusal, or the end of the family. */
function judge(token: Refresh): 'rotate' | 'refuse' | 'end' {
  const now = clock.now()
  if (!isLive(token.grant)) return 'refuse'
  if (token.revoked) return 'end'
  if (token.used_at === null) return token.expires_at <= now ? 'refuse' : 'rotate'
  if (now - token.used_at > LIFETIMES.leeway_ms) return 'end'
  const { successor } = token
  return successor!.used_at === null && !successor!.revoked ? 'rotate' : 'end'
}

const refresh = fc.nat(30).map(place =>
  command<Model, Real>(
    `refresh ${place}`,
    async model => {
      // No answer is used in the millisecond in which it was given.
      clock.advance(1)
      const token = nth(model.refresh, place)
      const expected = judge(token)
      const { status, body } = await app.refresh(token.text)
      expect(status).toBe(expected === 'rotate' ? 200 : 400)
      if (expected === 'end') token.grant.ended = true
      if (expected !== 'rotate') return
      const { successor } = token
      if (successor) successor.revoked = successor.access.revoked = true
      token.successor = keepPair(model, body, token.grant)
      token.used_at ??= clock.now()
    },
    model => model.refresh.length > 0,
  ),
)

const giveBack = fc
  .record({ place: fc.nat(30), kind: fc.constantFrom('access', 'refresh') })
  .map(({ place, kind }) =>
    command<Model, Real>(
      `give back ${kind} ${place}`,
      async model => {
        const access = nth(model.access, place)
        const chosen = kind === 'access' ? access : nth(model.refresh, place)
        const { status } = await app.post('/oauth/revoke', { token: chosen.text })
        expect(status).toBe(200)
        if (kind === 'access') access.revoked = true
        else chosen.grant.ended = true
      },
      model => model.access.length > 0,
    ),
  )

/** A token may be remembered for less than a second, so a second passes first. */
const use = fc.nat(30).map(place =>
  command<Model, Real>(
    `use ${place}`,
    async model => {
      clock.advance(SECOND)
      const token = nth(model.access, place)
      const { status } = await caller(service.app, token.text)('GET', '/v1/me')
      const good = !token.revoked && token.expires_at > clock.now() && !token.grant.ended
      expect(status).toBe(good ? 200 : 401)
    },
    model => model.access.length > 0,
  ),
)

const wait = fc
  .constantFrom(SECOND, 59 * SECOND, 60 * SECOND, 61 * SECOND, 900 * SECOND, DAY, 30 * DAY)
  .map(ms =>
    command<Model, Real>(`wait ${ms / SECOND} s`, async () => {
      clock.advance(ms)
    }),
  )

it('every answer of the token endpoint is that of the model', async () => {
  const commands = [
    approve,
    exchange,
    exchange,
    refresh,
    refresh,
    refresh,
    giveBack,
    use,
    use,
    wait,
  ]
  const open = async () => ({ model: { codes: [], access: [], refresh: [] } as Model, real: null })
  await checkModel(commands, open, { runs: 60, most: 40 })
})
