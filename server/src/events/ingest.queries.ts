// SQL of the ingestion: the cooldowns it reads and the rows one batch writes, set by set.
import type { Tx } from '../platform/database.ts'
import type { Write } from '../platform/write-together.ts'
import { type FiringQuestion, mergeQuestions } from './firing-questions.ts'
import type { Firings } from './score-batch.ts'
import type { EventAnswer, ScoredEvent, ShareRecord } from './scored-event.ts'

/** Whoever waits for more people holds others already, for whom another process may be waiting. */
export async function boundLocks(tx: Tx): Promise<void> {
  await tx`SET LOCAL lock_timeout = '1s'`
}

type FiringRow = { employee_id: string; rule_id: string; timestamp: Date }

/**
 * Invariant: asked after the employees are locked, so that no firing is missed; an address changes only under the
 * lock too.
 */
export async function readFirings(
  tx: Tx,
  tenant_id: string,
  questions: readonly FiringQuestion[],
  by: 'id' | 'email' = 'id',
): Promise<Firings> {
  if (questions.length === 0) return new Map()
  const asked = mergeQuestions(questions)
  const employee = by === 'id' ? tx`u.who` : tx`e.employee_id`
  const people =
    by === 'id' ? tx`` : tx`JOIN employees e ON e.tenant_id = ${tenant_id} AND e.email_key = u.who`
  const column = <T>(read: (one: FiringQuestion) => T): T[] => asked.map(read)
  const theirs = tx`FROM shares s
      WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ${employee} AND s.rule_id = u.rule_id
        AND s.timestamp > u.after AND s.timestamp < u.before AND s.to_version IS NULL`
  const rows = await tx<FiringRow[]>`
    SELECT ${employee} AS employee_id, u.rule_id, f.timestamp
    FROM (SELECT unnest(${column(a => a.who)}::text[]) AS who,
      unnest(${column(a => a.rule_id)}::text[]) AS rule_id,
      timestamptz 'epoch' + unnest(${column(a => a.after)}::bigint[]) * interval '1 ms' AS after,
      timestamptz 'epoch' + unnest(${column(a => a.before)}::bigint[]) * interval '1 ms' AS before) AS u ${people}
    CROSS JOIN LATERAL (SELECT s.timestamp ${theirs} LIMIT ${FEW + 1}::int) f`
  const firings = gatherFirings(rows)
  const isWhole = firings.values().every(rules => rules.values().every(all => all.length <= FEW))
  if (isWhole) return firings
  // Those between two of one cooldown's span cool nothing that these two do not.
  const ends = await tx<FiringRow[]>`
    SELECT ${employee} AS employee_id, u.rule_id, f.timestamp
    FROM (SELECT unnest(${column(a => a.who)}::text[]) AS who,
      unnest(${column(a => a.rule_id)}::text[]) AS rule_id,
      timestamptz 'epoch' + unnest(${column(a => a.after)}::bigint[]) * interval '1 ms' AS after,
      timestamptz 'epoch' + unnest(${column(a => a.before)}::bigint[]) * interval '1 ms' AS before,
      unnest(${column(a => a.cooldown_ms)}::bigint[]) AS cooldown_ms) AS u ${people}
    CROSS JOIN LATERAL (SELECT unnest(ARRAY[min(s.timestamp), max(s.timestamp)]) AS timestamp ${theirs}
      GROUP BY div((date_part('epoch', s.timestamp) * 1000)::numeric, u.cooldown_ms)) f`
  return gatherFirings(ends)
}

/** Of one rule about one person: there are seldom more. */
const FEW = 100

/** In order of time. */
function gatherFirings(rows: readonly FiringRow[]): Firings {
  const firings: Firings = new Map()
  for (const { employee_id, rule_id, timestamp } of rows) {
    const rules = firings.get(employee_id) ?? new Map<string, number[]>()
    firings.set(employee_id, rules)
    const known = rules.get(rule_id)
    if (known) known.push(timestamp.getTime())
    else rules.set(rule_id, [timestamp.getTime()])
  }
  for (const rules of firings.values()) for (const all of rules.values()) all.sort((a, b) => a - b)
  return firings
}

/** JSON holds no line break: as lines, nothing of the details is quoted on the way. */
export function insertEvents(
  tx: Tx,
  tenant_id: string,
  events: readonly ScoredEvent[],
): Write | null {
  if (events.length === 0) return null
  const column = <T>(read: (event: ScoredEvent) => T): T[] => events.map(read)
  return tx`INSERT INTO events AS x (tenant_id, event_id, employee_id, department, type, source, timestamp,
      received_at, impact, details, rules_matched, cooling, inert, actor)
    SELECT tn.tenant_id, u.event_id, u.employee_id, u.department, u.type, u.source, u.timestamp, u.received_at,
      u.impact, u.details::jsonb, string_to_array(u.rules_matched, ','), u.cooling::jsonb, u.inert, u.actor
    FROM tenants tn, (SELECT unnest(${column(e => e.event_id)}::text[]) AS event_id,
      unnest(${column(e => e.employee_id)}::text[]) AS employee_id,
      unnest(${column(e => e.department)}::text[]) AS department,
      unnest(${column(e => e.type)}::text[]) AS type, unnest(${column(e => e.source)}::text[]) AS source,
      timestamptz 'epoch' + unnest(${column(e => e.timestamp)}::bigint[]) * interval '1 ms' AS timestamp,
      timestamptz 'epoch' + unnest(${column(e => e.received_at)}::bigint[]) * interval '1 ms' AS received_at,
      unnest(${column(e => e.impact)}::int[]) AS impact,
      unnest(string_to_array(${column(e => JSON.stringify(e.details)).join('\n')}, chr(10))) AS details,
      unnest(${column(e => e.rules_matched.join(','))}::text[]) AS rules_matched,
      unnest(${column(e => (e.cooling.length > 0 ? JSON.stringify(e.cooling) : null))}::text[]) AS cooling,
      unnest(${column(e => e.inert)}::boolean[]) AS inert, unnest(${column(e => e.actor)}::text[]) AS actor) AS u
    WHERE tn.tenant_id = ${tenant_id}`
}

