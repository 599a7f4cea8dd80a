// Tells all tenants of an account what happened to it after the answer has gone out: its time must not tell who exists.
import type { AuditedChange } from '../audit/record-audit.ts'
import type { Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { listTenantsOf } from './list-tenants.ts'
import { tellTenant } from './tell-tenant.ts'

type Person = { user_id: string; tenant_ids: readonly string[] }
type Queue = { waiting: number; done: Promise<void> }

/** More wait only under attack; the log of the service itself has every one of them. */
const MOST_WAITING = 1000

const queues = new WeakMap<Context, Queue>()

/** One after another, so that a flood of guesses holds one connection and no more. */
export function tellTenantsLater(
  context: Context,
  person: Person | undefined,
  origin: Origin,
  change: AuditedChange,
): void {
  const queue = queues.get(context) ?? { waiting: 0, done: Promise.resolve() }
  queues.set(context, queue)
  if (!person || queue.waiting >= MOST_WAITING) return
  queue.waiting++
  queue.done = queue.done
    .then(() => tellAll(context, person, origin, change))
    .catch(error =>
      context.log.warn({ err: error }, 'what happened to an account was not told to its tenants'),
    )
    .finally(() => {
      queue.waiting--
    })
}

async function tellAll(context: Context, person: Person, origin: Origin, change: AuditedChange) {
  for (const { tenant_id } of await listTenantsOf(context, person)) {
    await tellTenant(context, tenant_id, origin, change)
  }
}

/** Resolves once everything noted so far is told. */
export function flushTold(context: Context): Promise<void> {
  return queues.get(context)?.done ?? Promise.resolve()
}
