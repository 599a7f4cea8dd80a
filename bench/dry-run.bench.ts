// dry-run: one rule tried over all events, exactly, beside SQL that leaves decay and cooldown out.
import { DAY } from '../server/src/platform/clock.ts'
import type { Context } from '../server/src/platform/context.ts'
import { type Bench, goal } from './bench.ts'
import { openCompany } from './company.ts'
import { SPAN_DAYS } from './fill-company.ts'
import { bodyOf, openClient, postRequest } from './load.ts'
import { inPlainSql } from './plain-sql.ts'
import { startService } from './processes.ts'
import { median } from './rounds.ts'
import { findRule } from './rule-by-type.ts'

const TYPE = 'sim.link_clicked'
type Answer = { events_matched: number; employees_affected: number; score_changes: unknown[] }

export const bench: Bench = {
  name: 'dry-run',
  about: 'POST /v1/rules/test of a changed rule over two months',
  bound: null,
  unit: 'ms',
  size: { employees: 100_000, events: 1_000_000 },
  grows: ['employees', 'events'],
  async open(size) {
    const { stage, company } = await openCompany(size, { compared: true, copy: false })
    const { context } = stage
    const { tenant_id, key } = company
    const service = await startService(stage)
    const client = await openClient(service.target)
    const rule = await findRule(context, tenant_id, TYPE)
    const from = new Date(context.clock.now() - (SPAN_DAYS + 30) * DAY)
    const path = `/v1/rules/test?from=${from.toISOString()}`
    const base = { name: 'tried', category: 'email', impact: -20, cooldown: rule.cooldown }
    const drafts = {
      one: { ...base, event_type: TYPE, replaces: rule.id },
      all: { ...base, event_type: 'sim.*', conditions: { severity: 'high' } },
    }
    const run = async (draft: object) => {
      const start = performance.now()
      const answer = await client.send(postRequest(path, key, draft))
      return { ms: performance.now() - start, answer: bodyOf<Answer>(answer) }
    }
    const detailed: { ours: number[]; usual: number[] } = { ours: [], usual: [] }
    let [matched, found] = [0, 0]
    return {
      ways: {
        ours: async () => {
          detailed.ours.push((await run(drafts.all)).ms)
          const { ms, answer } = await run(drafts.one)
          matched = answer.events_matched
          return ms
        },
        usual: async () => {
          detailed.usual.push((await tryInSql(context, tenant_id, from, null)).ms)
          const { ms, rows } = await tryInSql(context, tenant_id, from, rule.id)
          found = rows
          return ms
        },
      },
      also: async () => ({
        'events the rule fires on': matched,
        'people in the answer of the SQL': found,
        'rule with a wildcard and a condition, ms': median(detailed.ours),
        'the same by SQL, ms': median(detailed.usual),
      }),
      checks: async () => [
        await checkMatched(context, tenant_id, rule.id, from, matched),
        { name: 'the SQL found somebody', ok: found > 0 },
      ],
      goals: ({ ours = 0, usual = 1 }, also) => {
        const other =
          also['rule with a wildcard and a condition, ms']! / also['the same by SQL, ms']!
        return [
          goal('within 2 × of the SQL', ours / usual <= 2, ours / usual),
          goal('within 2 × of the SQL, wildcard and condition', other <= 2, other),
        ]
      },
      close: async () => {
        client.close()
        await service.stop()
        await stage.close()
      },
    }
  },
}

/** Events arrived in order, so the replay fires exactly where the recorded shares stand. */
async function checkMatched(
  { db }: Context,
  tenant_id: string,
  rule_id: string,
  from: Date,
  matched: number,
) {
  const [row] = await db.sql<{ n: number }[]>`SELECT count(*) AS n FROM shares
    WHERE tenant_id = ${tenant_id} AND rule_id = ${rule_id} AND timestamp >= ${from} AND to_version IS NULL`
  const name = 'fires exactly on the events on which it fired live'
  return { name, ok: row!.n === matched && matched > 0, detail: `${matched} of ${row!.n}` }
}

/** The same answer without decay and cooldown: every event counts in full. */
async function tryInSql(context: Context, tenant_id: string, from: Date, rule_id: string | null) {
  const start = performance.now()
  const rows = await inPlainSql(context, async tx => {
    const which =
      rule_id === null
        ? tx`e.type LIKE 'sim.%' AND e.details->>'severity' = 'high'`
        : tx`e.type = ${TYPE}`
    return tx`
      WITH hit AS (SELECT e.employee_id, count(*) AS n FROM events e
          WHERE e.tenant_id = ${tenant_id} AND ${which} AND e.timestamp >= ${from} AND e.retracted_at IS NULL
            AND NOT e.inert
          GROUP BY e.employee_id),
        held AS (SELECT h.employee_id, sum(h.impact) AS impact FROM shares h
          WHERE h.tenant_id = ${tenant_id} AND h.rule_id = ${rule_id} AND h.timestamp >= ${from}
            AND h.to_version IS NULL
          GROUP BY h.employee_id),
        tried AS (SELECT s.employee_id, s.score, coalesce(hit.n, 0) AS n,
            greatest(0, least(100, s.score - coalesce(held.impact, 0) - 20 * coalesce(hit.n, 0))) AS projected
          FROM hit FULL JOIN held ON held.employee_id = hit.employee_id
          JOIN employee_states s ON s.tenant_id = ${tenant_id} AND s.status = 'active'
            AND s.employee_id = coalesce(hit.employee_id, held.employee_id))
      SELECT t.employee_id, t.score, t.projected, count(*) OVER () AS affected, sum(t.n) OVER () AS matched,
        avg(t.projected - t.score) OVER () AS average
      FROM tried t ORDER BY abs(t.projected - t.score) DESC, t.employee_id LIMIT 1000`
  })
  return { ms: performance.now() - start, rows: Number(rows[0]?.affected ?? 0) }
}
