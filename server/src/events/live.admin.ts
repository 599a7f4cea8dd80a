// The dashboard's open line: server-sent events that say when to look again.
import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { identifySession } from '../access/identify-session.ts'
import { identityOf, sessionOf } from '../accounts/identity.ts'
import { SESSION } from '../accounts/open-session.ts'
import { readSessionCookie } from '../accounts/session-cookie.ts'
import { findSessions } from '../accounts/sessions.queries.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import type { Server } from '../platform/http.ts'
import { hidden } from '../platform/schemas.ts'
import { hashToken } from '../platform/tokens.ts'
import { followEvents } from './follow-events.ts'
import { createLinePlaces } from './line-places.ts'

/** Below what proxies and our own server take for a dead connection. */
const HEARTBEAT_MS = 20_000
/** After how long a browser comes back; each line another time, because a process that ends leaves all at once. */
const RETRY_MS = { least: 2_000, spread: 6_000, step: 1_511 }

export function liveAdmin(server: Server, context: Context): void {
  const followers = followEvents(context)
  const places = createLinePlaces()
  let opened = 0
  server.addHook('preClose', async () => followers.close())

  const config = { session: 'member', unattended: true } as const
  server.get('/admin/live', { config, schema: hidden }, (request, reply) => {
    const { session_id } = sessionOf(request)
    const { tenant_id } = identityOf(request)
    const giveBack = places.take(tenant_id, session_id)
    opened += 1
    const line = openLine(reply, retryOf(opened))
    const leave = followers.watch(tenant_id, {
      changed: event_id => line.send('changed', { event_id }),
      stillAllowed: () => isAllowed(context, request, tenant_id),
      end: line.end,
    })
    line.onEnd(() => {
      leave()
      giveBack()
    })
    return reply
  })
}

function retryOf(opened: number): number {
  return RETRY_MS.least + ((opened * RETRY_MS.step) % RETRY_MS.spread)
}

function openLine(reply: FastifyReply, retry_ms: number) {
  const stream = new PassThrough()
  const beat = setInterval(() => stream.write(': still here\n\n'), HEARTBEAT_MS)
  beat.unref()
  stream.once('close', () => clearInterval(beat))
  reply.raw.once('close', () => stream.destroy())
  reply.headers({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }).send(stream)
  stream.write(`retry: ${retry_ms}\n\n`)
  return {
    send: (event: string, data: unknown) => {
      stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    },
    end: () => void stream.end(),
    onEnd: (done: () => void) => void stream.once('close', done),
  }
}

/** Looked up without being counted as use: an open window alone keeps no session alive. */
async function isAllowed(
  context: Context,
  request: FastifyRequest,
  tenant_id: string,
): Promise<boolean> {
  const token = readSessionCookie(context.config, request)
  const now = context.clock.now()
  const seen_after = new Date(now - SESSION.idle_ms)
  const [row] = await context.db.inTenant(RESERVED_TENANT, tx =>
    findSessions(tx, [hashToken(token ?? '')], new Date(now), seen_after),
  )
  if (row?.active_tenant !== tenant_id) return false
  const identity = await identifySession(context, {
    ...sessionOf(request),
    active_tenant: tenant_id,
    has_second_factor: row.totp_enabled_at !== null,
  })
  return identity !== null && !identity.suspended && !identity.needs_second_factor
}
