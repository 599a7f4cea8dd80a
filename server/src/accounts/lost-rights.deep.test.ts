// An owner loses the right while something of theirs is under way, statement by statement in many orders: what they
// leave behind was done before it, or not at all.
import { expect, test } from 'vitest'
import { interleave, listOrders, type Side } from '../../test/interleave.ts'
import { seeBlocked } from '../../test/locks.ts'
import { addPerson, ORIGIN } from '../../test/people.ts'
import { hire } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import { reportAction, requestAction } from '../actions/change-action.ts'
import { changePolicy, createPolicy, removePolicy } from '../actions/change-policies.ts'
import type { NewPolicyInput } from '../actions/policies.schema.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import { adjustScore } from '../events/adjust-score.ts'
import { retractEvent } from '../events/retract-events.ts'
import { createKey, revokeKeyById } from '../keys/manage-keys.ts'
import { changeRetention } from '../manage-tenants.ts'
import { createApp, removeApp } from '../oauth/manage-apps.ts'
import { type Origin, operatorOrigin } from '../platform/actor.ts'
import { MINUTE } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { eraseEmployee } from '../privacy/erase-employee.ts'
import { changeScoringSettings } from '../replays/change-scoring-settings.ts'
import { changeRule, createRule, removeRule } from '../rules/change-rules.ts'
import type { NewRuleInput } from '../rules/rules.schema.ts'
import {
  changeWebhook,
  createWebhook,
  removeWebhook,
  rotateSecret,
} from '../webhooks/manage-webhooks.ts'
import { type Asked, asOperator } from './identity.ts'
import { inviteUser } from './invite-user.ts'
import { changeMember, removeMember, setPolicy } from './manage-members.ts'

const service = await startService({ pool: 12 })
const { context } = service
const tenant = await service.tenant()
const { tenant_id } = tenant
await addPerson(service, tenant_id)

const LOSSES = new Set(['user.removed', 'user.changed'])
let invited = 0
let policy = false

type Deed = (own: Context, origin: Origin) => Promise<unknown>

/** What the log says of them, in order: by whom, or about whom. */
async function logOf(user_id: string) {
  const rows = await context.db.inTenant(
    tenant_id,
    tx => tx<{ action: string; actor_id: string }[]>`SELECT action, actor_id FROM audit_entries
      WHERE tenant_id = ${tenant_id} AND (actor_id = ${user_id} OR subject_id = ${user_id}) ORDER BY seq`,
  )
  return rows.map(({ action, actor_id }) => ({ action, own: actor_id === user_id }))
}

async function contest(deed: Deed, take: (own: Context, user_id: string) => Promise<unknown>) {
  let refused = 0
  const run = async (first: number, second: number) => {
    service.clock.advance(20 * MINUTE)
    const { user_id } = await addPerson(service, tenant_id)
    const origin = { ...operatorOrigin(), actor: { kind: 'user', id: user_id } as const }
    const act: Side<unknown> = own => deed(own, origin)
    const lose: Side<unknown> = own => take(own, user_id)
    const ended = await interleave(service, act, lose, { first, second })
    if (ended.second.status === 'rejected') throw ended.second.reason
    const log = await logOf(user_id)
    const lost = log.findIndex(({ action, own }) => !own && LOSSES.has(action))
    expect(log.slice(lost).filter(({ own }) => own)).toEqual([])
    if (ended.first.status === 'rejected') {
      expect(ended.first.reason.status).toBe(403)
      refused++
    }
    await removeMember(context, tenant_id, operatorOrigin(), user_id).catch(() => {})
    return ended.counts
  }
  const counts = await run(Number.POSITIVE_INFINITY, 0)
  for (const { first, second } of listOrders(counts, 0, 1)) await run(first, second)
  expect(refused).toBeGreaterThan(0)
}

const remove = (own: Context, user_id: string) =>
  removeMember(own, tenant_id, operatorOrigin(), user_id)
const lower = (own: Context, user_id: string) =>
  asOperator(own, tenant_id, changeMember, user_id, { role: 'viewer' })

/** One transaction, as a route of the dashboard has it. */
const inOne =
  (work: (tx: Tx, asked: Asked) => Promise<unknown>): Deed =>
  (own, origin) =>
    own.db.inTenant(tenant_id, tx => work(tx, { tenant_id, origin, now: own.clock.now() }))

test('an owner who loses the right leaves no invitation that was made after it', async () => {
  await contest((own, origin) => {
    const input = { email: `friend${invited++}@example.com`, role: 'owner' as const }
    return inviteUser(own, tenant_id, origin, ORIGIN, input)
  }, remove)
})

