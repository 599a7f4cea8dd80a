// What is forgotten after a time and renewed at that very moment: the renewed row stays.
import { beforeEach, expect, it } from 'vitest'
import { seeBlocked } from '../test/locks.ts'
import { listNotifications } from '../test/notifications.ts'
import { START, startService, type Tenant } from '../test/service.ts'
import { addBuckets, dropIdleBuckets, readBuckets, saveBuckets } from './access/access.queries.ts'
import { forgetExpired, lockThrottles, saveThrottles } from './accounts/sessions.queries.ts'
import { dropExpiredUnmatched, keepUnmatched, listUnmatched } from './events/unmatched.queries.ts'
import { addNotice } from './notifications/notifications.queries.ts'
import { DAY } from './platform/clock.ts'
import { RESERVED_TENANT, type Tx } from './platform/database.ts'
import { deleteOldNotices } from './webhooks/inbox.queries.ts'

const service = await startService()
const { db } = service.context
let tenant: Tenant

beforeEach(async () => {
  tenant = await service.tenant()
})

const [old, now] = [START, START + 100 * DAY]
const before = new Date(now - DAY)

type Rows = {
  tenant_id?: string
  write(tx: Tx, tenant_id: string, at: number): Promise<unknown>
  forget(tx: Tx, tenant_id: string): Promise<unknown>
}

/** Written long ago, then again; whoever forgets old rows comes while the second writing is not committed. */
async function renew({ tenant_id = tenant.tenant_id, write, forget }: Rows): Promise<void> {
  await db.inTenant(tenant_id, tx => write(tx, tenant_id, old))
  const forgetting = await db.inTenant(tenant_id, async tx => {
    await write(tx, tenant_id, now)
    const over = db.inTenant(tenant_id, other => forget(other, tenant_id))
    await seeBlocked(tx)
    return { over }
  })
  await forgetting.over
}

it('an unmatched event that is sent again when its time is over is kept', async () => {
  const input = {
    type: 'hr.early',
    source: 'hr',
    employee_email: 'a@x.com',
    timestamp: null,
    details: {},
    external_id: 'x1',
    keep_unmatched: true,
  }
  await renew({
    write: (tx, tenant_id, at) =>
      keepUnmatched(tx, tenant_id, at, [{ input, actor: '', repeatable: null }]),
    forget: (tx, tenant_id) => dropExpiredUnmatched(tx, tenant_id, new Date(now)),
  })
  const kept = await db.inTenant(tenant.tenant_id, tx =>
    listUnmatched(
      tx,
      tenant.tenant_id,
      new Date(now),
      { sort: 'received_at', order: 'desc' },
      { per_page: 9, offset: 0 },
    ),
  )
  expect(kept).toMatchObject([{ external_id: 'x1', received_at: new Date(now) }])
})

it('an old notification that is raised again is kept', async () => {
  const notice = { notification_id: 'ntf_1', kind: 'job.failed', subject_kind: 'job' }
  await renew({
    write: async (tx, tenant_id, at) => {
      const rest = { subject_id: 'x', data: {}, at: new Date(at), raise: true }
      await addNotice(tx, tenant_id, { ...notice, ...rest })
    },
    forget: (tx, tenant_id) => deleteOldNotices(tx, tenant_id, before, 100),
  })
  const kept = await db.inTenant(tenant.tenant_id, tx => listNotifications(tx, tenant.tenant_id))
  expect(kept).toMatchObject([{ notification_id: 'ntf_1', count: 2, last_at: new Date(now) }])
})

it('an idle bucket that is drawn on again stays as empty as it is', async () => {
  const rows = (at: number, tokens: number) => [
    { bucket: 'address:test', tokens, updated_at: new Date(at) },
  ]
  await renew({
    tenant_id: RESERVED_TENANT,
    write: async (tx, tenant_id, at) => {
      await addBuckets(tx, tenant_id, rows(at, 100))
      await saveBuckets(tx, tenant_id, rows(at, 1))
    },
    forget: (tx, tenant_id) => dropIdleBuckets(tx, tenant_id, before),
  })
  const kept = await db.inTenant(RESERVED_TENANT, tx =>
    readBuckets(tx, RESERVED_TENANT, ['address:test']),
  )
  expect(kept).toMatchObject([{ tokens: 1, updated_at: new Date(now) }])
})

it('a failed login is counted while failures of long ago are forgotten', async () => {
  await renew({
    tenant_id: RESERVED_TENANT,
    write: async (tx, _tenant_id, at) => {
      const [row] = await lockThrottles(tx, ['login:test'], new Date(at))
      const failures = row!.failures + 1
      await saveThrottles(tx, [{ ...row!, failures, last_failed_at: new Date(at) }])
    },
    forget: tx => forgetExpired(tx, new Date(now), before, before),
  })
  const [kept] = await db.inTenant(RESERVED_TENANT, tx =>
    lockThrottles(tx, ['login:test'], new Date(now)),
  )
  expect(kept).toMatchObject({ failures: 2, last_failed_at: new Date(now) })
})
