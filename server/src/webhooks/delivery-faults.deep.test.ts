// Things are killed, cut off and stalled: every message arrives, copies are few, attempts are counted exactly.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { PATIENCE_MS } from '../../test/patience.ts'
import { cloneDatabase, startService } from '../../test/service.ts'
import { openTenant } from '../open-tenant.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { type Clock, DAY, HOUR, MINUTE, systemClock } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { openDatabase } from '../platform/database.ts'
import { startEmbeddedPostgres } from '../platform/embedded-postgres.ts'
import { unavailable } from '../platform/errors.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { migrate } from '../platform/migrate.ts'
import { type StepName, watchSteps } from '../platform/steps.ts'
import { onlyIfTrusted, trustClock } from '../platform/trust-clock.ts'
import { claimDeliveries, type Room } from './claim-deliveries.ts'
import { createDeliveryEngine, runDueDeliveries } from './deliver-webhooks.job.ts'
import type { WorkerTask } from './delivery-worker.fixture.ts'
import { createWebhook } from './manage-webhooks.ts'
import { mendFarDeliveriesJob } from './mend-far-deliveries.job.ts'
import { mendFirstAttemptsJob } from './mend-first-attempts.job.ts'
import {
  LOOPBACK,
  message,
  type Receiver,
  startReceiver,
  status,
  tell,
} from './receiver.fixture.ts'

const { context: service, clock } = await startService(LOOPBACK)
/** Real processes have real clocks: what one held is free to another whose clock is past the lease. */
const LEASE_OVER_MS = 61_000
const AFTER_LEASE: Clock = { now: () => systemClock.now() + LEASE_OVER_MS }
const OFTEN = { poll_ms: 50 }

/** As much as one asks for. */
const ROOM: Room = { all: 9, tenant: 9, of: () => 9, kept: () => 9 }

/** A context on a database of its own, so that no other test's deliveries are in the way. */
async function ownContext() {
  const address = await cloneDatabase()
  const db = openDatabase({ address, pool: 6, prepare: true })
  onTestFinished(() => db.close())
  return { address, context: { ...service, db, clock: systemClock } as Context }
}

async function subscribe(context: Context, url: string): Promise<string> {
  const origin = operatorOrigin()
  const { tenant_id } = await openTenant(context, origin, { name: 'Acme', plan: 'enterprise' })
  const asked = { tenant_id, origin, now: context.clock.now() }
  await context.db.inTenant(tenant_id, tx =>
    createWebhook(tx, asked, { url, events: ['score.updated'] }, context),
  )
  return tenant_id
}

type Row = {
  delivery_id: string
  status: string
  attempts: number
  fence: string | null
  logged: number
}

async function deliveries({ db }: Context, tenant_id: string): Promise<Row[]> {
  return db.inTenant(
    tenant_id,
    tx => tx<Row[]>`SELECT d.delivery_id, d.status, d.attempts, d.fence, (
      SELECT count(*) FROM webhook_attempts a WHERE a.tenant_id = ${tenant_id} AND a.webhook_id = d.webhook_id
        AND a.delivery_id = d.delivery_id) AS logged
      FROM webhook_deliveries d WHERE d.tenant_id = ${tenant_id}`,
  )
}

async function untilDelivered(context: Context, tenant_id: string, count: number) {
  await vi.waitFor(
    async () => {
      const rows = await deliveries(context, tenant_id)
      expect(rows.filter(row => row.status === 'delivered')).toHaveLength(count)
    },
    { timeout: PATIENCE_MS, interval: 50 },
  )
}

/** Every message, the same bytes under the same id, few copies, each attempt counted once. */
async function expectAll(
  context: Context,
  tenant_id: string,
  receiver: Receiver,
  count: number,
  copies: number,
) {
  const bodies = new Map(receiver.got.map(got => [got.delivery, got.body]))
  expect(bodies.size).toBe(count)
  for (const got of receiver.got) expect(got.body).toBe(bodies.get(got.delivery))
  expect(receiver.got.length - count).toBeLessThanOrEqual(copies)
  for (const row of await deliveries(context, tenant_id)) {
    expect(row).toMatchObject({ status: 'delivered', attempts: 1, logged: 1, fence: null })
  }
}

function spread(count: number, at: number) {
  return Array.from({ length: count }, (_, n) => message(`emp_${n % 20}`, at, n))
}

