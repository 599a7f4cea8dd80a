// deliver: webhook deliveries of ten tenants to a receiver in another process, beside a loop that only posts.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Context } from '../server/src/platform/context.ts'
import { announce, type Message } from '../server/src/webhooks/announce.ts'
import { MOST_OF_WEBHOOK } from '../server/src/webhooks/in-hand.ts'
import { type Bench, goal } from './bench.ts'
import { openRaisedTenant } from './fill-company.ts'
import { bodyOf, type Client, getRequest, openClient } from './load.ts'
import { startProcess, startService } from './processes.ts'
import { measureLateness } from './retry-lateness.ts'
import { quantile } from './rounds.ts'
import { openStage } from './stage.ts'
import { subscribe } from './subscribe.ts'

type Seen = { count: number; repeated: number; unsigned: number; times: [number, number][] }

const PEOPLE = 500
const PACED_SECONDS = 8
const clock = () => performance.timeOrigin + performance.now()

function message(n: number, at: number): Message {
  const employee_id = `emp_${String(n % PEOPLE).padStart(23, '0')}`
  const scores = { previous_score: 71, new_score: 46, change: -25 }
  const why = { reason: 'event', trigger_event: 'sim.link_clicked' }
  const data = () => ({ employee_id, email: `p${n}@bench.example`, ...scores, ...why, n })
  return { kind: 'score.updated', at, employee_id, data }
}

export const bench: Bench = {
  name: 'deliver',
  about: 'webhook deliveries of ten tenants to a receiver in another process',
  bound:
    'the CPU of both cores: of each delivery the sender takes 0.21 ms, PostgreSQL 0.14 ms and the ' +
    'receiver 0.08 ms. The more is claimed and recorded at once, the less each takes',
  unit: 'deliveries/s',
  size: { tenants: 10, messages: 12_000, paced: 200 },
  grows: ['messages'],
  async open(size) {
    const { tenants = 10, messages = 1, paced = 200 } = size
    const stage = await openStage('deliver')
    const { context } = stage
    const receiver = await startProcess(process.execPath, ['bench/receiver.ts'])
    const url = `http://127.0.0.1:${receiver.target.port}/hook`
    const ids = await openTenants(context, tenants, url)
    const worker = await startService(stage, ['worker'])
    const told = await openClient(receiver.target)
    const look = async (path: string) => bodyOf<Seen>(await told.send(getRequest(path, '')))
    let [sent, repeated, unsigned] = [0, 0, 0]
    const note = (seen: Seen) => {
      repeated += seen.repeated
      unsigned += seen.unsigned
    }
    return {
      ways: {
        ours: async () => {
          await look('/reset')
          const each = Math.ceil(messages / tenants)
          // Queueing belongs to ingest; the worker stands still until all of it is due.
          process.kill(worker.pid, 'SIGSTOP')
          await Promise.all(ids.map((id, i) => queue(context, id, i * each, each)))
          const start = clock()
          process.kill(worker.pid, 'SIGCONT')
          const seen = await waitFor(look, each * tenants)
          note(seen)
          sent += each * tenants
          return rateOf(seen, start)
        },
        limit: () => postAll(url, messages, tenants * MOST_OF_WEBHOOK, told),
      },
      also: async () => {
        await look('/reset')
        const commits = await tellPaced(context, ids, paced)
        const seen = await waitFor(look, commits.length)
        note(seen)
        sent += commits.length
        const waits = seen.times.map(([n, at]) => Math.max(0, at - commits[n]!))
        const late = await measureLateness(context, url.replace('/hook', '/late'), message)
        return {
          'commit to receipt, p50 ms': quantile(waits, 0.5),
          'commit to receipt, p95 ms': quantile(waits, 0.95),
          'retry sent after it was due, p99 ms': quantile(late, 0.99),
          'retry sent after it was due, least ms': Math.min(...late),
        }
      },
      checks: async () => [
        { name: 'nothing was sent twice', ok: repeated === 0, detail: `${repeated} repeated` },
        { name: 'everything was signed', ok: unsigned === 0 },
        await checkDelivered(context, ids, sent),
      ],
      goals: ({ ours = 0, limit = 1 }, also) => {
        const p95 = also['commit to receipt, p95 ms']!
        const late = also['retry sent after it was due, p99 ms']!
        const early = also['retry sent after it was due, least ms']! < 0
        return [
          goal('at least 1,000 per second', ours >= 1000, ours),
          goal('at least 0.4 of the limit', ours / limit >= 0.4, ours / limit),
          goal(`commit to receipt p95 at ${paced}/s at most 100 ms`, p95 <= 100, p95),
          goal('retries p99 at most 1 s late, none early', late <= 1000 && !early, late),
        ]
      },
      close: async () => {
        told.close()
        await worker.stop()
        await receiver.stop()
        await stage.close()
      },
    }
  },
}

