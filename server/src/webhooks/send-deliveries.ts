// Sends claimed deliveries, outside any transaction: in order where order matters, side by side where not.
import type { Context } from '../platform/context.ts'
import { createOutageFilter } from '../platform/once-a-minute.ts'
import { step } from '../platform/steps.ts'
import { endSpan, startSpan, writeTraceparent } from '../platform/trace.ts'
import { type Delivery, renewClaim } from './claim-deliveries.ts'
import type { InHand } from './in-hand.ts'
import type { Outcome } from './judge-outcome.ts'
import { type Deadlines, type Sender, unsent } from './send-request.ts'
import { deliveryHeaders, signDelivery } from './signatures.ts'

/** What became of a claimed delivery: an outcome, or itself again when it was not sent. */
export type Ended = Outcome | Delivery

export function isOutcome(ended: Ended): ended is Outcome {
  return 'delivery' in ended
}

export type Sending = {
  sendAll(deliveries: readonly Delivery[]): void
  /** Begins nothing more; what is being sent goes on. */
  stop(): void
  /** Gives back what is still being sent; its receiver may get it twice. */
  cut(): Promise<void>
}

export type SendingOptions = {
  sender: Sender
  deadlines: Deadlines
  random: () => number
  inHand: InHand
  ended(delivery: Delivery, ended: Ended): void
}

/** What waited longer for its turn is asked for again: the subscription, or the person, may be gone. */
const FRESH_MS = 1000

export function createSending(context: Context, options: SendingOptions): Sending {
  const { clock } = context
  const { sender, deadlines, inHand, ended } = options
  const waiting = new Map<string, Delivery[][]>()
  const running = new Map<string, number>()
  let stopped = false
  let isCut = false
  const readAgain = createReader(context)

  /**
   * Begins as many chains as the subscription may have under way. What is stopped is given back at once, and so is what
   * waits for a receiver that answers no more.
   */
  function begin(webhook_id: string): void {
    const chains = waiting.get(webhook_id) ?? []
    const isFree = () => stopped || (running.get(webhook_id) ?? 0) < inHand.width(webhook_id)
    while (chains.length > 0 && isFree()) void runChain(webhook_id, chains.shift()!)
    const given = inHand.answers(webhook_id) ? [] : chains.splice(0).flat()
    for (const delivery of given) ended(delivery, delivery)
    if (chains.length === 0) waiting.delete(webhook_id)
  }

  async function runChain(webhook_id: string, chain: readonly Delivery[]): Promise<void> {
    running.set(webhook_id, (running.get(webhook_id) ?? 0) + 1)
    await sendChain(chain)
    const left = running.get(webhook_id)! - 1
    if (left > 0) running.set(webhook_id, left)
    else running.delete(webhook_id)
    begin(webhook_id)
  }

  const mayBegin = ({ lease_until }: Delivery) =>
    !stopped && clock.now() + deadlines.total_ms <= lease_until

  /**
   * Messages of one chain follow one another: each waits for the answer to the one before. Where one is not sent,
   * none after it is.
   */
  async function sendChain(chain: readonly Delivery[]): Promise<void> {
    let outcome: Outcome | null = null
    for (const [i, delivery] of chain.entries()) {
      const goesOn: boolean = (i === 0 || outcome !== null) && mayBegin(delivery)
      const ready: Delivery | null = goesOn ? await readAgain(delivery) : null
      outcome = ready && mayBegin(ready) ? await sendOne(context, options, ready) : null
      ended(delivery, outcome && !isCut ? outcome : delivery)
    }
  }

  return {
    sendAll: deliveries => {
      for (const chain of chainsOf(deliveries)) push(waiting, chain[0]!.webhook_id, chain)
      for (const webhook_id of new Set(deliveries.map(one => one.webhook_id))) begin(webhook_id)
    },
    stop: () => {
      stopped = true
      for (const webhook_id of [...waiting.keys()]) begin(webhook_id)
    },
    cut: () => {
      isCut = true
      return sender.close()
    },
  }
}

/** As a delivery is to be sent now, or null where it is not. */
function createReader(context: Context): (delivery: Delivery) => Promise<Delivery | null> {
  const { clock, log } = context
  const isNews = createOutageFilter(clock)
  return async delivery => {
    if (Math.abs(clock.now() - delivery.known_at) < FRESH_MS) return delivery
    try {
      return await renewClaim(context, delivery)
    } catch (err) {
      if (isNews('read', err)) {
        log.warn({ err }, 'a claimed delivery could not be read again, it is given back')
      }
      return null
    }
  }
}

const NOT_SIGNED = { signature: '', standard_signature: '' }

async function sendOne(
  { clock }: Context,
  { sender, deadlines, random, inHand }: SendingOptions,
  delivery: Delivery,
): Promise<Outcome> {
  const { delivery_id, webhook_id, body, url, keys } = delivery
  const started_at = clock.now()
  if (keys === null) {
    const reply = unsent('the signing secret cannot be opened; rotate it')
    const times = { started_at, ended_at: started_at }
    return { delivery, signatures: NOT_SIGNED, reply, ...times, random: random() }
  }
  const signatures = signDelivery(keys, delivery_id, body, started_at)
  const headers = deliveryHeaders(delivery, signatures, started_at)
  const span = startSpan('deliver webhook', 'client', { 'bellwether.delivery_id': delivery_id })
  step('delivery.sending')
  const traced = span ? { ...headers, traceparent: writeTraceparent(span) } : headers
  const reply = await sender.send({ url, headers: traced, body })
  endSpan(span, { 'http.response.status_code': reply.status ?? 0 }, reply.error?.stage)
  // Who takes no connection is known sooner.
  const most_ms = reply.status === null ? deadlines.connect_ms : deadlines.total_ms
  inHand.learn(webhook_id, reply.total_ms < most_ms ? reply.total_ms : null)
  return { delivery, signatures, reply, started_at, ended_at: clock.now(), random: random() }
}

/** First attempts about one employee to one subscription in the order of the changes; all else alone. */
function chainsOf(deliveries: readonly Delivery[]): Delivery[][] {
  const chains = new Map<string, Delivery[]>()
  for (const delivery of [...deliveries].sort((a, b) => a.position - b.position)) {
    const { status, webhook_id, employee_id, delivery_id } = delivery
    const key = status === 'pending' ? `${webhook_id} ${employee_id}` : delivery_id
    push(chains, key, delivery)
  }
  return [...chains.values()]
}

function push<T>(lists: Map<string, T[]>, key: string, one: T): void {
  const list = lists.get(key)
  if (list) list.push(one)
  else lists.set(key, [one])
}
