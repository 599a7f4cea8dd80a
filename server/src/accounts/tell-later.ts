// Tells the tenants of an account what happened to it: after the answer where its time must not tell who exists, and
// again where it failed.
import type { AuditedChange } from '../audit/record-audit.ts'
import type { Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { isUnavailable } from '../platform/errors.ts'
import { listTenantsOf } from './list-tenants.ts'
import { tellTenant } from './tell-tenant.ts'

type Person = { user_id: string; tenant_ids: readonly string[] }
type Tell = () => Promise<void>
type Queue = { waiting: number; done: Promise<void>; untold: Tell[] }

/** More wait only under attack; the log of the service itself has every one of them. */
const MOST_WAITING = 1000

const queues = new WeakMap<Context, Queue>()

function queueOf(context: Context): Queue {
  const queue = queues.get(context) ?? { waiting: 0, done: Promise.resolve(), untold: [] }
  queues.set(context, queue)
  return queue
}

/**
 * For what was done in a transaction before it, and is not done by being asked for again: it stands, so its answer does
 * too. A tenant that cannot be told now is told by a later flush.
 */
export function tellTenantSurely(
  context: Context,
  tenant_id: string | null,
  origin: Origin,
  change: AuditedChange,
): Promise<void> {
  return tellOrKeep(context, () => tellTenant(context, tenant_id, origin, change))
}

async function tellOrKeep(context: Context, tell: Tell): Promise<void> {
  try {
    await tell()
  } catch (error) {
    const { untold } = queueOf(context)
    const again = isUnavailable(error) && untold.length < MOST_WAITING
    if (again) untold.push(tell)
    context.log.warn(
      { err: error, again },
      'what happened to an account was not told to its tenants',
    )
  }
}

/** One after another, so that a flood of guesses holds one connection and no more. */
export function tellTenantsLater(
  context: Context,
  person: Person | undefined,
  origin: Origin,
  change: AuditedChange,
): void {
  const queue = queueOf(context)
  if (!person || queue.waiting >= MOST_WAITING) return
  queue.waiting++
  queue.done = queue.done
    .then(() => tellOrKeep(context, () => tellAll(context, person, origin, change)))
    .finally(() => {
      queue.waiting--
    })
}

async function tellAll(context: Context, person: Person, origin: Origin, change: AuditedChange) {
  for (const { tenant_id } of await listTenantsOf(context, person)) {
    await tellTenantSurely(context, tenant_id, origin, change)
  }
}

/** Resolves once everything noted so far is told, or has been tried once more. */
export async function flushTold(context: Context): Promise<void> {
  const queue = queueOf(context)
  await queue.done
  for (const tell of queue.untold.splice(0)) await tellOrKeep(context, tell)
}
