// How many deliveries this process holds, of each tenant and subscription, and how many more it may take.
import type { Room } from './claim-deliveries.ts'

/** A subscription starts in the middle, earns more by answering and keeps little while it lets us wait. */
const FIRST = 4
const LEAST = 2
export const MOST_OF_WEBHOOK = 16
export const MOST_OF_TENANT = 200

export type InHand = {
  room(tenant_id: string): Room
  take(tenant_id: string, webhook_id: string): void
  give(tenant_id: string, webhook_id: string): void
  /** What an attempt says of the receiver: it answered, or it let us wait until the deadline. */
  learn(webhook_id: string, answered: boolean): void
  count(): number
}

const MOST_REMEMBERED = 50_000

export function createInHand(): InHand {
  const held = new Map<string, number>()
  const allowed = new Map<string, number>()
  let all = 0

  function add(key: string, by: number): void {
    const count = (held.get(key) ?? 0) + by
    if (count > 0) held.set(key, count)
    else held.delete(key)
  }

  function move(tenant_id: string, webhook_id: string, by: number): void {
    all += by
    add(tenant_id, by)
    add(webhook_id, by)
  }

  return {
    room: tenant_id => ({
      tenant: Math.max(0, MOST_OF_TENANT - (held.get(tenant_id) ?? 0)),
      of: webhook_id =>
        Math.max(0, (allowed.get(webhook_id) ?? FIRST) - (held.get(webhook_id) ?? 0)),
    }),
    take: (tenant_id, webhook_id) => move(tenant_id, webhook_id, 1),
    give: (tenant_id, webhook_id) => move(tenant_id, webhook_id, -1),
    learn: (webhook_id, answered) => {
      if (allowed.size >= MOST_REMEMBERED) allowed.clear()
      const now = allowed.get(webhook_id) ?? FIRST
      allowed.set(webhook_id, answered ? Math.min(MOST_OF_WEBHOOK, now + 1) : LEAST)
    },
    count: () => all,
  }
}