async function openTenants(context: Context, count: number, url: string): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const tenant_id = await openRaisedTenant(context, `deliver ${i}`, context.clock.now())
    await subscribe(context, tenant_id, url)
    ids.push(tenant_id)
  }
  return ids
}

/** All of a tenant's messages fall due with one commit. */
async function queue({ db, clock }: Context, tenant_id: string, from: number, count: number) {
  const now = clock.now()
  const messages = Array.from({ length: count }, (_, i) => message(from + i, now))
  await db.inTenant(tenant_id, tx => announce(tx, tenant_id, now, messages))
}

async function waitFor(look: (path: string) => Promise<Seen>, count: number): Promise<Seen> {
  for (;;) {
    const { count: there } = await look('/count')
    if (there >= count) return look('/times')
    await sleep(50)
  }
}

function rateOf({ times }: Seen, start: number): number {
  const last = times.reduce((latest, [, at]) => Math.max(latest, at), 0)
  return (times.length * 1000) / (last - start)
}

/** One message a transaction, so many a second; the instant after each commit by number. */
async function tellPaced({ db, clock: time }: Context, ids: readonly string[], rate: number) {
  const commits: number[] = []
  const start = clock()
  const running: Promise<void>[] = []
  for (let n = 0; n < rate * PACED_SECONDS; n++) {
    const wait = start + (n * 1000) / rate - clock()
    if (wait > 0) await sleep(wait)
    const [id, now] = [ids[n % ids.length]!, time.now()]
    running.push(tell(id, n, now))
  }
  await Promise.all(running)
  return commits

  async function tell(id: string, n: number, now: number): Promise<void> {
    await db.inTenant(id, tx => announce(tx, id, now, [message(n, now)]))
    commits[n] = clock()
  }
}

/** The limit: the same bytes posted by the same library over as many connections, and nothing else. */
async function postAll(url: string, count: number, connections: number, told: Client) {
  await told.send(getRequest('/reset', ''))
  const { origin, pathname: path } = new URL(url)
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const headers = {
    'content-type': 'application/json',
    'x-service-signature': `sha256=${'0'.repeat(64)}`,
    'x-service-event': 'score.updated',
    'x-service-delivery': 'dlv_0mm8o8c001yq7xk3m2p5aw9',
  }
  const start = performance.now()
  let next = 0
  const post = async () => {
    while (next < count) {
      const { kind, at, data } = message(next++, Date.now())
      const body = JSON.stringify({ event: kind, timestamp: new Date(at), data: data() })
      const answer = await pool.request({ path, method: 'POST', headers, body })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: connections }, post))
  const rate = (count * 1000) / (performance.now() - start)
  await pool.close()
  return rate
}

async function checkDelivered({ db }: Context, ids: readonly string[], sent: number) {
  for (let i = 0; ; i++) {
    const [row] = await db.sql<{ delivered: number; others: number }[]>`
      SELECT count(*) FILTER (WHERE status = 'delivered' AND attempts = 1) AS delivered,
        count(*) FILTER (WHERE status <> 'delivered' OR attempts <> 1) AS others
      FROM webhook_deliveries WHERE tenant_id = ANY(${[...ids]}::text[])`
    const ok = row!.delivered === sent && row!.others === 0
    const detail = `${row!.delivered} of ${sent}, ${row!.others} others`
    if (ok || i === 50) return { name: 'every delivery is recorded as delivered once', ok, detail }
    await sleep(100)
  }
}
