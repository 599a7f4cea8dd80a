// What a tenant's callers have been answered and do not read stays in the memory of this process, so there is a bound to it.
import type { FastifyReply } from 'fastify'
import { busy } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'

/** Eight of the largest pages. */
const MOST_BYTES = 32 * 1024 * 1024
/** Smaller answers fit what the system keeps for a connection, and how many are under way has a bound of its own. */
const SMALL = 16 * 1024

export function boundUnread(server: Server): void {
  const unread = new Map<string, number>()

  /** Until it is handed over, or its connection is gone. */
  function hold(tenant_id: string, bytes: number, response: FastifyReply['raw']): void {
    if (response.destroyed) return
    unread.set(tenant_id, (unread.get(tenant_id) ?? 0) + bytes)
    response.once('close', () => {
      const left = unread.get(tenant_id)! - bytes
      if (left > 0) unread.set(tenant_id, left)
      else unread.delete(tenant_id)
    })
  }

  server.addHook('onSend', ({ identity, method }, reply, payload, done) => {
    const bytes = sizeOf(payload)
    if (identity === null || bytes < SMALL) return done(null, payload)
    const { tenant_id } = identity
    const isTooMuch = (unread.get(tenant_id) ?? 0) + bytes > MOST_BYTES
    // What has been done is told.
    if (isTooMuch && method === 'GET') return done(busy())
    hold(tenant_id, bytes, reply.raw)
    done(null, payload)
  })
}

/** Streams are made as they are read. */
function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0
}
