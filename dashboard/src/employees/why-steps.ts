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
  const { shares, starting_score, rest, older_than_retention, cap_adjustment } = explanation
  const named = shares
    .slice(0, MOST_SHARES)
    .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
  const unnamed = shares.slice(MOST_SHARES)
  const small = unnamed.reduce((sum, one) => sum + one.current_impact, 0) + rest.current_impact
  const smallCount = unnamed.length + rest.count
  const steps: Step[] = []
  let at = 0
  const add = (value: number, step: Omit<Step, 'from' | 'to' | 'value'>) => {
    steps.push({ ...step, from: at, to: at + value, value })
    at += value
  }
  add(starting_score, { key: 'start', label: 'Start', left: 1, kind: 'total' })
  for (const share of named.filter(one => one.current_impact > 0))
    add(share.current_impact, shareStep(share))
  if (cap_adjustment !== 0)
    add(cap_adjustment, {
      key: 'cap',
      label: 'Taken by the cap on recovery',
      left: 1,
      kind: 'limit',
    })
  for (const share of named.filter(one => one.current_impact <= 0))
    add(share.current_impact, shareStep(share))
  if (Math.abs(small) >= 0.005)
    add(small, {
      key: 'rest',
      label: plural(smallCount, 'smaller share'),
      left: 0.5,
      kind: 'share',
    })
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
