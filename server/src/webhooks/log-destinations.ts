// Who tells us to call an address that webhooks may not reach is written down: who and which host, not the rest of the
// URL, which may hold a secret of theirs.
import type { Asked } from '../accounts/identity.ts'
import { actorText } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { createOnceAMinute } from '../platform/once-a-minute.ts'
import { type Ended, isOutcome } from './send-deliveries.ts'

function logRefused({ log }: Context, who: object, url: string): void {
  log.info({ ...who, host: new URL(url).host }, 'webhook destination refused')
}

/** A literal address; how often one can be tried is bounded by the limits of the plan. */
export function logRefusedUrl(context: Context, { tenant_id, origin }: Asked, url: string): void {
  const { actor, request_id, address } = origin
  logRefused(context, { tenant_id, actor: actorText(actor), request_id, address }, url)
}

/** A name that leads to one: known only when it is called, and called again and again. */
export function createDestinationLog(context: Context): (ended: Ended) => void {
  const isFirst = createOnceAMinute(context.clock)
  return ended => {
    if (!isOutcome(ended) || ended.reply.error?.stage !== 'destination') return
    const { tenant_id, webhook_id, url } = ended.delivery
    if (isFirst(webhook_id)) logRefused(context, { tenant_id, webhook_id }, url)
  }
}
