// What a change would do, before it is made: bands, distribution, and who moves.
import { Stack, Text } from '@mantine/core'
import { useRead } from '../app/query-client.ts'
import type { ScoreChange } from '../generated/api.ts'
import { BandShift } from './band-shift.tsx'
import type { Band } from './bands.ts'
import { MovedPeople } from './moved-people.tsx'
import { count } from './numbers.ts'
import { moveAll, ScoreShift, spreadOf } from './score-shift.tsx'

export type BandCounts = { before: Record<Band, number>; after: Record<Band, number> }

type Props = {
  bands: BandCounts
  /** Whether the bands count everyone, also those beyond the listed changes. */
  exact?: boolean
  changes: readonly ScoreChange[]
  /** Whether there are more changes than are listed. */
  truncated: boolean
  /** Whose scores are drawn: those of all, as they are now, or of those who change, as they were looked at. */
  spread: 'everyone' | 'changed'
}

export function Outlook({ bands, exact = false, changes, truncated, spread }: Props) {
  return (
    <Stack gap="lg">
      {(exact || !truncated) && <BandShift {...bands} />}
      {truncated ? (
        <Text size="sm" c="dimmed">
          More than {count(changes.length)} people are concerned; the largest changes are listed.
        </Text>
      ) : spread === 'everyone' ? (
        <SpreadOfAll changes={changes} />
      ) : (
        <Spread whose="of those who change" before={spreadOf(changes)} changes={changes} />
      )}
      <MovedPeople changes={changes} />
    </Stack>
  )
}

function SpreadOfAll({ changes }: { changes: readonly ScoreChange[] }) {
  const distribution = useRead('GET /v1/scores/distribution')
  const before = distribution.data?.buckets.map(bucket => bucket.count)
  return before ? <Spread whose="of everyone" before={before} changes={changes} /> : null
}

type SpreadProps = { whose: string; before: readonly number[]; changes: readonly ScoreChange[] }

function Spread({ whose, before, changes }: SpreadProps) {
  return (
    <div>
      <div className="shift-legend">
        <b>Scores {whose}</b>
        <span>Now</span>
        <span>Then</span>
      </div>
      <ScoreShift before={before} after={moveAll(before, changes)} />
    </div>
  )
}
