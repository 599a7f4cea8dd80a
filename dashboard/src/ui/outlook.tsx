// What a change would do, before it is made: bands, distribution, and who moves.
import { Stack, Text } from '@mantine/core'
import { useRead } from '../app/query-client.ts'
import type { ScoreChange } from '../generated/api.ts'
import { BandShift } from './band-shift.tsx'
import type { Band } from './bands.ts'
import { KeptList } from './kept-list.tsx'
import { MovedPeople } from './moved-people.tsx'
import { count } from './numbers.ts'
import { moveAll, ScoreShift, type Scores, scoresOf, spreadOf } from './score-shift.tsx'

export type BandCounts = { before: Record<Band, number>; after: Record<Band, number> }

type Props = {
  bands: BandCounts
  outcome: {
    score_changes: readonly ScoreChange[]
    /** Whether there are more changes than are listed. */
    truncated?: boolean
    /** How many of those concerned have each score, now and then: of all of them, listed or not. */
    scores_before?: readonly number[]
    scores_after?: readonly number[]
  }
  /** Whose scores are drawn: those of all, as they are now, or of those who were looked at. */
  spread: 'everyone' | 'looked at'
}

export function Outlook({ bands, outcome, spread }: Props) {
  const { score_changes: changes, truncated } = outcome
  const scores = scoresOf(outcome)
  return (
    <Stack gap="lg">
      <BandShift {...bands} />
      {spread === 'everyone' ? (
        <SpreadOfAll scores={scores} />
      ) : (
        <Spread
          whose="of those it is about"
          before={spreadOf(scores.before)}
          after={spreadOf(scores.after)}
        />
      )}
      {truncated && (
        <Text size="sm" c="dimmed">
          The {count(changes.length)} largest changes are listed; bands and scores above count
          everyone.
        </Text>
      )}
      <MovedPeople changes={changes} />
    </Stack>
  )
}

function SpreadOfAll({ scores }: { scores: Scores }) {
  const distribution = useRead('GET /v1/scores/distribution')
  const before = distribution.data?.buckets.map(bucket => bucket.count)
  return (
    <KeptList read={distribution}>
      {before && <Spread whose="of everyone" before={before} after={moveAll(before, scores)} />}
    </KeptList>
  )
}

type SpreadProps = { whose: string; before: readonly number[]; after: readonly number[] }

function Spread({ whose, before, after }: SpreadProps) {
  return (
    <div>
      <div className="shift-legend">
        <b>Scores {whose}</b>
        <span>Now</span>
        <span>Then</span>
      </div>
      <ScoreShift before={before} after={after} />
    </div>
  )
}
