// Addresses of people who are being erased: while one is looked for, nobody else can have it.
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import type { Traces } from '../platform/mentions.ts'
import { openOrNull } from '../platform/secrets.ts'
import { emailKey } from './email-address.ts'
import { listOpenTraces } from './person.queries.ts'

export const tracesPurpose = (tenant_id: string, employee_id: string) =>
  `erasure ${tenant_id} ${employee_id}`

type Sealed = { readonly employee_id: string; readonly traces: string | null }

/** Null when it has ended, or the key that sealed them is gone: then it waits for that key. */
export function openTraces(
  { secrets }: Context,
  tenant_id: string,
  { employee_id, traces }: Sealed,
): Traces | null {
  const text = traces && openOrNull(secrets, traces, tracesPurpose(tenant_id, employee_id))
  return text ? JSON.parse(text) : null
}

/** As they are compared. An erasure whose key is gone keeps nobody waiting. */
export async function listBeingErased(context: Context, tx: Tx, tenant_id: string) {
  const open = await listOpenTraces(tx, tenant_id)
  const traces = open.map(row => openTraces(context, tenant_id, row))
  return new Set(traces.flatMap(one => (one === null ? [] : emailKey(one.email))))
}
