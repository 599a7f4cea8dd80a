// Recalculation the usual way: one employee after the other, a transaction each, an UPDATE for each event that differs.
import type { Context } from '../server/src/platform/context.ts'

type Rule = { rule_id: string; event_type: string; impact: number; cooldown_ms: number }
type Event = { event_id: string; type: string; timestamp: Date; impact: number }

const HALF_LIFE_MS = 90 * 86_400_000

/** Works for so many seconds from employee `from` on; returns events per second and where it came to. */
export async function recalculateUsually(
  { db }: Context,
  from: number,
  employees: number,
  seconds: number,
): Promise<{ rate: number; next: number }> {
  const start = performance.now()
  const rules = await db.sql<Rule[]>`
    SELECT rule_id, event_type, impact, cooldown_ms FROM usual_rules ORDER BY rule_id`
  let [next, events] = [from, 0]
  while (performance.now() - start < seconds * 1000) {
    const employee_id = `emp_${next % employees}`
    const byType = Map.groupBy(rules, rule => rule.event_type)
    events += await db.inTenant('', async tx => {
      await tx`SELECT 1 FROM usual_employees WHERE employee_id = ${employee_id} FOR UPDATE`
      const log = await tx<Event[]>`SELECT event_id, type, timestamp, impact FROM usual_events
        WHERE employee_id = ${employee_id} ORDER BY timestamp, event_id`
      const now = new Date()
      const { risk, recovery, changed } = replay(log, byType, now)
      for (const { event_id, impact } of changed) {
        await tx`UPDATE usual_events SET impact = ${impact} WHERE event_id = ${event_id}`
      }
      const score = Math.round(Math.min(100, Math.max(0, 75 + Math.min(25, recovery) + risk)))
      await tx`UPDATE usual_employees SET risk = ${risk}, recovery = ${recovery}, as_of = ${now}, score = ${score}
        WHERE employee_id = ${employee_id}`
      await tx`INSERT INTO usual_history (employee_id, at, score) VALUES (${employee_id}, ${now}, ${score})`
      return log.length
    })
    next++
  }
  return { rate: (events * 1000) / (performance.now() - start), next }
}

function replay(log: readonly Event[], rules: ReadonlyMap<string, Rule[]>, now: Date) {
  const last = new Map<string, number>()
  const changed: { event_id: string; impact: number }[] = []
  let [risk, recovery] = [0, 0]
  for (const event of log) {
    const at = event.timestamp.getTime()
    let impact = 0
    for (const rule of rules.get(event.type) ?? []) {
      if (at - (last.get(rule.rule_id) ?? -Infinity) < rule.cooldown_ms) continue
      last.set(rule.rule_id, at)
      impact += rule.impact
    }
    const worth = impact * 2 ** -((now.getTime() - at) / HALF_LIFE_MS)
    if (worth < 0) risk += worth
    else recovery += worth
    if (impact !== event.impact) changed.push({ event_id: event.event_id, impact })
  }
  return { risk, recovery, changed }
}
