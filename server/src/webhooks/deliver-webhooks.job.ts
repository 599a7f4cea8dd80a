// The delivery engine: finds due deliveries, claims, sends outside any transaction and records, fair between tenants.
import { createUsageMeter } from '../access/usage-meter.ts'
import type { Context } from '../platform/context.ts'
import { createGauge } from '../platform/metrics.ts'
import { createOutageFilter } from '../platform/once-a-minute.ts'
import { step } from '../platform/steps.ts'
import { claimDeliveries, type Delivery } from './claim-deliveries.ts'
import { createGuard } from './destination-guard.ts'
import { createTurns, type Width } from './fair-turns.ts'
import { createWatch, scanDue } from './find-due.ts'
import { createInHand, type InHand } from './in-hand.ts'
import { createDestinationLog } from './log-destinations.ts'
import { createLostSecretLog } from './log-lost-secrets.ts'
import { createQuiet, type Quiet } from './quiet.ts'
import { createRecorder } from './record-ended.ts'
import { createResolver, type ResolveHost } from './resolve-host.ts'
import { createSending, type Ended, isOutcome, type Sending } from './send-deliveries.ts'
import { createSender, DEADLINES, type Deadlines } from './send-request.ts'

export type EngineOptions = {
  deadlines?: Deadlines
  resolve?: ResolveHost
  random?: () => number
  lease_ms?: number
  poll_ms?: number
  /** False: works by polling alone. */
  listen?: boolean
}

export type Engine = {
  /** Sends what is due and what falls due, until stopped. */
  start(): void
  /** Sends everything due at the clock's instant, as far as the plans' rates allow, and returns. */
  runDue(): Promise<void>
  /** Lets what is being sent end, for a while, and gives the rest back. */
  stop(): Promise<void>
  /** How many deliveries are in hand: claimed, and what came of them not yet recorded. */
  held(): number
}

/** Several deadlines long: who holds a lease has time to send a chain and to record it. */
export const LEASE_MS = 60_000
const CLAIMERS: Width = { few: 2, many: 4 }
/** Supervisors give ten seconds; half of it is for answers still to come. */
const STOP_MS = 5_000

function openSending(context: Context, options: EngineOptions, inHand: InHand, ended: AfterSend) {
  const { deadlines = DEADLINES, random = Math.random, resolve = createResolver() } = options
  const { webhook_allow, webhook_deny } = context.config
  const guard = createGuard(webhook_allow, webhook_deny)
  const sender = createSender({ guard, resolve, deadlines })
  const logDestination = createDestinationLog(context)
  const logLostSecret = createLostSecretLog(context)
  const noted: AfterSend = (delivery, end) => {
    logDestination(end)
    logLostSecret(end)
    ended(delivery, end)
  }
  return createSending(context, { sender, deadlines, random, inHand, ended: noted })
}

type AfterSend = (delivery: Delivery, ended: Ended) => void

export function createDeliveryEngine(context: Context, options: EngineOptions = {}): Engine {
  const { lease_ms = LEASE_MS } = options
  const inHand = createInHand()
  const meter = createUsageMeter(context)
  const recorder = createRecorder(context, afterRecord)
  const sending = openSending(context, options, inHand, afterSend)
  const claims = createTurns(CLAIMERS, claimTurn)
  const watch = createWatch(context, options, claims.add)
  const quiet = createQuiet(() => claims.isIdle() && inHand.count() === 0)
  const hungry = new Set<string>()
  const isNews = createOutageFilter(context.clock)
  let claimed = 0

  async function claimTurn(tenant_id: string): Promise<boolean> {
    const room = inHand.room(tenant_id)
    hungry.add(tenant_id)
    try {
      if (inHand.isFull(tenant_id) || recorder.isBehind(tenant_id)) return false
      step('delivery.claiming')
      const { deliveries, ...claim } = await claimDeliveries(context, tenant_id, room, lease_ms)
      inHand.take(tenant_id, deliveries)
      if (deliveries.length > 0) step('delivery.claimed')
      claimed += deliveries.length
      hungry[claim.hungry ? 'add' : 'delete'](tenant_id)
      sending.sendAll(deliveries)
      if (claim.wait_ms !== null) watch.comeBack(tenant_id, claim.wait_ms)
      return claim.more
    } catch (err) {
      if (isNews('claim', err)) {
        context.log.warn({ err }, 'deliveries could not be claimed, will be tried again')
      }
      return false
    } finally {
      quiet.check()
    }
  }

  function afterSend({ tenant_id, webhook_id }: Delivery, ended: Ended): void {
    if (isOutcome(ended)) step('delivery.sent')
    inHand.sent(tenant_id, webhook_id)
    if (hungry.has(tenant_id) && inHand.hasMuchRoom(webhook_id)) claims.add(tenant_id)
    recorder.add(tenant_id, ended)
  }

  function afterRecord(tenant_id: string, group: readonly Ended[]): void {
    step('delivery.recorded')
    inHand.recorded(tenant_id, group.length)
    meter.count(tenant_id, 'deliveries', group.filter(isOutcome).length)
    if (hungry.delete(tenant_id)) claims.add(tenant_id)
    quiet.check()
  }

  return {
    start: watch.start,
    runDue: async () => {
      for (let before = -1; before !== claimed; await quiet.reached()) {
        before = claimed
        await scanDue(context, claims.add)
      }
    },
    stop: async () => {
      claims.stop()
      sending.stop()
      await watch.stop()
      await endSending(quiet, sending)
      await meter.flush()
    },
    held: inHand.count,
  }
}

async function endSending(quiet: Quiet, sending: Sending): Promise<void> {
  await quiet.reached(STOP_MS)
  await sending.cut()
  await quiet.reached(STOP_MS / 2)
}

export function startDeliveryEngine(context: Context): Engine {
  const engine = createDeliveryEngine(context)
  createGauge('bellwether_deliveries_held', 'Deliveries claimed and not yet recorded.', [], () => [
    [[], engine.held()],
  ])
  engine.start()
  return engine
}

/** For tests and commands: everything due at the clock's instant, then nothing more. */
export async function runDueDeliveries(context: Context, options?: EngineOptions): Promise<void> {
  const engine = createDeliveryEngine(context, options)
  await engine.runDue()
  await engine.stop()
}