test('an owner who loses the right gives nobody a role after it', async () => {
  const { user_id } = await addPerson(service, tenant_id, 'viewer')
  const roles = ['admin', 'analyst'] as const
  let turn = 0
  await contest(
    inOne((tx, asked) => {
      const role = roles[turn++ % roles.length]!
      return changeMember(tx, asked, user_id, { role })
    }),
    lower,
  )
})

test('an owner who loses the right changes no policy after it', async () => {
  await contest(
    inOne((tx, asked) => {
      policy = !policy
      return setPolicy(tx, asked, policy)
    }),
    lower,
  )
})

test('an owner who loses the right leaves no API key and no app that was made after it', async () => {
  const scopes = ['events:read'] as const
  const key = { name: 'mine', scopes, expires_at: null }
  await contest(
    inOne((tx, asked) => createKey(tx, asked, key)),
    remove,
  )
  const app = { name: 'mine', redirect_uris: ['https://app.example/'], scopes }
  await contest(
    inOne((tx, asked) => createApp(tx, asked, app)),
    lower,
  )
})

test('an owner who loses the right changes neither settings nor retention after it', async () => {
  let turn = 0
  await contest(
    inOne((tx, asked) => changeScoringSettings(tx, asked, { half_life_days: 30 + turn++ })),
    lower,
  )
  await contest(
    inOne((tx, asked) => changeRetention(tx, asked, 6 + (turn++ % 12))),
    remove,
  )
})

test('an owner who loses the right adjusts no score after it', async () => {
  const [employee_id] = await hire(service, tenant, ['ada@example.com'])
  const adjustment = { employee_id: employee_id!, impact: -1, reason: 'a reason of some length' }
  await contest(
    inOne((tx, asked) => adjustScore(tx, asked, adjustment)),
    lower,
  )
})

test('an owner who loses the right makes, changes and removes no policy of actions after it', async () => {
  const policy: NewPolicyInput = {
    name: 'mine',
    type: 'open_ticket',
    trigger: { kind: 'band_entered', bands: ['red'] },
  }
  const operator = () => ({ tenant_id, origin: operatorOrigin(), now: service.clock.now() })
  const { id } = await context.db.inTenant(tenant_id, tx => createPolicy(tx, operator(), policy))
  let turn = 0
  await contest(
    inOne(async (tx, asked) => {
      const made = await createPolicy(tx, asked, policy)
      await changePolicy(tx, asked, id, { name: `mine ${turn++}` })
      await removePolicy(tx, asked, made.id)
    }),
    lower,
  )
})

test('an owner who loses the right revokes no key and removes no app after it', async () => {
  const key = { name: 'theirs', scopes: ['events:read'], expires_at: null } as const
  await contest(async (own, origin) => {
    const made = await asOperator(context, tenant_id, createKey, key)
    await inOne((tx, asked) => revokeKeyById(tx, asked, made.id))(own, origin)
  }, remove)
  const app = { name: 'theirs', redirect_uris: ['https://app.example/'], scopes: key.scopes }
  await contest(async (own, origin) => {
    const made = await asOperator(context, tenant_id, createApp, app)
    await inOne((tx, asked) => removeApp(tx, asked, made.client_id))(own, origin)
  }, lower)
})

const HOOK = { url: 'https://hooks.example.com/mine', events: ['event.ingested'] as const }

const newHook = () =>
  asOperator(
    context,
    tenant_id,
    createWebhook,
    { url: HOOK.url, events: [...HOOK.events] },
    context,
  )

test('an owner who loses the right leaves no webhook behind, and no other address or secret of one', async () => {
  await contest(
    inOne((tx, asked) => createWebhook(tx, asked, { ...HOOK, events: [...HOOK.events] }, context)),
    lower,
  )
  const { id } = await newHook()
  let turn = 0
  await contest(
    inOne(async (tx, asked) => {
      await changeWebhook(tx, asked, id, { url: `${HOOK.url}/${turn++}` }, context)
      await rotateSecret(tx, asked, id, context)
    }),
    remove,
  )
})

test('an owner who loses the right takes no webhook away after it', async () => {
  await contest(async (own, origin) => {
    const { id } = await newHook()
    await inOne((tx, asked) => removeWebhook(tx, asked, id))(own, origin)
  }, lower)
})

