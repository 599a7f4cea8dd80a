// How scores spread before and after a change, in steps of five: now behind, then in front.
import { Tooltip } from '@mantine/core'
import { useEdges } from '../app/settings.ts'
import { bandAt, bandFill } from './bands.ts'
import { count } from './numbers.ts'
import './shift.css'

const STEP = 5
const LAST = 100 / STEP - 1

type Move = { current_score: number; projected_score: number }

const bucketOf = (score: number) => Math.min(LAST, Math.floor(score / STEP))

/** How many there are in each step now. */
export function spreadOf(moves: readonly Move[]): number[] {
  const spread = Array.from({ length: LAST + 1 }, () => 0)
  for (const { current_score } of moves) spread[bucketOf(current_score)]! += 1
  return spread
}

/** The spread once everyone has moved. */
export function moveAll(before: readonly number[], moves: readonly Move[]): number[] {
  const after = [...before]
  for (const { current_score, projected_score } of moves) {
    after[bucketOf(current_score)]! -= 1
    after[bucketOf(projected_score)]! += 1
  }
  return after.map(one => Math.max(0, one))
}

export function ScoreShift({
  before,
  after,
}: {
  before: readonly number[]
  after: readonly number[]
}) {
  const edges = useEdges()
  const most = Math.max(1, ...before, ...after)
  return (
    <div className="score-shift" role="img" aria-label={sayShift(before, after)}>
      {before.map((people, i) => {
        const low = i * STEP
        const high = i === LAST ? 100 : low + STEP - 1
        return (
          <Tooltip
            key={low}
            label={`Scores ${low} to ${high}: ${count(people)} now, ${count(after[i]!)} then`}
          >
            <div className="score-shift-column">
              <div className="score-shift-bars">
                <span style={{ height: `${(people / most) * 100}%` }} />
                <span
                  style={{
                    height: `${(after[i]! / most) * 100}%`,
                    background: bandFill(bandAt(low, edges)),
                  }}
                />
              </div>
              <span className="histogram-tick number">{low % 20 === 0 ? low : ''}</span>
            </div>
          </Tooltip>
        )
      })}
    </div>
  )
}

function sayShift(before: readonly number[], after: readonly number[]): string {
  const moved = before.reduce((sum, people, i) => sum + Math.abs(people - after[i]!), 0) / 2
  return `Distribution now and then; ${count(moved)} people move to another step of five points`
}
