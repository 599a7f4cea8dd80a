// The limit of the machine: the rows that events make, as multi-row inserts into tables of the same form and fill,
// without any logic: nothing is read, locked, judged or updated.
import { createRandom } from '../server/src/demo/random.ts'
import type { Context } from '../server/src/platform/context.ts'
import type { Database } from '../server/src/platform/database.ts'
import { newId } from '../server/src/platform/ids.ts'
import { say } from './fill-company.ts'

const TABLES = ['events', 'shares', 'score_history', 'webhook_messages', 'webhook_deliveries']

/** Copies with the same columns, keys, indexes and rows. */
export async function fillSameRows({ db }: Context): Promise<void> {
  say('tables of the limit')
  for (const table of TABLES) {
    const [ours, copy] = [db.sql(table), db.sql(`limit_${table}`)]
    const columns = db.sql(await listWritten(db, table))
    await db.sql.begin(async tx => {
      await tx`SET LOCAL statement_timeout = 0`
      await tx`CREATE TABLE ${copy} (LIKE ${ours} INCLUDING ALL)`
      await tx`INSERT INTO ${copy} (${columns}) SELECT ${columns} FROM ${ours}`
    })
  }
}

/** The columns that are not computed from others. */
async function listWritten({ sql }: Database, table: string): Promise<string[]> {
  const rows = await sql<
    { name: string }[]
  >`SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = ${table} AND is_generated = 'NEVER'`
  return rows.map(row => row.name)
}

/** How many rows of each kind an event makes, as the service wrote them since an instant. */
export type Shape = { shares: number; steps: number; messages: number }

export async function readShape({ db }: Context, tenant_id: string, since: number): Promise<Shape> {
  const from = new Date(since)
  const [row] = await db.sql<(Shape & { events: number })[]>`
    SELECT (SELECT count(*) FROM events WHERE tenant_id = ${tenant_id} AND timestamp >= ${from}) AS events,
      (SELECT coalesce(sum(cardinality(rules_matched)), 0) FROM events
        WHERE tenant_id = ${tenant_id} AND timestamp >= ${from})::int8 AS shares,
      (SELECT count(*) FROM score_history WHERE tenant_id = ${tenant_id} AND at >= ${from}) AS steps,
      (SELECT count(*) FROM webhook_deliveries WHERE tenant_id = ${tenant_id}) AS messages`
  const { events, shares, steps, messages } = row!
  const per = Math.max(1, events)
  return { shares: shares / per, steps: steps / per, messages: messages / per }
}

const random = createRandom(11)
const AT_ONCE = 256

export type SameRows = { insertFor(seconds: number, shape: Shape): Promise<number> }

/** `insertFor` writes with two connections, as the service does, and returns events per second. */
export async function openSameRows(context: Context, tenant_id: string): Promise<SameRows> {
  const rows = await context.db.sql<{ employee_id: string }[]>`
    SELECT employee_id FROM employee_states WHERE tenant_id = ${tenant_id}`
  const people = rows.map(row => row.employee_id)
  return {
    insertFor: async (seconds, shape) => {
      const start = performance.now()
      let count = 0
      const write = async () => {
        while (performance.now() - start < seconds * 1000) {
          await insertGroup(context, tenant_id, people, shape)
          count += AT_ONCE
        }
      }
      await Promise.all([write(), write()])
      return (count * 1000) / (performance.now() - start)
    },
  }
}

let version = 1_000_000_000
const RULES = ['a', 'b', 'c', 'd', 'e'].map(letter => `rule_0mm9xk2ce1b2c3d4e5f6g7${letter}`)