test('an owner who loses the right makes, changes and removes no rule after it', async () => {
  const rule: NewRuleInput = {
    name: 'mine',
    event_type: 'custom.mine',
    category: 'custom',
    impact: -1,
  }
  const { id } = await asOperator(context, tenant_id, createRule, rule)
  let turn = 0
  await contest(
    inOne(async (tx, asked) => {
      const made = await createRule(tx, asked, rule)
      await changeRule(tx, asked, id, { impact: -2 - (turn++ % 50) })
      await removeRule(tx, asked, made.id)
    }),
    lower,
  )
})

test('an owner who loses the right takes back no adjustment after it', async () => {
  const [employee_id] = await hire(service, tenant, ['eve@example.com'])
  const adjustment = { employee_id: employee_id!, impact: -1, reason: 'a reason of some length' }
  await contest(async (own, origin) => {
    const { id } = await asOperator(context, tenant_id, adjustScore, adjustment)
    await inOne((tx, asked) => retractEvent(tx, asked, id, 'wrong', () => {}))(own, origin)
  }, lower)
})

/** What becomes of a deed that waited for a lock while the right to it was taken away. */
async function tryLate(
  lock: (tx: Tx) => Promise<unknown>,
  deed: () => Promise<unknown>,
  take: () => Promise<unknown>,
) {
  const late = await context.db.inTenant(tenant_id, async tx => {
    await lock(tx)
    const waiting = deed().catch(error => error)
    await seeBlocked(tx)
    await take()
    return { waiting }
  })
  return late.waiting
}

test('a key that is revoked while its webhook waits for its turn leaves none', async () => {
  const key = { name: 'theirs', scopes: ['webhooks:write'], expires_at: null } as const
  const { id } = await asOperator(context, tenant_id, createKey, key)
  const origin = { ...operatorOrigin(), actor: { kind: 'key', id } as const }
  const deed = inOne((tx, asked) =>
    createWebhook(tx, asked, { ...HOOK, events: [...HOOK.events] }, context),
  )
  const outcome = await tryLate(
    tx => tx`SELECT 1 FROM tenants WHERE tenant_id = ${tenant_id} FOR UPDATE`,
    () => deed(context, origin),
    () => asOperator(context, tenant_id, revokeKeyById, id),
  )
  expect(outcome).toMatchObject({ status: 403, code: 'FORBIDDEN' })
})

test('an owner who loses the right while what they ask for waits for the person sets no action off', async () => {
  const [employee_id] = (await hire(service, tenant, ['calm@example.com'])) as [string]
  const { user_id } = await addPerson(service, tenant_id)
  const origin = { ...operatorOrigin(), actor: { kind: 'user', id: user_id } as const }
  const deed = inOne((tx, asked) => requestAction(tx, asked, { employee_id, type: 'open_ticket' }))
  const outcome = await tryLate(
    tx => lockStandings(tx, tenant_id, [employee_id]),
    () => deed(context, origin),
    () => lower(context, user_id),
  )
  expect(outcome).toMatchObject({ status: 403, code: 'FORBIDDEN' })
})

test('a key that is revoked while its report waits for the person ends no action', async () => {
  const [employee_id] = (await hire(service, tenant, ['still@example.com'])) as [string]
  const wanted = { employee_id, type: 'open_ticket' } as const
  const action = await asOperator(context, tenant_id, requestAction, wanted)
  const key = { name: 'theirs', scopes: ['actions:execute'], expires_at: null } as const
  const { id } = await asOperator(context, tenant_id, createKey, key)
  const origin = { ...operatorOrigin(), actor: { kind: 'key', id } as const }
  const deed = inOne((tx, asked) => reportAction(tx, asked, action.id, 'completed', {}))
  const outcome = await tryLate(
    tx => lockStandings(tx, tenant_id, [employee_id]),
    () => deed(context, origin),
    () => asOperator(context, tenant_id, revokeKeyById, id),
  )
  expect(outcome).toMatchObject({ status: 403, code: 'FORBIDDEN' })
})

test('an owner who loses the right while an erasure waits for the person erases nobody', async () => {
  const [employee_id] = await hire(service, tenant, ['kept@example.com'])
  const { user_id } = await addPerson(service, tenant_id)
  const origin = { ...operatorOrigin(), actor: { kind: 'user', id: user_id } as const }
  const outcome = await tryLate(
    tx => lockStandings(tx, tenant_id, [employee_id!]),
    () => eraseEmployee(context, tenant_id, origin, employee_id!),
    () => lower(context, user_id),
  )
  expect(outcome).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  const { body } = await tenant.call('GET', `/v1/employees/${employee_id}`)
  expect(body.email).toBe('kept@example.com')
})
