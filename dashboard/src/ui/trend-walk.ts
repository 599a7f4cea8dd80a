// Where a chart over time names its days, and where a key leads on it. Pure.
import { sayShortDay } from './dates.ts'

type Tick = { at: number; words: string }

/** Days are named where a point stands, spread evenly, and none twice. */
export function ticksOf(instants: readonly number[], room: number): Tick[] {
  const last = instants.length - 1
  const most = Math.max(1, Math.min(last, Math.max(2, room) - 1))
  const ticks: Tick[] = []
  for (let i = 0; i <= most; i += 1) {
    const at = instants[Math.round((last * i) / most)]!
    const words = sayShortDay(at)
    if (ticks.at(-1)?.words !== words) ticks.push({ at, words })
  }
  return ticks
}

/** The keys of a slider; before the first of them nothing is shown, and the way begins at the end. */
export function stepTo(key: string, shown: number | null, points: number): number | undefined {
  const from = shown ?? points
  const goals: Record<string, number> = {
    ArrowLeft: from - 1,
    ArrowDown: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from + 1,
    Home: 0,
    End: points - 1,
  }
  const goal = goals[key]
  return goal === undefined ? undefined : Math.min(points - 1, Math.max(0, goal))
}
