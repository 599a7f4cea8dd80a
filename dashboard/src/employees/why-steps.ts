// The parts of a score as steps of a waterfall that adds up. Pure.
import type { ExplainedShare, Explanation } from '../generated/api.ts'
import { sayShortDay } from '../ui/dates.ts'
import { plural, signed } from '../ui/numbers.ts'

export type Step = {
  key: string
  label: string
  about?: string
  event_id?: string
  /** Where the bar begins and ends on the scale. */
  from: number
  to: number
  value: number
  /** How much of the first impact is left: old shares look faded. */
  left: number
  kind: 'total' | 'share' | 'limit'
}

const MOST_SHARES = 14

/** What lifts comes before what lowers, so that the line stays on the scale. */
export function stepsOf(explanation: Explanation): Step[] {
  const { shares, starting_score, older_than_retention, cap_adjustment } = explanation
  const named = shares
    .slice(0, MOST_SHARES)
    .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
  const small = smallOf(explanation)
  const steps: Step[] = []
  let at = 0
  const add = (value: number, step: Omit<Step, 'from' | 'to' | 'value'>) => {
    steps.push({ ...step, from: at, to: at + value, value })
    at += value
  }
  add(starting_score, { key: 'start', label: 'Start', left: 1, kind: 'total' })
  for (const share of named.filter(one => one.current_impact > 0))
    add(share.current_impact, shareStep(share))
  if (isSeen(small.up)) add(small.up, { ...SMALL, key: 'rest-up', label: small.sayUp })
  if (cap_adjustment !== 0)
    add(cap_adjustment, {
      key: 'cap',
      label: 'Taken by the cap on recovery',
      left: 1,
      kind: 'limit',
    })
  for (const share of named.filter(one => one.current_impact <= 0))
    add(share.current_impact, shareStep(share))
  if (isSeen(small.down)) add(small.down, { ...SMALL, key: 'rest', label: small.sayDown })
  if (older_than_retention !== 0)
    add(older_than_retention, { key: 'older', label: 'Older than kept', left: 0.5, kind: 'share' })
  if (explanation.edge_adjustment !== 0)
    add(explanation.edge_adjustment, {
      key: 'edge',
      label: 'Held between 0 and 100',
      left: 1,
      kind: 'limit',
    })
  const exact = explanation.exact_score
  steps.push({
    key: 'score',
    label: 'Score',
    from: 0,
    to: exact,
    value: exact,
    left: 1,
    kind: 'total',
  })
  return steps
}

const SMALL = { left: 0.5, kind: 'share' } as const
const isSeen = (value: number) => Math.abs(value) >= 0.005

const sumOf = (shares: readonly ExplainedShare[]) =>
  shares.reduce((sum, one) => sum + one.current_impact, 0)

/**
 * What is not named, apart by whether it lifted or lowered: the cap takes from what lifted. Only their sum is
 * told of what is left out, so it is known from the totals; not where those hold what is older than kept.
 */
function smallOf({ shares, rest, totals, older_than_retention }: Explanation) {
  const unnamed = shares.slice(MOST_SHARES)
  const all = sumOf(unnamed) + rest.current_impact
  const lifted = totals.recovery - sumOf(shares.filter(one => one.current_impact > 0))
  const up = sumOf(unnamed.filter(one => one.current_impact > 0)) + lifted
  const count = plural(unnamed.length + rest.count, 'smaller share')
  if (older_than_retention !== 0 || up < 0.005)
    return { up: 0, down: all, sayUp: '', sayDown: count }
  const down = all - up
  const both = isSeen(down)
  return {
    up,
    down,
    sayUp: both ? 'Smaller shares that raised it' : count,
    sayDown: 'Smaller shares that lowered it',
  }
}

function shareStep(share: ExplainedShare): Omit<Step, 'from' | 'to' | 'value'> {
  return {
    key: `${share.event_id}-${share.rule_id ?? share.kind}`,
    label: share.kind === 'manual' ? 'Adjusted by hand' : (share.rule_name ?? share.event_type),
    about: `${signed(share.impact)} on ${sayShortDay(share.timestamp)}`,
    event_id: share.event_id,
    left: Math.min(1, Math.abs(share.current_impact / share.impact)),
    kind: 'share',
  }
}
