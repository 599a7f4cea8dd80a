// How many deliveries this process holds, of each tenant and subscription, and how many more it may take.
import type { Room } from './claim-deliveries.ts'

/** A subscription starts in the middle, earns more by answering and keeps little while it lets us wait. */
const FIRST = 4
/** So many it may always have, whatever the others of its tenant hold. */
const LEAST = 2
export const MOST_OF_WEBHOOK = 16
/**
 * At most so many times what is being sent is claimed: a claim costs about as much for one as for a hundred. Only where
 * the receiver answers: what waits for one that does not would take the room of others.
 */
const MOST_AHEAD = 20
/** No more than it answers in this time: what waits for longer is asked for again before it is sent. */
const AHEAD_MS = 500
/** How much of what is known of a receiver's pace is its last answer. */
const LAST = 1 / 8
const MOST_OF_TENANT = 400
const MOST_OF_ALL = 4000
/** Beyond that for tenants of whom nothing is held, so that some whose receivers hang keep no other waiting. */
const RESERVE = 1000
/** So much of what is left of it one of them may take: the next finds some too. */
const SHARE = 1 / 10

export type InHand = {
  room(tenant_id: string): Room
  /**
   * Whether this process holds too much, or the tenant has no room and soon has some again; where only the silent take
   * it up, others must be claimed.
   */
  isFull(tenant_id: string): boolean
  take(tenant_id: string, claimed: readonly { readonly webhook_id: string }[]): void
  /** Its request has ended; the subscription has room for another, the tenant once it is recorded. */
  sent(tenant_id: string, webhook_id: string): void
  recorded(tenant_id: string, count: number): void
  /** How many requests to the subscription may be under way at once. */
  width(webhook_id: string): number
  /** Whether the receiver has answered lately; what waits for one that has not takes the room of others. */
  answers(webhook_id: string): boolean
  /** Whether it is worth claiming for the subscription again. */
  hasMuchRoom(webhook_id: string): boolean
  /** What an attempt says of the receiver: how long it took to answer, or null where it let us wait until the deadline. */
  learn(webhook_id: string, answered_ms: number | null): void
  count(): number
}

const MOST_REMEMBERED = 50_000

/** What is known of a receiver: how many requests it may have at once, and how long it takes to answer one. */
type Known = { readonly width: number; readonly ms: number }

function createKnowledge() {
  const known = new Map<string, Known>()

  const width = (webhook_id: string) => known.get(webhook_id)?.width ?? FIRST
  const answers = (webhook_id: string) => (known.get(webhook_id)?.width ?? LEAST) > LEAST

  return {
    width,
    answers,
    mostOf: (webhook_id: string) => {
      const one = known.get(webhook_id)
      if (!one || !answers(webhook_id)) return width(webhook_id)
      return one.width * Math.max(1, Math.min(MOST_AHEAD, Math.floor(AHEAD_MS / one.ms)))
    },
    learn: (webhook_id: string, answered_ms: number | null) => {
      if (known.size >= MOST_REMEMBERED) known.clear()
      const { width, ms } = known.get(webhook_id) ?? { width: FIRST, ms: answered_ms ?? AHEAD_MS }
      known.set(
        webhook_id,
        answered_ms === null
          ? { width: LEAST, ms }
          : { width: Math.min(MOST_OF_WEBHOOK, width + 1), ms: ms + (answered_ms - ms) * LAST },
      )
    },
  }
}

export function createInHand(): InHand {
  const held = new Map<string, number>()
  const webhooks = new Map<string, Set<string>>()
  const { answers, width, mostOf, learn } = createKnowledge()
  let all = 0

  function add(key: string, by: number): void {
    const count = (held.get(key) ?? 0) + by
    if (count > 0) held.set(key, count)
    else held.delete(key)
  }

  const roomOf = (tenant_id: string) => Math.max(0, MOST_OF_TENANT - (held.get(tenant_id) ?? 0))

  function roomInAll(tenant_id: string): number {
    if (held.has(tenant_id)) return MOST_OF_ALL - all
    const left = MOST_OF_ALL + RESERVE - all
    return all < MOST_OF_ALL ? left : Math.min(left, Math.max(LEAST, Math.floor(left * SHARE)))
  }

  return {
    isFull: tenant_id => {
      if (roomInAll(tenant_id) <= 0) return true
      if (roomOf(tenant_id) > 0) return false
      const own = [...(webhooks.get(tenant_id) ?? [])]
      return own.length === 0 || own.some(answers)
    },
    room: tenant_id => ({
      all: Math.max(0, roomInAll(tenant_id)),
      tenant: roomOf(tenant_id),
      kept: webhook_id => Math.max(0, LEAST - (held.get(webhook_id) ?? 0)),
      of: webhook_id => Math.max(0, mostOf(webhook_id) - (held.get(webhook_id) ?? 0)),
    }),
    take: (tenant_id, claimed) => {
      all += claimed.length
      add(tenant_id, claimed.length)
      const own = webhooks.get(tenant_id) ?? new Set()
      for (const { webhook_id } of claimed) {
        add(webhook_id, 1)
        own.add(webhook_id)
      }
      if (own.size > 0) webhooks.set(tenant_id, own)
    },
    sent: (tenant_id, webhook_id) => {
      add(webhook_id, -1)
      if (held.has(webhook_id)) return
      const own = webhooks.get(tenant_id)
      if (own?.delete(webhook_id) && own.size === 0) webhooks.delete(tenant_id)
    },
    recorded: (tenant_id, count) => {
      all -= count
      add(tenant_id, -count)
    },
    width,
    answers,
    learn,
    hasMuchRoom: webhook_id => (held.get(webhook_id) ?? 0) <= mostOf(webhook_id) / 2,
    count: () => all,
  }
}
