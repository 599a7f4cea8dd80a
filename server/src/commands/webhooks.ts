// The operator's commands about webhook subscriptions and their deliveries.
import type { Asked } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { parseSpan } from '../platform/dates.ts'
import type { DeliveryStatus } from '../webhooks/deliveries.queries.ts'
import { listDeliveries } from '../webhooks/delivery-lists.queries.ts'
import { EVENT_KINDS, type EventKind } from '../webhooks/event-kinds.ts'
import { queueTest, redeliver, startRecovery } from '../webhooks/manage-deliveries.ts'
import {
  activateSecret,
  changeWebhook,
  createWebhook,
  removeWebhook,
  rotateSecret,
  showWebhook,
} from '../webhooks/manage-webhooks.ts'
import { findWebhook, listWebhooks } from '../webhooks/webhooks.queries.ts'
import { CommandError, defineCommand, readOneOf, readPositive, readText } from './arguments.ts'
import { withTenant } from './open-context.ts'
import { json, printFields, printRows, type Row } from './print.ts'

const tenant = { value: 'tenant id', required: true, about: 'whose webhook' } as const
const webhook = {
  value: 'webhook id',
  required: true,
  about: 'the id as webhook list shows it',
} as const
const options = { tenant, webhook, json } as const

const create = defineCommand({
  name: 'webhook create',
  about: 'Creates a subscription and shows its signing secret, this once.',
  options: {
    tenant,
    url: { value: 'URL', required: true, about: 'where messages are sent' },
    events: { value: 'all|a,b', required: true, about: 'which kinds: all, or names with commas' },
    description: { value: 'text', about: 'what it is for' },
    json,
  },
  run: async values => {
    const description = values.description ? readText('description', values.description) : ''
    const input = { url: values.url, events: readKinds(values.events), description }
    const { id, url, events, secret } = await withTenant(values.tenant, (tx, asked, context) =>
      createWebhook(tx, asked, input, context),
    )
    printFields(values.json, { id, url, events, secret })
  },
})

function readKinds(text: string): EventKind[] {
  if (text === 'all') return [...EVENT_KINDS]
  const names = text.split(',').map(name => readOneOf('events', name.trim(), EVENT_KINDS))
  return [...new Set(names)]
}

const COLUMNS = ['id', 'status', 'url', 'events', 'failures', 'disabled_reason', 'created_at']

const list = defineCommand({
  name: 'webhook list',
  about: 'Lists the subscriptions of a tenant, without their secrets.',
  options: { tenant, json },
  run: async values => {
    const rows = await withTenant(values.tenant, async (tx, { tenant_id, now }) => {
      const all = await listWebhooks(tx, tenant_id)
      return all.map(row => showWebhook(row, now))
    })
    printRows(values.json, COLUMNS, rows)
  },
})

type Change = (tx: Tx, asked: Asked, webhook_id: string, context: Context) => Promise<Row>

/** A command that does one thing to one subscription and shows some fields of it. */
function defineChange(name: string, about: string, run: Change) {
  return defineCommand({
    name: `webhook ${name}`,
    about,
    options,
    run: async values => {
      const fields = await withTenant(values.tenant, (tx, asked, context) =>
        run(tx, asked, values.webhook, context),
      )
      printFields(values.json, fields)
    },
  })
}

const setStatus =
  (status: 'enabled' | 'disabled'): Change =>
  async (tx, asked, webhook_id, context) => {
    const shown = await changeWebhook(tx, asked, webhook_id, { status }, context)
    return { id: shown.id, url: shown.url, status: shown.status }
  }

const disable = defineChange(
  'disable',
  'Stops sending; messages are logged as skipped and can be recovered.',
  setStatus('disabled'),
)
const enable = defineChange(
  'enable',
  'Sends again and forgets the failures before.',
  setStatus('enabled'),
)

const remove = defineChange(
  'delete',
  'Deletes a subscription; nothing more is sent.',
  async (tx, asked, webhook_id) => {
    await removeWebhook(tx, asked, webhook_id)
    return { id: webhook_id, deleted: true }
  },
)

const rotate = defineChange(
  'rotate-secret',
  'Makes a new signing secret and shows it, this once; the old one is valid for another 24 hours.',
  async (tx, asked, webhook_id, context) => {
    const shown = await rotateSecret(tx, asked, webhook_id, context)
    const { id, url, rotation_ends_at, secret } = shown
    return { id, url, rotation_ends_at, secret }
  },
)

const activate = defineChange(
  'activate-secret',
  'Signs X-Service-Signature with the new secret from now on, before the 24 hours are over.',
  async (tx, asked, webhook_id) => {
    const shown = await activateSecret(tx, asked, webhook_id)
    const { id, url, rotation_ends_at, new_secret_activated } = shown
    return { id, url, rotation_ends_at, new_secret_activated }
  },
)

const test = defineChange(
  'test',
  'Queues a message of kind webhook.test; the worker sends it.',
  queueTest,
)

const STATUSES: DeliveryStatus[] = ['pending', 'retrying', 'delivered', 'failed', 'skipped']
const LOG_COLUMNS = [
  'id',
  'event',
  'status',
  'attempts',
  'last_response_status',
  'last_error',
  'next_attempt_at',
  'created_at',
]

const deliveries = defineCommand({
  name: 'webhook deliveries',
  about: 'Lists what was and is to be sent to a subscription, newest first.',
  options: {
    ...options,
    status: { value: 'status', about: `only ${STATUSES.join(', ')}` },
    limit: { value: 'n', about: 'how many, 25 unless given' },
  },
  run: async values => {
    const status = values.status && readOneOf('status', values.status, STATUSES)
    const per_page = readPositive('limit', values.limit) ?? 25
    const rows = await withTenant(values.tenant, async tx => {
      if (!(await findWebhook(tx, values.tenant, values.webhook))) {
        throw new CommandError(`--webhook: there is no webhook ${values.webhook}`)
      }
      const filter = status ? { status } : {}
      const sorting = { sort: 'created_at', order: 'desc' } as const
      const page = { per_page, offset: 0 }
      return listDeliveries(tx, values.tenant, values.webhook, filter, sorting, page)
    })
    printRows(values.json, LOG_COLUMNS, rows)
  },
})

const again = defineCommand({
  name: 'webhook redeliver',
  about: 'Sends a delivery again, with the same id and the same bytes.',
  options: {
    tenant,
    delivery: {
      value: 'delivery id',
      required: true,
      about: 'the id as webhook deliveries shows it',
    },
    json,
  },
  run: async values => {
    const row = await withTenant(values.tenant, (tx, asked) =>
      redeliver(tx, asked, values.delivery),
    )
    printFields(values.json, row)
  },
})

const recover = defineCommand({
  name: 'webhook recover',
  about: 'Sends again every skipped and failed delivery since an instant; the worker does it.',
  options: { ...options, since: { value: 'ISO date', required: true, about: 'from when on' } },
  run: async values => {
    const since = parseSpan(values.since)?.first
    if (since === undefined)
      throw new CommandError('--since must be an ISO 8601 date or date-time with zone')
    const shown = await withTenant(values.tenant, (tx, asked) =>
      startRecovery(tx, asked, values.webhook, since),
    )
    printFields(values.json, shown)
  },
})

export const commands = [
  create,
  list,
  disable,
  enable,
  remove,
  rotate,
  activate,
  test,
  deliveries,
  again,
  recover,
]
