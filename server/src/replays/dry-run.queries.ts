// SQL of dry runs: one statement, so one instant; read in portions, so memory stays flat.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { Tried } from './dry-run.ts'

/** The types of the tenant's events, from the kept counts. */
export async function listEventTypes(tx: Tx, tenant_id: string): Promise<string[]> {
  const rows = await tx<{ type: string }[]>`
    SELECT DISTINCT type FROM event_counts WHERE tenant_id = ${tenant_id}`
  return rows.map(row => row.type)
}

export type DryRunQuestion = {
  types: string[]
  /** The rule whose recorded shares are replaced and whose firings cool, if there is one. */
  rule_id: string | null
  cooldown_ms: number
  /** Whether conditions look into the event; without it only times are read. */
  with_details: boolean
  from: Instant
  to: Instant
}

type Row = {
  employee_id: string
  score: number
  risk: number
  recovery: number
  as_of: Date
  next_change_at: Date | null
  settings_version: number
  log: [number, number, string, string, Record<string, unknown>][] | null
  replaced: [number, number][] | null
  firings: number[] | null
}

export type TriedRow = Tried & { settings_version: number }

/** Hands over everybody with an event of these types, or a replaced share, in the window. */
export async function readTried(
  tx: Tx,
  tenant_id: string,
  asked: DryRunQuestion,
  each: (tried: TriedRow) => void,
): Promise<void> {
  const { types, rule_id, from, to } = asked
  const [first, last] = [new Date(from), new Date(to)]
  const cool = new Date(from - asked.cooldown_ms)
  const rows = tx<Row[]>`
    SELECT s.employee_id, s.score, s.risk, s.recovery, s.as_of, s.next_change_at, s.settings_version,
      ev.log, sh.replaced, fi.firings
    FROM (SELECT e.employee_id, json_agg(${eventColumns(tx, asked)} ORDER BY e.timestamp, e.event_id) AS log
      FROM events e WHERE e.tenant_id = ${tenant_id} AND e.type = ANY(${types}::text[])
        AND e.timestamp >= ${first} AND e.timestamp <= ${last} AND e.retracted_at IS NULL AND NOT e.inert
      GROUP BY e.employee_id) ev
    FULL JOIN (SELECT r.employee_id,
        json_agg(json_build_array(r.impact, (extract(epoch FROM r.dated_at) * 1000)::bigint)) AS replaced
      FROM shares r WHERE r.tenant_id = ${tenant_id} AND r.rule_id = ${rule_id} AND r.timestamp >= ${first}
        AND r.timestamp <= ${last} AND r.to_version IS NULL AND NOT r.folded
      GROUP BY r.employee_id) sh ON sh.employee_id = ev.employee_id
    JOIN employee_states s ON s.tenant_id = ${tenant_id} AND s.status = 'active'
      AND s.employee_id = coalesce(ev.employee_id, sh.employee_id)
    LEFT JOIN (SELECT f.employee_id,
        json_agg((extract(epoch FROM f.timestamp) * 1000)::bigint) AS firings
      FROM (SELECT b.employee_id, max(b.timestamp) AS timestamp FROM shares b
        WHERE b.tenant_id = ${tenant_id} AND b.rule_id = ${rule_id} AND b.timestamp > ${cool}
          AND b.timestamp < ${first} AND b.to_version IS NULL AND NOT b.folded
        GROUP BY b.employee_id
        UNION ALL
        SELECT g.employee_id, g.timestamp FROM shares g
        WHERE g.tenant_id = ${tenant_id} AND g.rule_id = ${rule_id} AND g.timestamp > ${cool}
          AND g.timestamp <= ${last} AND g.to_version IS NULL AND g.folded) f
      GROUP BY f.employee_id) fi ON fi.employee_id = s.employee_id`
  await rows.cursor(PORTION, portion => {
    for (const row of portion) each(readRow(row, types))
  })
}

const PORTION = 1000

function eventColumns(tx: Tx, { types, with_details }: DryRunQuestion) {
  const times = tx`(extract(epoch FROM e.timestamp) * 1000)::bigint,
    (extract(epoch FROM least(e.timestamp, e.received_at)) * 1000)::bigint`
  if (with_details) return tx`json_build_array(${times}, e.type, e.source, e.details)`
  return types.length > 1 ? tx`json_build_array(${times}, e.type)` : tx`json_build_array(${times})`
}

const NOTHING: Record<string, unknown> = {}

function readRow(row: Row, types: readonly string[]): TriedRow {
  const { employee_id, score, settings_version, risk, recovery } = row
  const [only = ''] = types
  return {
    ...{ employee_id, score, settings_version },
    state: { risk, recovery, as_of: row.as_of.getTime() },
    next_change_at: row.next_change_at?.getTime() ?? null,
    log: (row.log ?? []).map(([timestamp, dated_at, type = only, source = '', details]) => {
      return { timestamp, dated_at, type, source, details: details ?? NOTHING }
    }),
    replaced: (row.replaced ?? []).map(([impact, dated_at]) => ({ impact, dated_at })),
    firings: row.firings ?? [],
  }
}
