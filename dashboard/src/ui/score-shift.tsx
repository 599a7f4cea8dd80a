// How scores spread before and after a change, in steps of five: now behind, then in front.
import { Tooltip } from '@mantine/core'
import { useEdges } from '../app/settings.ts'
import { fillBetween } from './bands.ts'
import { count } from './numbers.ts'
import { ScoreTick } from './score-tick.tsx'
import './shift.css'

const STEP = 5
const LAST = 100 / STEP - 1

type Move = { current_score: number; projected_score: number }

type Outcome = {
  score_changes: readonly Move[]
  scores_before?: readonly number[]
  scores_after?: readonly number[]
}

/** How many have each score, from 0 to 100. */
export type Scores = { before: readonly number[]; after: readonly number[] }

/** As the server counted them, or from the changes where all of them are listed. */
export function scoresOf({ score_changes, scores_before, scores_after }: Outcome): Scores {
  if (scores_before && scores_after) return { before: scores_before, after: scores_after }
  const before = Array.from({ length: 101 }, () => 0)
  const after = [...before]
  for (const { current_score, projected_score } of score_changes) {
    before[current_score]! += 1
    after[projected_score]! += 1
  }
  return { before, after }
}

/** In steps of five. */
export function spreadOf(scores: readonly number[]): number[] {
  const spread = Array.from({ length: LAST + 1 }, () => 0)
  scores.forEach((people, score) => {
    spread[Math.min(LAST, Math.floor(score / STEP))]! += people
  })
  return spread
}

/** The spread of everyone once those concerned have moved. */
export function moveAll(everyone: readonly number[], { before, after }: Scores): number[] {
  const [from, to] = [spreadOf(before), spreadOf(after)]
  return everyone.map((people, i) => Math.max(0, people - from[i]! + to[i]!))
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
                    background: fillBetween(low, high, edges),
                  }}
                />
              </div>
              <ScoreTick low={low} high={high} />
            </div>
          </Tooltip>
        )
      })}
    </div>
  )
}

function sayShift(before: readonly number[], after: readonly number[]): string {
  const moved = before.reduce((sum, people, i) => sum + Math.abs(people - after[i]!), 0) / 2
  const who = moved === 1 ? '1 person moves' : `${count(moved)} people move`
  return `Distribution now and then; ${who} to another step of five points`
}