describe('a worker killed by SIGKILL', () => {
  test.each([
    ['delivery.claiming', 1],
    ['delivery.claimed', 2],
    ['delivery.sent', 7],
    ['delivery.recorded', 2],
  ] as [StepName, number][])('at the step "%s", time %i', async (dies_at, nth) => {
    const { address, context } = await ownContext()
    const receiver = await startReceiver()
    const tenant_id = await subscribe(context, receiver.url)
    await tell(context, tenant_id, spread(60, context.clock.now()))
    const task: WorkerTask = { address, options: OFTEN, dies_at, nth }
    const file = join(import.meta.dirname, 'delivery-worker.fixture.ts')
    const worker = spawn(process.execPath, [file, JSON.stringify(task)], { stdio: 'inherit' })
    const [, signal] = await once(worker, 'exit')
    expect(signal).toBe('SIGKILL')
    const inFlight = (await deliveries(context, tenant_id)).filter(row => row.fence !== null).length
    const survivor = createDeliveryEngine({ ...context, clock: AFTER_LEASE }, OFTEN)
    survivor.start()
    await untilDelivered(context, tenant_id, 60)
    await survivor.stop()
    await expectAll(context, tenant_id, receiver, 60, inFlight)
  })
})

describe('PostgreSQL', () => {
  test('killed while deliveries are under way', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-fault-'))
    const log = { info() {}, warn() {}, error() {} }
    const server = await startEmbeddedPostgres({
      dataDir,
      log,
      settings: { shared_buffers: '16MB' },
    })
    const db = openDatabase({ address: server.address, pool: 6, prepare: true })
    onTestFinished(async () => {
      await db.close()
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    })
    await migrate(db, Date.now())
    let ahead = 0
    const context = { ...service, db, clock: { now: () => systemClock.now() + ahead } } as Context
    let killed: number | undefined
    let inFlight = 0
    const receiver = await startReceiver((response, got) => {
      if (receiver.got.length === 30 && !killed) {
        killed = server.pid()!
        process.kill(killed, 'SIGKILL')
        // What is claimed now is free again as soon as PostgreSQL is back.
        ahead = LEASE_OVER_MS
      }
      // An answer to a claim may still be on its way when PostgreSQL is killed: the most held counts until there is
      // another one, which gives out anew what is held.
      if (killed && (server.pid() ?? killed) === killed) {
        inFlight = Math.max(inFlight, engine.held())
      }
      response.end(got.delivery)
    })
    const tenant_id = await subscribe(context, receiver.url)
    await tell(context, tenant_id, spread(300, context.clock.now()))
    const engine = createDeliveryEngine(context, OFTEN)
    engine.start()
    await vi.waitFor(() => expect(killed).toBeDefined(), { timeout: PATIENCE_MS })
    await vi.waitFor(() => deliveries(context, tenant_id), { timeout: PATIENCE_MS, interval: 100 })
    await untilDelivered(context, tenant_id, 300)
    // What the engine is told of after the outage arrives as before.
    await tell(context, tenant_id, [message('emp_x', context.clock.now())])
    await untilDelivered(context, tenant_id, 301)
    await engine.stop()
    // What the crash found claimed and not yet recorded on disk may come twice, nothing else.
    expect(inFlight).toBeLessThan(300)
    await expectAll(context, tenant_id, receiver, 301, inFlight)
  })
})

test('while the database takes no claims the log says so once, however many tenants wait', async () => {
  const { context } = await ownContext()
  for (let i = 0; i < 3; i++) {
    const tenant_id = await subscribe(context, 'http://127.0.0.1:9/')
    await tell(context, tenant_id, [message('emp_1', context.clock.now())])
  }
  const lines: string[] = []
  const log = { warn: (_fields: object, text: string) => void lines.push(text) }
  const away = Object.assign(unavailable(), { cause: { code: '57P03' } })
  const db = { ...context.db, inTenant: () => Promise.reject(away) }
  const at = systemClock.now()
  const stopped = { ...context, db, clock: { now: () => at }, log: log as never } as Context
  await createDeliveryEngine(stopped).runDue()
  expect(lines).toEqual(['deliveries could not be claimed, will be tried again'])
})