export function insertShares(
  tx: Tx,
  tenant_id: string,
  shares: readonly ShareRecord[],
): Write | null {
  if (shares.length === 0) return null
  const column = <T>(read: (share: ShareRecord) => T): T[] => shares.map(read)
  return tx`INSERT INTO shares AS x (tenant_id, employee_id, rule_id, timestamp, event_id, from_version, impact,
      dated_at, folded)
    SELECT tn.tenant_id, u.employee_id, u.rule_id, u.timestamp, u.event_id, u.from_version, u.impact,
      u.dated_at, false
    FROM tenants tn, (SELECT unnest(${column(s => s.employee_id)}::text[]) AS employee_id,
      unnest(${column(s => s.rule_id)}::text[]) AS rule_id,
      timestamptz 'epoch' + unnest(${column(s => s.timestamp)}::bigint[]) * interval '1 ms' AS timestamp,
      unnest(${column(s => s.event_id)}::text[]) AS event_id,
      unnest(${column(s => s.from_version)}::bigint[]) AS from_version,
      unnest(${column(s => s.impact)}::int[]) AS impact,
      timestamptz 'epoch' + unnest(${column(s => s.dated_at)}::bigint[]) * interval '1 ms' AS dated_at) AS u
    WHERE tn.tenant_id = ${tenant_id}`
}

export type ExternalClaim = { source: string; external_id: string }

/** Claims the ids; one claimed in another transaction is waited for. Returns those already answered. */
export async function claimExternalIds(
  tx: Tx,
  tenant_id: string,
  wanted: readonly ExternalClaim[],
) {
  const taken = new Map<string, EventAnswer>()
  if (wanted.length === 0) return taken
  const [sources, ids] = [wanted.map(w => w.source), wanted.map(w => w.external_id)]
  const fresh = await tx<ExternalClaim[]>`
    INSERT INTO external_ids AS x (tenant_id, source, external_id, event_id, answer)
    SELECT tn.tenant_id, u.source, u.external_id, '', '{}'::jsonb
    FROM tenants tn, (SELECT unnest(${sources}::text[]) AS source, unnest(${ids}::text[]) AS external_id) AS u
    WHERE tn.tenant_id = ${tenant_id} ORDER BY u.source, u.external_id
    ON CONFLICT (tenant_id, source, external_id) DO NOTHING RETURNING source, external_id`
  const isFresh = new Set(fresh.map(externalKey))
  if (isFresh.size === new Set(wanted.map(externalKey)).size) return taken
  for (const [key, answer] of await readExternalAnswers(tx, tenant_id, wanted))
    if (!isFresh.has(key)) taken.set(key, answer)
  return taken
}

export async function readExternalAnswers(
  tx: Tx,
  tenant_id: string,
  wanted: readonly ExternalClaim[],
): Promise<Map<string, EventAnswer>> {
  if (wanted.length === 0) return new Map()
  const [sources, ids] = [wanted.map(w => w.source), wanted.map(w => w.external_id)]
  const rows = await tx<(ExternalClaim & { answer: EventAnswer })[]>`
    SELECT x.source, x.external_id, x.answer
    FROM (SELECT unnest(${sources}::text[]) AS source, unnest(${ids}::text[]) AS external_id) AS u
    JOIN external_ids x ON x.tenant_id = ${tenant_id} AND x.source = u.source AND x.external_id = u.external_id`
  return new Map(rows.map(row => [externalKey(row), row.answer]))
}

export function externalKey({ source, external_id }: ExternalClaim): string {
  return `${source}\n${external_id}`
}

export async function saveExternalAnswers(
  tx: Tx,
  tenant_id: string,
  answers: readonly (ExternalClaim & { answer: EventAnswer })[],
) {
  if (answers.length === 0) return
  await tx`UPDATE external_ids x SET event_id = u.event_id, answer = u.answer::jsonb
    FROM (SELECT unnest(${answers.map(a => a.source)}::text[]) AS source,
      unnest(${answers.map(a => a.external_id)}::text[]) AS external_id,
      unnest(${answers.map(a => a.answer.id)}::text[]) AS event_id,
      unnest(${answers.map(a => JSON.stringify(a.answer))}::text[]) AS answer) AS u
    WHERE x.tenant_id = ${tenant_id} AND x.source = u.source AND x.external_id = u.external_id`
}
