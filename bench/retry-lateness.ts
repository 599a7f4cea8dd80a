// How late a retry is sent: each message fails once, waits its minute, and is compared with the instant it was due.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../server/src/platform/context.ts'
import { announce, type Message } from '../server/src/webhooks/announce.ts'
import { openRaisedTenant } from './fill-company.ts'
import { subscribe } from './subscribe.ts'

const MESSAGES = 300
const PATIENCE_MS = 100_000

/** Sent minus due in milliseconds, one figure a message. */
export async function measureLateness(
  context: Context,
  url: string,
  message: (n: number, at: number) => Message,
): Promise<number[]> {
  const { db, clock } = context
  const tenant_id = await openRaisedTenant(context, 'late', clock.now())
  await subscribe(context, tenant_id, url)
  const now = clock.now()
  const messages = Array.from({ length: MESSAGES }, (_, n) => message(1_000_000 + n, now))
  await db.inTenant(tenant_id, tx => announce(tx, tenant_id, now, messages))
  const due = new Map((await waitFor(readDue)).map(row => [row.delivery_id, row.at.getTime()]))
  const sent = await waitFor(readSent)
  return sent.map(row => row.at.getTime() - due.get(row.delivery_id)!)

  type Row = { delivery_id: string; at: Date }

  function readDue(): Promise<Row[]> {
    return db.sql<Row[]>`SELECT delivery_id, next_attempt_at AS at FROM webhook_deliveries
      WHERE tenant_id = ${tenant_id} AND status = 'retrying' AND next_attempt_at IS NOT NULL`
  }

  function readSent(): Promise<Row[]> {
    return db.sql<Row[]>`SELECT delivery_id, started_at AS at FROM webhook_attempts
      WHERE tenant_id = ${tenant_id} AND attempt = 2`
  }

  async function waitFor(read: () => Promise<Row[]>): Promise<Row[]> {
    for (const end = Date.now() + PATIENCE_MS; ; ) {
      const rows = await read()
      if (rows.length === MESSAGES) return rows
      if (Date.now() > end) throw new Error(`${rows.length} of ${MESSAGES} after ${PATIENCE_MS} ms`)
      await sleep(200)
    }
  }
}