describe('NOTIFY', () => {
  test('wakes the worker long before it would look by itself', async () => {
    const { context } = await ownContext()
    const receiver = await startReceiver()
    const tenant_id = await subscribe(context, receiver.url)
    const engine = createDeliveryEngine(context, { poll_ms: 600_000 })
    engine.start()
    // Only once it listens can it hear; then each message is heard at once.
    await vi.waitFor(
      async () => {
        await tell(context, tenant_id, [message('emp_1', context.clock.now())])
        await vi.waitFor(() => expect(receiver.got.length).toBeGreaterThan(0), { timeout: 500 })
      },
      { timeout: PATIENCE_MS },
    )
    const before = receiver.got.length
    await tell(context, tenant_id, [message('emp_2', context.clock.now())])
    await receiver.until(before + 1)
    await engine.stop()
  })

  test('dropped: looking again and again suffices', async () => {
    const { context } = await ownContext()
    const receiver = await startReceiver()
    const tenant_id = await subscribe(context, receiver.url)
    const engine = createDeliveryEngine(context, { ...OFTEN, listen: false })
    engine.start()
    await tell(context, tenant_id, spread(30, context.clock.now()))
    await untilDelivered(context, tenant_id, 30)
    await engine.stop()
    await expectAll(context, tenant_id, receiver, 30, 0)
  })
})

describe('a stalled worker', () => {
  test('whose lease ran out while it waited for the answer cannot overwrite what another recorded', async () => {
    const held: (() => void)[] = []
    const receiver = await startReceiver((response, got, request) => {
      if (held.length > 0) return void response.end('ok')
      held.push(() => status(500)(response, got, request))
    })
    const tenant_id = await subscribe(service, receiver.url)
    await tell(service, tenant_id, [message('emp_1', clock.now())])
    const deadlines = { connect_ms: 1_000, total_ms: 10_000 }
    const stalled = runDueDeliveries(service, { deadlines })
    await receiver.until(1)
    await runDueDeliveries(service, { deadlines })
    expect(receiver.got).toHaveLength(1)
    clock.advance(61_000)
    await runDueDeliveries(service, { deadlines })
    expect(receiver.got).toHaveLength(2)
    held[0]!()
    await stalled
    expect(await deliveries(service, tenant_id)).toMatchObject([
      { status: 'delivered', attempts: 1, logged: 1, fence: null },
    ])
  })

  test('whose lease is nearly out before it could send does not send', async () => {
    const receiver = await startReceiver()
    const tenant_id = await subscribe(service, receiver.url)
    await tell(service, tenant_id, [message('emp_1', clock.now())])
    let claims = 0
    watchSteps(step => {
      if (step === 'delivery.claimed' && ++claims === 1) clock.advance(55_000)
    })
    onTestFinished(() => watchSteps(() => {}))
    await runDueDeliveries(service)
    expect(claims).toBe(2)
    await expectAll(service, tenant_id, receiver, 1, 0)
  })
})

test('a worker that is stopped lets what it sends end and gives the rest back', async () => {
  const { context } = await ownContext()
  const receiver = await startReceiver(response => void setTimeout(() => response.end('ok'), 100))
  const tenant_id = await subscribe(context, receiver.url)
  await tell(
    context,
    tenant_id,
    Array.from({ length: 20 }, (_, n) => message('emp_1', context.clock.now(), n)),
  )
  const engine = createDeliveryEngine(context, OFTEN)
  engine.start()
  await receiver.until(2)
  await engine.stop()
  const rows = await deliveries(context, tenant_id)
  expect(rows.filter(row => row.fence !== null)).toEqual([])
  expect(rows.filter(row => row.status === 'delivered')).toHaveLength(receiver.got.length)
  expect(receiver.got.length).toBeLessThan(20)
  await runDueDeliveries(context)
  await expectAll(context, tenant_id, receiver, 20, 0)
})

test('what a server tells whose clock is an hour ahead is sent now, in the order of changes', async () => {
  const receiver = await startReceiver()
  const tenant_id = await subscribe(service, receiver.url)
  const told = (n: number) => tell(service, tenant_id, [message('emp_1', clock.now(), n)])
  await told(1)
  clock.advance(HOUR)
  await told(2)
  clock.advance(-HOUR)
  await told(3)
  await runDueDeliveries(service)
  expect(receiver.got).toHaveLength(1)
  await runDueJobs(service, [mendFirstAttemptsJob()])
  await runDueDeliveries(service)
  expect(receiver.got.map(({ body }) => JSON.parse(body).data.n)).toEqual([1, 2, 3])
  await expectAll(service, tenant_id, receiver, 3, 0)
})

