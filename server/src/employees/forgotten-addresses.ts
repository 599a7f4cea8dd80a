// Addresses of people whose erasure is under way: what is sent for one of them is kept nowhere.
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { findForgotten } from './person.queries.ts'

const purposeOf = (tenant_id: string) => `erased address ${tenant_id}`

/** What the row of an erasure knows of the address. By the key in use first. */
export function hashAddress({ secrets }: Context, tenant_id: string, email_key: string): Buffer[] {
  return secrets.hash(email_key, purposeOf(tenant_id))
}

/**
 * Which of these addresses were somebody's who is being erased. Invariant: asked after it was found that nobody has them;
 * the erasure was committed then, and its row outlasts every transaction that waited for it.
 */
export async function listForgotten(
  context: Context,
  tx: Tx,
  tenant_id: string,
  email_keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (email_keys.length === 0) return NONE
  const owners = new Map(
    email_keys.flatMap(key =>
      hashAddress(context, tenant_id, key).map(hash => [hash.toString('hex'), key] as const),
    ),
  )
  const known = [...owners.keys()].map(hash => Buffer.from(hash, 'hex'))
  const found = await findForgotten(tx, tenant_id, known)
  return new Set(found.map(hash => owners.get(hash.toString('hex'))!))
}

const NONE: ReadonlySet<string> = new Set()
