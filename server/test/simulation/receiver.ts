// A receiver of webhooks in the model: takes messages as the worker would send them and holds them to their order.
import { pick, type Random } from '../../src/demo/random.ts'
import type { Stage } from './stage.ts'
import type { Row, Store } from './store.ts'

export type Receiver = ReturnType<typeof createReceiver>

export function createReceiver(store: Store, { basis }: Stage) {
  const starting = basis.settingsOf(1).starting_score
  const scores = new Map<string, number>()
  const bodies: { event: string; employee_id: string; data: any }[] = []
  const faults: string[] = []

  let seen = -1
  let known: Row[] = []

  function pending(): Row[] {
    if (seen !== store.commits()) {
      seen = store.commits()
      known = store.committed('webhook_deliveries').filter(d => d.status === 'pending')
    }
    return known
  }

  /** A few messages of one employee in their order: what comes after them is held back. */
  function receive(random: Random, most: number): void {
    const { employee_id } = pick(random, pending())
    const own = pending().filter(d => d.employee_id === employee_id)
    own.sort((a, b) => a.position - b.position)
    for (const delivery of own.slice(0, most)) take(delivery)
  }

  function take(delivery: Row): void {
    store.seed('webhook_deliveries', { ...delivery, status: 'delivered' })
    known = known.filter(one => one !== delivery)
    const { employee_id, message_id } = delivery
    const message = store.find('webhook_messages', message_id)
    if (!message) return void faults.push(`${delivery.delivery_id} has no message`)
    const { event, data } = JSON.parse(message.body)
    bodies.push({ event, employee_id, data })
    if (event !== 'score.updated') return
    const before = scores.get(employee_id) ?? starting
    if (data.previous_score !== before) {
      faults.push(`${employee_id} was told of ${data.previous_score} after ${before}`)
    }
    scores.set(employee_id, data.new_score)
  }

  return {
    faults,
    bodies,
    scores,
    hasPending: () => pending().length > 0,
    receive,
    receiveAll(random: Random): void {
      while (pending().length > 0) receive(random, Number.POSITIVE_INFINITY)
    },
  }
}