describe('a worker whose clock is far ahead', () => {
  const mend = () => runDueJobs(service, [mendFarDeliveriesJob()])

  test.each([DAY, 400 * DAY])(
    'a retry it wrote %i ms ahead waits for its step, no longer',
    async ahead => {
      const receiver = await startReceiver((response, got, request) => {
        status(receiver.got.length === 1 ? 500 : 200)(response, got, request)
      })
      const tenant_id = await subscribe(service, receiver.url)
      await tell(service, tenant_id, [message('emp_1', clock.now())])
      clock.advance(ahead)
      await runDueDeliveries(service, { random: () => 0 })
      clock.advance(-ahead)
      await mend()
      clock.advance(MINUTE - 1)
      await runDueDeliveries(service)
      expect(receiver.got, 'never early').toHaveLength(1)
      clock.advance(1)
      await runDueDeliveries(service)
      expect(receiver.got).toHaveLength(2)
    },
  )

  test('what it held when it died is sent once a lease is over, not when the others have come so far', async () => {
    const receiver = await startReceiver(status(200))
    const tenant_id = await subscribe(service, receiver.url)
    const told = (n: number) => tell(service, tenant_id, [message('emp_1', clock.now(), n)])
    await told(1)
    clock.advance(DAY)
    const { deliveries } = await claimDeliveries(service, tenant_id, ROOM, MINUTE)
    expect(deliveries).toHaveLength(1)
    clock.advance(-DAY)
    await told(2)
    await mend()
    await runDueDeliveries(service)
    expect(receiver.got, 'who holds it may still live').toHaveLength(0)
    clock.advance(MINUTE + 1)
    await runDueDeliveries(service)
    expect(receiver.got.map(({ body }) => JSON.parse(body).data.n)).toEqual([1, 2])
  })

  test('a lease that a clock at most a minute ahead wrote stays as it is', async () => {
    const receiver = await startReceiver(status(200))
    const tenant_id = await subscribe(service, receiver.url)
    await tell(service, tenant_id, [message('emp_1', clock.now())])
    clock.advance(MINUTE)
    const { deliveries } = await claimDeliveries(service, tenant_id, ROOM, MINUTE)
    clock.advance(-MINUTE)
    await mend()
    clock.advance(2 * MINUTE - 1)
    await runDueDeliveries(service)
    expect(deliveries).toHaveLength(1)
    expect(receiver.got).toHaveLength(0)
  })

  test('what others wrote is left as it is, a step that was asked to be doubled too', async () => {
    const asked = { 'retry-after': '7200' }
    const receiver = await startReceiver(status(503, asked))
    const tenant_id = await subscribe(service, receiver.url)
    await tell(service, tenant_id, [message('emp_1', clock.now())])
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await runDueDeliveries(service)
      const before = await nextAttempts(tenant_id)
      await mend()
      expect(await nextAttempts(tenant_id)).toEqual(before)
      clock.advance(before[0]!.getTime() - clock.now())
    }
    expect(receiver.got).toHaveLength(4)
  })

  test('whose own clock is not that of the database calls nothing wrong', async () => {
    const { context } = await ownContext()
    const receiver = await startReceiver(status(500))
    const tenant_id = await subscribe(context, receiver.url)
    await tell(context, tenant_id, [message('emp_1', context.clock.now())])
    await runDueDeliveries(context)
    const before = await nextAttempts(tenant_id, context)
    const behind = { ...context, clock: { now: () => context.clock.now() - DAY } }
    const trusting = [onlyIfTrusted(trustClock, mendFarDeliveriesJob())]
    await runDueJobs(behind, trusting)
    expect(await nextAttempts(tenant_id, context)).toEqual(before)
    await context.db.inTenant(
      tenant_id,
      tx => tx`UPDATE webhook_deliveries SET next_attempt_at = ${new Date(context.clock.now() + DAY)}
        WHERE tenant_id = ${tenant_id}`,
    )
    await runDueJobs(context, trusting)
    const [mended] = await nextAttempts(tenant_id, context)
    expect(mended!.getTime() - context.clock.now()).toBeLessThanOrEqual(MINUTE)
  })

  async function nextAttempts(tenant_id: string, { db }: Context = service): Promise<Date[]> {
    const rows = await db.inTenant(
      tenant_id,
      tx => tx<{ next_attempt_at: Date }[]>`SELECT next_attempt_at FROM webhook_deliveries
        WHERE tenant_id = ${tenant_id}`,
    )
    return rows.map(row => row.next_attempt_at)
  }
})
