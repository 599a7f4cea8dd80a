// Removes sessions that have ended, failures long forgiven and links that no longer open anything.
import { DAY, MINUTE } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import type { Job } from '../platform/jobs.ts'
import { SESSION } from './open-session.ts'
import { forgetExpired } from './sessions.queries.ts'

const PIECE = 1000

export const forgetSessionsJob: Job = {
  name: 'forget-sessions',
  every_ms: 5 * MINUTE,
  async run({ db, clock }) {
    const now = clock.now()
    const idle = new Date(now - SESSION.idle_ms)
    const removed = await db.inTenant(RESERVED_TENANT, tx =>
      forgetExpired(tx, new Date(now), idle, new Date(now - 2 * DAY)),
    )
    return removed >= PIECE
  },
}
