// Why a score is what it is, now or at any instant since creation: as it was recorded then.
import { explain, MOST_NAMED } from '../../../scoring/explain.ts'
import { bandOf, shareValue } from '../../../scoring/state.ts'
import { STREAK_EVENT_TYPE } from '../../../scoring/streak.ts'
import type { Standing } from '../employees/standing.ts'
import { findStanding } from '../employees/standings.queries.ts'
import { MANUAL_RULE } from '../events/scored-event.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { readSpan } from '../platform/dates.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import {
  findFrozenRow,
  findRowAt,
  listLargestShares,
  type ShareRow,
  type VersionRow,
} from './explanation.queries.ts'

export async function explainScore(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  asked: string | undefined,
  now: Instant,
) {
  const standing = await findStanding(tx, tenant_id, employee_id)
  if (!standing) throw notFound('employee')
  const at = asked === undefined ? presentOf(standing, now) : readAt(asked, standing, now)
  const inForce = (await findRowAt(tx, tenant_id, employee_id, at))!
  const frozen = inForce.status === 'inactive'
  const row = frozen ? await findFrozenRow(tx, tenant_id, employee_id, inForce.version) : inForce
  const basis = await readScoringBasis(tx, tenant_id)
  // A frozen score is explained as of the instant that froze it.
  const parts = await takeApart(
    tx,
    tenant_id,
    employee_id,
    row,
    basis,
    frozen ? row.at.getTime() : at,
  )
  const band = frozen ? inForce.band : bandOf(parts.score, basis.edgesOf(inForce.edges_version))
  return {
    employee_id,
    at: new Date(at),
    status: inForce.status,
    ...(frozen ? { frozen_at: row.at } : {}),
    band,
    ...parts,
  }
}

/** Now, or the last instant for which the stored score holds, where a change is overdue. */
function presentOf({ next_change_at, state }: Standing, now: Instant): Instant {
  const at = Math.max(now, state.as_of)
  return next_change_at !== null && next_change_at <= at ? next_change_at - 1 : at
}

/** A date means its last instant, today's the present one. */
function readAt(asked: string, { created_at }: Standing, now: Instant): Instant {
  const refuse = (message: string) => invalid([{ path: 'at', message }])
  const span = readSpan('at', asked)
  if (span.first > now) throw refuse('must not be in the future')
  const at = Math.min(span.last, now)
  if (at < created_at) throw refuse('must not be before the employee was created')
  return at
}

async function takeApart(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  row: VersionRow,
  basis: ScoringBasis,
  at: Instant,
) {
  const state = { risk: row.risk, recovery: row.recovery, as_of: row.at.getTime() }
  const settings = basis.settingsOf(row.settings_version)
  const { half_life_days } = settings
  const when = { at, half_life_days }
  const most = MOST_NAMED + 1
  const rows = await listLargestShares(tx, tenant_id, employee_id, row.version, when, most)
  const shares = rows.map(one => ({
    impact: one.impact,
    dated_at: one.dated_at.getTime(),
    row: one,
  }))
  const { whole_count, whole_worth } = rows[0] ?? { whole_count: 0, whole_worth: 0 }
  const others = {
    count: whole_count - rows.length,
    worth: shares.reduce((left, share) => left - shareValue(share, settings, at), whole_worth),
  }
  const parts = explain(state, settings, at, shares, others)
  return {
    score: parts.score,
    exact_score: parts.exact,
    starting_score: parts.starting_score,
    shares: parts.named.map(({ share, current_impact }) =>
      describeShare(share.row, current_impact),
    ),
    ...(parts.truncated ? { truncated: true } : {}),
    rest: parts.rest,
    older_than_retention: parts.older_than_retention,
    totals: { risk: parts.risk, recovery: parts.recovery },
    cap_adjustment: parts.cap,
    edge_adjustment: parts.edges,
  }
}

function describeShare(row: ShareRow, current_impact: number) {
  const { event_id, event_type, source, timestamp, impact, dated_at } = row
  const manual = row.rule_id === MANUAL_RULE
  const kind = manual ? 'manual' : event_type === STREAK_EVENT_TYPE ? 'clean_streak' : 'rule'
  return {
    kind,
    event_id,
    event_type,
    source,
    timestamp,
    rule_id: manual ? null : row.rule_id,
    rule_name: row.rule_name,
    impact,
    current_impact,
    dated_at,
  } as const
}
