// What the score will do if nothing else happens, in one sentence. Pure.
import type { ScoreForecast } from '../generated/api.ts'
import { BAND_LOOK } from '../ui/bands.ts'
import { sayDay } from '../ui/dates.ts'

export function sayForecast({
  status,
  band,
  changes,
  back_in_band,
  streaks,
}: ScoreForecast): string {
  if (status === 'inactive') return 'The score is frozen while this person is inactive.'
  const reached = back_in_band.filter(one => one.at !== null)
  const next = reached[0]
  if (next) {
    const best = reached.at(-1)!
    const first = `Without further events back in ${BAND_LOOK[next.band].label.toLowerCase()} on ${sayDay(next.at!)}`
    if (best === next) return `${first}.`
    return `${first}, in ${BAND_LOOK[best.band].label.toLowerCase()} on ${sayDay(best.at!)}.`
  }
  const end = changes.at(-1)
  if (band !== 'green') return 'Without further events no better band within a year.'
  const drop = changes.find(one => one.band !== 'green')
  if (drop) return `Without further events it fades to ${drop.band} on ${sayDay(drop.at)}.`
  const streak = streaks[0]
  const tail = streak ? ` Next clean streak on ${sayDay(streak.at)}.` : ''
  return `Stays in green; ${end ? `${end.score} in a year` : 'no change ahead'} without further events.${tail}`
}
