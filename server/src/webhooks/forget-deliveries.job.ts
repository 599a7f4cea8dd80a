// Keeps the delivery log for thirty days: older messages, deliveries and attempts are removed in chunks.
import { DAY, HOUR } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { idFloor } from '../platform/ids.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import {
  deleteDeliveries,
  deleteEmptyWebhooks,
  deleteMessages,
  deleteOldRecoveries,
  lockOldDeliveries,
  oldestUnsent,
  tenantsWithOldMessages,
} from './retention.queries.ts'

const KEPT_MS = 30 * DAY
/** Longer than any transaction: one that saw a subscription before it was deleted may still write to its log. */
const UNDER_WAY_MS = HOUR
const CHUNK = 1000

/** One that still has to send something old keeps no other from its turn. */
export function forgetDeliveriesJob(): Job {
  return createTenantJob({
    name: 'forget-deliveries',
    every_ms: HOUR,
    tenants: 50,
    find: ({ db }, after, limit, now) => {
      const before = idFloor('msg', now - KEPT_MS)
      const deleted_before = new Date(now - UNDER_WAY_MS)
      return db.acrossTenants(tx =>
        tenantsWithOldMessages(tx, before, deleted_before, after, limit),
      )
    },
    work: (context, { tenant_id }) => forgetChunk(context, tenant_id),
  })
}

/** A message and its deliveries carry the same instant in their ids, so one bound serves both. */
async function forgetChunk({ db, clock }: Context, tenant_id: string): Promise<boolean> {
  const now = clock.now()
  const cutoff = now - KEPT_MS
  return db.inTenant(tenant_id, async tx => {
    const findLimit = async () => {
      const unsent = await oldestUnsent(tx, tenant_id)
      const limits = [idFloor('msg', cutoff), ...(unsent === null ? [] : [unsent.slice(0, 13)])]
      return limits.sort()[0]!
    }
    const before = await findLimit()
    const old = await lockOldDeliveries(tx, tenant_id, before.replace('msg_', 'dlv_'), CHUNK)
    if (old.length > 0) await deleteDeliveries(tx, tenant_id, old)
    if (old.length === CHUNK) return true
    // Asked again: one that was to be sent again meanwhile still needs its message, and so does one that ended: it was
    // not yet among those to forget.
    const limits = [before, await findLimit()]
    const messages = await deleteMessages(tx, tenant_id, limits.sort()[0]!, CHUNK)
    await deleteEmptyWebhooks(tx, tenant_id, new Date(now - UNDER_WAY_MS))
    await deleteOldRecoveries(tx, tenant_id, new Date(cutoff))
    return messages === CHUNK
  })
}
