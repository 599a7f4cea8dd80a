// A webhook subscription to everything, made as a person would make it.
import { asOperator } from '../server/src/accounts/identity.ts'
import type { Context } from '../server/src/platform/context.ts'
import { EVENT_KINDS } from '../server/src/webhooks/event-kinds.ts'
import { createWebhook } from '../server/src/webhooks/manage-webhooks.ts'

/** Where nobody listens: the rows are written, and no worker runs that would send them. */
export const NOWHERE = 'http://127.0.0.1:9/hook'

export async function subscribe(context: Context, tenant_id: string, url: string): Promise<string> {
  const wanted = { url, events: [...EVENT_KINDS] }
  return (await asOperator(context, tenant_id, createWebhook, wanted, context)).secret
}