async function insertGroup(
  { db, clock }: Context,
  tenant_id: string,
  people: readonly string[],
  shape: Shape,
): Promise<void> {
  const now = clock.now()
  const at = new Date(now)
  const made = Array.from({ length: AT_ONCE }, () => ({
    id: newId('evt', now),
    person: people[Math.floor(random() * people.length)]!,
  }))
  /** The events over and over, until there are so many rows for each. */
  const rows = (per: number) =>
    Array.from({ length: Math.round(AT_ONCE * per) }, (_, i) => ({
      ...made[i % AT_ONCE]!,
      turn: Math.floor(i / AT_ONCE),
    }))
  const [shares, steps, messages] = [rows(shape.shares), rows(shape.steps), rows(shape.messages)]
  const names = messages.map(() => newId('msg', now))
  const body = bodyOf(made[0]!.id, made[0]!.person, at)
  const details =
    '{"description":"Reported by the monitoring","campaign":"spring","severity":"high"}'
  const step = version
  version += steps.length
  await db.inTenant(tenant_id, async tx => {
    const matched = RULES.slice(0, Math.round(shape.shares))
    await Promise.all([
      tx`INSERT INTO limit_events (tenant_id, event_id, employee_id, department, type, source, timestamp, received_at,
          impact, details, rules_matched, inert, actor)
        SELECT ${tenant_id}, u.id, u.person, 'Department 7', 'custom.vpn_anomaly', 'api', ${at}::timestamptz,
          ${at}::timestamptz, -7, ${details}::text::jsonb, ${matched}::text[], false, 'key:bench'
        FROM unnest(${made.map(m => m.id)}::text[], ${made.map(m => m.person)}::text[]) AS u(id, person)`,
      tx`INSERT INTO limit_shares (tenant_id, employee_id, rule_id, timestamp, event_id, from_version, impact, dated_at,
          folded)
        SELECT ${tenant_id}, u.person, u.rule_id, ${at}::timestamptz, u.id, 1, -2, ${at}::timestamptz, false
        FROM unnest(${shares.map(s => s.id)}::text[], ${shares.map(s => s.person)}::text[],
          ${shares.map(s => RULES[s.turn % RULES.length]!)}::text[]) AS u(id, person, rule_id)`,
      tx`INSERT INTO limit_score_history (tenant_id, employee_id, version, at, score, band, risk, recovery, status,
          department, settings_version, edges_version, reason, trigger_event, event_id, actor)
        SELECT ${tenant_id}, u.person, u.version, ${at}::timestamptz, 50, 'orange', -25, 0, 'active', 'Department 7', 1,
          1, 'event', 'custom.vpn_anomaly', u.id, 'key:bench'
        FROM unnest(${steps.map(s => s.id)}::text[], ${steps.map(s => s.person)}::text[],
          ${steps.map((_, i) => step + i)}::int8[]) AS u(id, person, version)`,
      tx`INSERT INTO limit_webhook_messages (tenant_id, message_id, body)
        SELECT ${tenant_id}, u.name, ${body} FROM unnest(${names}::text[]) AS u(name)`,
      tx`INSERT INTO limit_webhook_deliveries (tenant_id, webhook_id, delivery_id, message_id, event, employee_id,
          position, status, attempts, most_attempts, next_attempt_at, created_at)
        SELECT ${tenant_id}, 'whk_0mm8o8c001yq7xk3m2p5aw9', u.name, u.name, 'event.ingested', u.person,
          ${now * 1000}::int8, 'pending', 0, 5, ${at}::timestamptz, ${at}::timestamptz
        FROM unnest(${names}::text[], ${messages.map(m => m.person)}::text[]) AS u(name, person)`,
    ])
  })
}

/** About as long as what a subscriber is told. */
function bodyOf(id: string, employee_id: string, timestamp: Date): string {
  const details = { description: 'Reported by the monitoring', campaign: 'spring', severity: 'low' }
  const about = { id, type: 'custom.vpn_anomaly', source: 'api', employee_id, impact: -3 }
  const data = {
    ...about,
    current_impact: -3,
    timestamp,
    details,
    rules_matched: RULES.slice(0, 2),
  }
  return JSON.stringify({ event: 'event.ingested', timestamp, data })
}
