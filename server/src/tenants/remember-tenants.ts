// Which tenants there are, asked before a credential is looked up in the tenant that it names: the many that a stranger
// invents have one place together in the line for the database, and none of their own.
import type { Context } from '../platform/context.ts'
import { createLookUp } from '../platform/look-up-together.ts'
import { listThose } from './tenants.queries.ts'

const MOST_REMEMBERED = 10_000

type IsTenant = (tenant_id: string) => Promise<boolean>

const memories = new WeakMap<Context, IsTenant>()

/** One that was deleted meanwhile may still be called there: whoever looks into it finds nothing. */
export function isTenant(context: Context, tenant_id: string): Promise<boolean> {
  const memory = memories.get(context) ?? createTenantMemory(context)
  memories.set(context, memory)
  return memory(tenant_id)
}

function createTenantMemory({ db }: Context): IsTenant {
  const known = new Set<string>()
  const lookUp = createLookUp<string>(async (_, asked) => {
    const found = await db.acrossTenants(tx => listThose(tx, asked))
    return new Map(found.map(({ tenant_id }) => [tenant_id, tenant_id]))
  })
  return async tenant_id => {
    if (known.has(tenant_id)) return true
    if ((await lookUp('', tenant_id)) === null) return false
    if (known.size >= MOST_REMEMBERED) known.clear()
    known.add(tenant_id)
    return true
  }
}
