// After the faults: everything due is done, every event is there once, every message came, and all numbers are proven.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY, MINUTE } from '../server/src/platform/clock.ts'
import { verifyTenant } from '../server/src/verify/verify-tenant.ts'
import { DELAYS } from '../server/src/webhooks/retry-schedule.ts'
import { type Copies, judgeCopies, readArrivals, type Window } from './arrivals.ts'
import { type Company, EVENT_TYPE } from './company.ts'
import type { Ledger } from './ledger.ts'
import { QUEUE_LIMIT_MS } from './timing.ts'
import type { World } from './world.ts'

export type Verdict = {
  events: number
  deliveries: number
  emptied_ms: number
  copies: Copies
  /** What must not be, in words. */
  faults: string[]
}

const MOST_AHEAD_MS = 365 * DAY
/** Who seems to be earlier by so much began after its clock was set back an hour. */
const CLOCK_SET_MS = 30 * MINUTE
const RETRY_STEPS_MS = [2, 8, 40, 180].map(minutes => minutes * MINUTE)

export async function judge(
  world: World,
  companies: readonly Company[],
  ledger: Ledger,
  windows: readonly Window[],
  { since = 0, queue_limit_ms = QUEUE_LIMIT_MS } = {},
): Promise<Verdict> {
  const began = Date.now()
  const faults: string[] = []
  const left = await untilNothingIsDue(world, companies, queue_limit_ms)
  const emptied_ms = Date.now() - began
  if (left !== '') faults.push(`after ${queue_limit_ms / 1000} s there still was: ${left}`)
  else await sendRetries(world, companies)
  let events = 0
  const times = new Map<number, number>()
  const ids = new Set<string>()
  for (const company of companies) {
    events += await judgeEvents(world, company, times, faults)
    for (const id of await judgeDeliveries(world, company, faults)) ids.add(id)
  }
  faults.push(...judgeFates(ledger, times))
  const noted = readArrivals(readFileSync(world.receiver.file, 'utf8'))
  const arrivals = noted.filter(one => one.at >= since)
  const came = new Set(arrivals.map(one => one.id))
  const missing = [...ids].filter(id => !came.has(id))
  if (missing.length > 0)
    faults.push(`${missing.length} messages never came, such as ${missing[0]}`)
  const copies = judgeCopies(arrivals, windows)
  faults.push(...copies.faults.slice(0, 20))
  for (const { tenant_id } of companies) {
    const { faults: found } = await verifyTenant(world.context, tenant_id)
    faults.push(...found.slice(0, 5).map(fault => `bellwether verify: ${fault}`))
  }
  return { events, deliveries: ids.size, emptied_ms, copies, faults }
}

export async function untilNothingIsDue(
  world: World,
  companies: readonly Company[],
  limit_ms = QUEUE_LIMIT_MS,
): Promise<string> {
  const limit = Date.now() + limit_ms
  for (;;) {
    const left: string[] = []
    for (const company of companies) left.push(...(await dueOf(world, company)))
    if (left.length === 0 || Date.now() > limit) return left.join(', ')
    await sleep(100)
  }
}

async function dueOf({ context: { db, clock } }: World, { tenant_id }: Company) {
  const now = new Date(clock.now())
  const [row] = await db.inTenant(
    tenant_id,
    tx => tx<{ due: number; jobs: number; people: number }[]>`
      SELECT (SELECT count(*) FROM webhook_deliveries d WHERE d.tenant_id = ${tenant_id}
          AND d.next_attempt_at IS NOT NULL AND (d.status = 'pending' OR d.fence IS NOT NULL
            OR d.next_attempt_at <= ${now})) AS due,
        (SELECT count(*) FROM jobs j WHERE j.tenant_id = ${tenant_id} AND j.finished_at IS NULL) AS jobs,
        (SELECT count(*) FROM employee_states s WHERE s.tenant_id = ${tenant_id}
          AND s.next_due_at <= ${now}) AS people`,
  )
  const { due, jobs, people } = row!
  return Object.entries({ deliveries: due, jobs, people })
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
}

/** What a receiver refused waits for its next attempt; the clocks go forward until it is made. */
async function sendRetries(world: World, companies: readonly Company[]): Promise<void> {
  let shifted = false
  for (const ahead of RETRY_STEPS_MS) {
    if ((await countWaiting(world, companies)) === 0) break
    shifted = true
    await setClocks(world, ahead)
    const limit = Date.now() + 15_000
    while ((await countWaiting(world, companies, ahead)) > 0 && Date.now() < limit) await sleep(100)
  }
  if (shifted) await setClocks(world, 0)
}

async function setClocks({ parts }: World, offset: number): Promise<void> {
  await Promise.all(parts.map(part => part.process.setClock(offset)))
}

/** Deliveries still to be made, up to so far ahead. */
async function countWaiting(
  { context: { db, clock } }: World,
  companies: readonly Company[],
  ahead = MOST_AHEAD_MS,
): Promise<number> {
  let all = 0
  const until = new Date(clock.now() + ahead)
  for (const { tenant_id } of companies) {
    const [row] = await db.inTenant(
      tenant_id,
      tx => tx<{ n: number }[]>`SELECT count(*) AS n FROM webhook_deliveries
        WHERE tenant_id = ${tenant_id} AND next_attempt_at <= ${until}`,
    )
    all += row!.n
  }
  return all
}

