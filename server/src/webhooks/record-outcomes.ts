// Records how a group of attempts of one tenant went, and what follows for the subscriptions.
import { recordAudit } from '../audit/record-audit.ts'
import { addNotice } from '../notifications/notifications.queries.ts'
import { engineOrigin } from '../platform/actor.ts'
import { DAY, type Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Database, Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import { createCounter, createHistogram, LATENCIES } from '../platform/metrics.ts'
import { step } from '../platform/steps.ts'
import { sendOff } from '../platform/write-together.ts'
import { recordOutcomeRows } from './claims.queries.ts'
import { describeAttempt, isGone, judgeOutcome, type Outcome } from './judge-outcome.ts'
import {
  type DisabledReason,
  endFailures,
  listWebhooks,
  lockWebhooks,
  updateWebhook,
  type WebhookRow,
} from './webhooks.queries.ts'

const FAILURES_TO_DISABLE = 10
/** Failures in a row at which people are told. */
const TELL_AT = [1, 5]

const attempts_total = createCounter(
  'bellwether_delivery_attempts_total',
  'Webhook attempts by what followed: delivered, retrying or failed for good.',
  ['outcome'],
)
for (const outcome of ['delivered', 'retrying', 'failed']) attempts_total.add([outcome], 0)
const attempt_seconds = createHistogram(
  'bellwether_delivery_attempt_seconds',
  'Time of one webhook attempt.',
  [],
  LATENCIES,
)

/** Outcomes of claims that were lost meanwhile change nothing: their delivery is in other hands. */
export async function recordOutcomes(
  { db }: Context,
  tenant_id: string,
  outcomes: readonly Outcome[],
): Promise<void> {
  const moved = await findMoved(db, tenant_id, outcomes.filter(isGone))
  const judged = outcomes.map(outcome => ({
    outcome,
    row: judgeOutcome(outcome, moved.has(outcome)),
  }))
  for (const { outcome, row } of judged) {
    attempts_total.add([row.status])
    attempt_seconds.observe([], outcome.reply.total_ms / 1000)
  }
  await db.inTenant(tenant_id, async tx => {
    const ended = judged.map(({ outcome, row }) => ({ row, attempt: describeAttempt(outcome) }))
    const recorded = new Set((await recordOutcomeRows(tx, tenant_id, ended)).map(claimOf))
    const counted = judged.filter(one => recorded.has(claimOf(one.row)))
    if (counted.length === 0) return
    const bad = new Set(
      counted.filter(one => one.row.status === 'failed').map(one => one.row.webhook_id),
    )
    const good = counted.filter(({ row }) => row.status === 'delivered' && !bad.has(row.webhook_id))
    if (good.length > 0) sendOff(endFailures(tx, tenant_id, addressesOf(good)))
    if (bad.size > 0) await noteFailures(tx, tenant_id, counted, [...bad])
    step('delivery.recording')
  })
}

/** Those of subscriptions that have another address by now. */
async function findMoved(db: Database, tenant_id: string, gone: readonly Outcome[]) {
  if (gone.length === 0) return new Set<Outcome>()
  const webhooks = await db.inTenant(tenant_id, tx => listWebhooks(tx, tenant_id))
  const urls = new Map(webhooks.map(({ webhook_id, url }) => [webhook_id, url]))
  const hasMoved = ({ delivery: { webhook_id, url } }: Outcome) =>
    urls.has(webhook_id) && urls.get(webhook_id) !== url
  return new Set(gone.filter(hasMoved))
}

/** A delivery may stand in a group twice, of a claim that was lost and of the one in force. */
function claimOf({ delivery_id, fence }: { delivery_id: string; fence: string }): string {
  return `${delivery_id} ${fence}`
}

type Counted = { outcome: Outcome; row: ReturnType<typeof judgeOutcome> }

/** Where deliveries went, each once, in the order in which subscriptions are locked. */
function addressesOf(good: readonly Counted[]): Pick<WebhookRow, 'webhook_id' | 'url'>[] {
  const addresses = new Map(
    good.map(({ outcome: { delivery } }) => [`${delivery.webhook_id} ${delivery.url}`, delivery]),
  )
  return [...addresses.keys()].sort().map(key => addresses.get(key)!)
}

/** Retries still to come decide nothing; only a delivery that ended counts, in the order of their ends. */
async function noteFailures(tx: Tx, tenant_id: string, counted: readonly Counted[], bad: string[]) {
  const disabled: WebhookRow[] = []
  let last = 0
  for (const webhook of await lockWebhooks(tx, tenant_id, bad)) {
    // What the receiver at a former address answers says nothing of the one in force.
    const own = counted.filter(
      ({ row, outcome }) =>
        row.webhook_id === webhook.webhook_id && outcome.delivery.url === webhook.url,
    )
    for (const { outcome, row } of own) {
      last = Math.max(last, outcome.ended_at)
      if (row.status === 'delivered') Object.assign(webhook, { failures: 0, first_failed_at: null })
      if (row.status !== 'failed' || webhook.status !== 'enabled') continue
      await countFailure(tx, tenant_id, webhook, outcome.ended_at, row.error ?? '')
      const reason = reasonToDisable(webhook, outcome)
      if (reason) disabled.push(await disable(tx, tenant_id, webhook, reason, outcome.ended_at))
    }
    await updateWebhook(tx, tenant_id, webhook)
  }
  const origin = engineOrigin()
  const changes = disabled.map(webhook => ({
    action: 'webhook.disabled',
    subject_kind: 'webhook',
    subject_id: webhook.webhook_id,
    before: { status: 'enabled' },
    after: { status: 'disabled', reason: webhook.disabled_reason },
  }))
  await recordAudit(tx, tenant_id, last, origin, changes)
}

async function countFailure(
  tx: Tx,
  tenant_id: string,
  webhook: WebhookRow,
  at: Instant,
  error: string,
) {
  webhook.failures += 1
  webhook.first_failed_at ??= new Date(at)
  await addNotice(tx, tenant_id, {
    notification_id: newId('ntf', at),
    kind: 'webhook.failing',
    subject_kind: 'webhook',
    subject_id: webhook.webhook_id,
    data: { url: webhook.url, failures: webhook.failures, last_error: error },
    at: new Date(at),
    raise: TELL_AT.includes(webhook.failures),
  })
}

function reasonToDisable(webhook: WebhookRow, outcome: Outcome): DisabledReason | null {
  if (isGone(outcome)) return 'gone'
  const lasting = outcome.ended_at - webhook.first_failed_at!.getTime() >= DAY
  return webhook.failures >= FAILURES_TO_DISABLE && lasting ? 'failures' : null
}

async function disable(
  tx: Tx,
  tenant_id: string,
  webhook: WebhookRow,
  reason: DisabledReason,
  now: Instant,
): Promise<WebhookRow> {
  const at = new Date(now)
  Object.assign(webhook, {
    status: 'disabled',
    disabled_reason: reason,
    disabled_at: at,
    updated_at: at,
  })
  await addNotice(tx, tenant_id, {
    notification_id: newId('ntf', now),
    kind: 'webhook.disabled',
    subject_kind: 'webhook',
    subject_id: webhook.webhook_id,
    data: { url: webhook.url, reason, failures: webhook.failures },
    at,
    raise: true,
  })
  return webhook
}
