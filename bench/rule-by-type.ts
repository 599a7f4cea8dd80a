// Finds the default rule of an event type.
import type { Context } from '../server/src/platform/context.ts'

export async function findRule({ db }: Context, tenant_id: string, event_type: string) {
  const [rule] = await db.sql<{ id: string; impact: number; cooldown: string }[]>`
    SELECT rule_id AS id, impact, cooldown FROM rules
    WHERE tenant_id = ${tenant_id} AND event_type = ${event_type} AND is_default`
  if (!rule) throw new Error(`no rule for ${event_type}`)
  return rule
}
