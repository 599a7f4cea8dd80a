// Sends claimed deliveries, outside any transaction: in order where order matters, side by side where not.
import type { Context } from '../platform/context.ts'
import { step } from '../platform/steps.ts'
import { endSpan, startSpan, writeTraceparent } from '../platform/trace.ts'
import type { Delivery } from './claim-deliveries.ts'
import type { InHand } from './in-hand.ts'
import type { Outcome } from './judge-outcome.ts'
import type { Deadlines, Sender } from './send-request.ts'
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

export function createSending({ clock }: Context, options: SendingOptions): Sending {
  const { sender, deadlines, random, inHand, ended } = options
  let stopped = false
  let isCut = false

  /** Messages of one chain follow one another: each waits for the answer to the one before. */
  async function sendChain(chain: readonly Delivery[]): Promise<void> {
    for (const delivery of chain) {
      const inTime = clock.now() + deadlines.total_ms <= delivery.lease_until
      const outcome = inTime && !stopped ? await sendOne(delivery) : null
      ended(delivery, outcome && !isCut ? outcome : delivery)
    }
  }

  async function sendOne(delivery: Delivery): Promise<Outcome> {
    const { delivery_id, webhook_id, body, url } = delivery
    const started_at = clock.now()
    const signatures = signDelivery(delivery.keys, delivery_id, body, started_at)
    const headers = deliveryHeaders(delivery, signatures, started_at)
    const span = startSpan('deliver webhook', 'client', { 'bellwether.delivery_id': delivery_id })
    step('delivery.sending')
    const traced = span ? { ...headers, traceparent: writeTraceparent(span) } : headers
    const reply = await sender.send({ url, headers: traced, body })
    endSpan(span, { 'http.response.status_code': reply.status ?? 0 }, reply.error?.stage)
    inHand.learn(webhook_id, reply.total_ms < deadlines.total_ms)
    return { delivery, signatures, reply, started_at, ended_at: clock.now(), random: random() }
  }

  return {
    sendAll: deliveries => {
      for (const chain of chainsOf(deliveries)) void sendChain(chain)
    },
    stop: () => {
      stopped = true
    },
    cut: () => {
      isCut = true
      return sender.close()
    },
  }
}

/** First attempts about one employee to one subscription in the order of the changes; all else alone. */
function chainsOf(deliveries: readonly Delivery[]): Delivery[][] {
  const chains = new Map<string, Delivery[]>()
  for (const delivery of [...deliveries].sort((a, b) => a.position - b.position)) {
    const { status, webhook_id, employee_id, delivery_id } = delivery
    const key = status === 'pending' ? `${webhook_id} ${employee_id}` : delivery_id
    chains.set(key, [...(chains.get(key) ?? []), delivery])
  }
  return [...chains.values()]
}