/** Every event that was acknowledged is there once, what was refused at most once. */
function judgeFates({ events }: Ledger, times: ReadonlyMap<number, number>): string[] {
  return [...events].flatMap(([n, fate]) => {
    const count = times.get(n) ?? 0
    if (fate === 'unknown') return [`nobody knows what became of event ${n}`]
    if (fate === 'ok' && count !== 1)
      return [`event ${n} was acknowledged, it is there ${count} times`]
    return count > 1 ? [`event ${n} was refused, it is there ${count} times`] : []
  })
}

/** What happened was told of, and no job failed; counts how often each event is there. */
async function judgeEvents(
  { context }: World,
  { tenant_id }: Company,
  times: Map<number, number>,
  faults: string[],
): Promise<number> {
  const rows = await context.db.inTenant(
    tenant_id,
    tx => tx<{ n: string | null; times: number }[]>`SELECT details->>'n' AS n, count(*) AS times
      FROM events WHERE tenant_id = ${tenant_id} AND type = ${EVENT_TYPE} GROUP BY 1`,
  )
  for (const { n, times: count } of rows) if (n !== null) times.set(Number(n), count)
  const [sums] = await context.db.inTenant(
    tenant_id,
    tx => tx<{ events: number; told: number; changes: number; updates: number; failed: number }[]>`
      SELECT (SELECT count(*) FROM events e WHERE e.tenant_id = ${tenant_id}) AS events,
        (SELECT count(*) FROM webhook_deliveries d WHERE d.tenant_id = ${tenant_id}
          AND d.event = 'event.ingested') AS told,
        (SELECT count(*) FROM score_history h JOIN score_history p ON p.tenant_id = ${tenant_id}
            AND p.employee_id = h.employee_id AND p.version = h.version - 1
          WHERE h.tenant_id = ${tenant_id} AND h.score <> p.score) AS changes,
        (SELECT count(*) FROM webhook_deliveries d WHERE d.tenant_id = ${tenant_id}
          AND d.event = 'score.updated') AS updates,
        (SELECT count(*) FROM jobs j WHERE j.tenant_id = ${tenant_id} AND j.status = 'failed') AS failed`,
  )
  const { events, told, changes, updates, failed } = sums!
  if (events !== told) faults.push(`${events} events, ${told} were told of`)
  if (changes !== updates) faults.push(`${changes} changes of score, ${updates} were told of`)
  if (failed > 0) faults.push(`${failed} jobs failed`)
  return events
}

/** Returns the ids of all deliveries; each was delivered, by one attempt that is on record. */
async function judgeDeliveries(world: World, { tenant_id }: Company, faults: string[]) {
  const { context } = world
  const rows = await context.db.inTenant(
    tenant_id,
    tx => tx<
      { delivery_id: string; status: string; attempts: number; logged: number; good: number }[]
    >`
      SELECT d.delivery_id, d.status, d.attempts, count(a.attempt) AS logged,
        count(a.attempt) FILTER (WHERE a.error IS NULL) AS good
      FROM webhook_deliveries d LEFT JOIN webhook_attempts a ON a.tenant_id = ${tenant_id}
        AND a.webhook_id = d.webhook_id AND a.delivery_id = d.delivery_id
      WHERE d.tenant_id = ${tenant_id} GROUP BY d.delivery_id, d.status, d.attempts`,
  )
  const odd = (what: string, is: (row: (typeof rows)[number]) => boolean) => {
    const found = rows.filter(is)
    if (found.length > 0)
      faults.push(`${found.length} deliveries ${what}: ${found[0]!.delivery_id}`)
  }
  odd('are not delivered', row => row.status !== 'delivered')
  odd('were recorded as delivered more than once', row => row.good > 1)
  odd('have attempts that are not on record', row => row.attempts !== row.logged)
  const hasty = await countHasty(world, tenant_id)
  if (hasty > 0)
    faults.push(`${hasty} attempts began before the one before it had ended and rested`)
  return rows.map(row => row.delivery_id)
}

/** An outcome that was recorded although its claim was lost stands beside that of the claim in force. */
async function countHasty({ context: { db } }: World, tenant_id: string): Promise<number> {
  const rows = await db.inTenant(
    tenant_id,
    tx => tx<{ ended_at: Date; next_at: Date }[]>`
      SELECT a.ended_at, n.started_at AS next_at
      FROM webhook_attempts a JOIN webhook_attempts n ON n.tenant_id = ${tenant_id}
        AND n.webhook_id = a.webhook_id AND n.delivery_id = a.delivery_id AND n.attempt = a.attempt + 1
      WHERE a.tenant_id = ${tenant_id}`,
  )
  const isHasty = (early_ms: number) => early_ms > 0 && early_ms < CLOCK_SET_MS
  return rows.filter(row => isHasty(row.ended_at.getTime() + DELAYS[1]! - row.next_at.getTime()))
    .length
}
