// A message that cannot be signed says so in its own log; ours names the subscription, for the operator has the keys.
import type { Context } from '../platform/context.ts'
import { createOnceAMinute } from '../platform/once-a-minute.ts'
import { type Ended, isOutcome } from './send-deliveries.ts'

export function createLostSecretLog({ clock, log }: Context): (ended: Ended) => void {
  const isFirst = createOnceAMinute(clock)
  return ended => {
    if (!isOutcome(ended) || ended.delivery.keys !== null) return
    const { tenant_id, webhook_id } = ended.delivery
    if (!isFirst(webhook_id)) return
    log.warn({ tenant_id, webhook_id }, 'a signing secret was sealed with another key')
  }
}
