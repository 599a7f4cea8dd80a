// The limit of the machine: the rows an event makes, as multi-row inserts into tables of the same form, no logic.
import type { Context } from '../server/src/platform/context.ts'
import { newId } from '../server/src/platform/ids.ts'
import { createRandom } from './random.ts'

const TABLES = ['events', 'shares', 'score_history', 'webhook_messages', 'webhook_deliveries']

/** Copies with the same columns, keys and indexes, holding the same rows as ours at the start. */
export async function openSameRows({ db }: Context): Promise<void> {
  for (const table of TABLES) {
    await db.sql.unsafe(`DROP TABLE IF EXISTS limit_${table}`)
    await db.sql.unsafe(`CREATE TABLE limit_${table} (LIKE ${table} INCLUDING ALL)`)
  }
}

const random = createRandom(11)

/** Inserts for `seconds` with two writers, 256 events at a time, and returns events per second. */
export async function insertSameRows(context: Context, tenant_id: string, seconds: number): Promise<number> {
  const start = performance.now()
  const end = start + seconds * 1000
  let count = 0
  const write = async () => {
    while (performance.now() < end) {
      await insertGroup(context, tenant_id, 256)
      count += 256
    }
  }
  await Promise.all([write(), write()])
  return (count * 1000) / (performance.now() - start)
}

async function insertGroup({ db, clock }: Context, tenant_id: string, size: number): Promise<void> {
  const now = clock.now()
  const at = new Date(now)
  const ids = Array.from({ length: size }, () => newId('evt', now))
  const people = ids.map(() => `emp_${Math.floor(random() * 100_000).toString(36).padStart(22, '0')}`)
  const rule = 'rule_0mm9xk2ce1b2c3d4e5f6g7h'
  const body = JSON.stringify({ event: 'event.ingested', timestamp: at, data: { id: ids[0], type: 'sim.link_clicked', details: { campaign: 'spring', severity: 'high' }, rules_matched: [rule] } })
  await db.inTenant(tenant_id, async tx => {
    const rows = tx`unnest(${ids}::text[], ${people}::text[]) AS u(id, person)`
    await Promise.all([
      tx`INSERT INTO limit_events (tenant_id, event_id, employee_id, department, type, source, timestamp, received_at,
          impact, details, rules_matched, inert, actor)
        SELECT ${tenant_id}, u.id, u.person, 'Department 7', 'sim.link_clicked', 'siem', ${at}::timestamptz, ${at}::timestamptz, -25,
          '{"campaign":"spring","template":"parcel","severity":"high"}'::jsonb, ARRAY[${rule}], false, 'key:bench' FROM ${rows}`,
      tx`INSERT INTO limit_shares (tenant_id, employee_id, rule_id, timestamp, event_id, from_version, impact, dated_at, folded)
        SELECT ${tenant_id}, u.person, ${rule}, ${at}::timestamptz, u.id, 1, -25, ${at}::timestamptz, false FROM ${rows}`,
      tx`INSERT INTO limit_score_history (tenant_id, employee_id, version, at, score, band, risk, recovery, status,
          department, settings_version, edges_version, reason, trigger_event, event_id, actor)
        SELECT ${tenant_id}, u.id, 1, ${at}::timestamptz, 50, 'orange', -25, 0, 'active', 'Department 7', 1, 1, 'event', 'sim.link_clicked', u.id, 'key:bench'
        FROM ${rows}`,
      tx`INSERT INTO limit_webhook_messages (tenant_id, message_id, body)
        SELECT ${tenant_id}, u.id || n, ${body} FROM ${rows}, generate_series(1, 2) n`,
      tx`INSERT INTO limit_webhook_deliveries (tenant_id, webhook_id, delivery_id, message_id, event, employee_id, position,
          status, attempts, most_attempts, next_attempt_at, created_at)
        SELECT ${tenant_id}, 'whk_bench', u.id || n, u.id || n, 'event.ingested', u.person, 1, 'pending', 0, 5, ${at}::timestamptz, ${at}::timestamptz
        FROM ${rows}, generate_series(1, 2) n`,
    ])
  })
}
