// Changes of an app that meet: each keeps what the other said, and the log tells them one after another.
import { expect, test } from 'vitest'
import { interleave, listOrders } from '../../test/interleave.ts'
import { addApp } from '../../test/oauth.ts'
import { startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { SECOND } from '../platform/clock.ts'
import { findApp } from './apps.queries.ts'
import { type AppInput, changeApp, removeApp, rotateSecret } from './manage-apps.ts'

const service = await startService()
const { tenant_id } = await service.tenant()
const { db } = service.context

/** Orders tried for a pair; more than these change nothing but the time. */
const MOST_ORDERS = 20
const IN_TURN = { first: Number.POSITIVE_INFINITY, second: 0 }

const patch = (client_id: string, change: Partial<AppInput>) => (context: typeof service.context) =>
  asOperator(context, tenant_id, changeApp, client_id, change)

/** What the log says of an app, in its order. */
async function changesOf(
  client_id: string,
  action = 'oauth_app.changed',
): Promise<{ before: unknown; after: unknown }[]> {
  const rows = await db.inTenant(
    tenant_id,
    tx => tx<{ content: string }[]>`
      SELECT v.content FROM audit_entries e JOIN audit_values v ON v.tenant_id = e.tenant_id AND v.seq = e.seq
      WHERE e.tenant_id = ${tenant_id} AND v.tenant_id = ${tenant_id} AND e.subject_id = ${client_id}
        AND e.action = ${action} ORDER BY e.seq`,
  )
  return rows.map(({ content }) => JSON.parse(content))
}

test('two changes in parallel both stay', async () => {
  const meet = async (order: typeof IN_TURN) => {
    const { client_id } = await addApp(service, tenant_id)
    const [name, scopes] = ['Renamed', ['scores:read' as const]]
    const sides = [patch(client_id, { name }), patch(client_id, { scopes })] as const
    const { counts } = await interleave(service, ...sides, order)
    const app = await db.inTenant(tenant_id, tx => findApp(tx, tenant_id, client_id))
    expect(app, JSON.stringify(order)).toMatchObject({ name, scopes })
    const [earlier, later] = await changesOf(client_id)
    expect(later!.before).toEqual(earlier!.after)
    return counts
  }
  const counts = await meet(IN_TURN)
  for (const order of listOrders(counts, MOST_ORDERS, 1)) await meet(order)
})

test('404: a change of an app that is removed meanwhile', async () => {
  const { client_id } = await addApp(service, tenant_id)
  const remove = (context: typeof service.context) =>
    asOperator(context, tenant_id, removeApp, client_id)
  const order = { first: 1, second: 100 }
  const { first, second } = await interleave(
    service,
    remove,
    patch(client_id, { name: 'x' }),
    order,
  )
  expect(first.status).toBe('fulfilled')
  expect(second.status === 'rejected' && second.reason.status).toBe(404)
})

test('an app tells when its secret was made, and the log tells that of the one before too', async () => {
  const { client_id } = await addApp(service, tenant_id)
  const read = () => db.inTenant(tenant_id, tx => findApp(tx, tenant_id, client_id))
  const made = (await read())!
  expect(made.rotated_at).toBeNull()
  const instants = [made.created_at]
  for (let turn = 0; turn < 2; turn++) {
    service.clock.advance(SECOND)
    await asOperator(service.context, tenant_id, rotateSecret, client_id)
    instants.push(new Date(service.clock.now()))
    expect((await read())!.rotated_at).toEqual(instants.at(-1))
  }
  const [first, second, third] = instants.map(at => ({ secret_made_at: at.toISOString() }))
  expect(await changesOf(client_id, 'oauth_app.secret_rotated')).toMatchObject([
    { before: first, after: second },
    { before: second, after: third },
  ])
})
