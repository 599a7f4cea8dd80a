// When what is shown is asked for again by itself: as often as it moves, seldom where it could not be read, and
// never where it is gone or refused.
import { CallError } from './call-api.ts'

/** While it is shown, also where the live line never broke. */
const AGAIN_MS = 30_000

export const isAway = (error: unknown): boolean =>
  error instanceof CallError && (error.status === 0 || error.status >= 500)

const mayPass = (error: unknown): boolean =>
  isAway(error) || (error instanceof CallError && error.status === 429)

type Interval = number | false | undefined

/** `interval`: how often, as long as all is well. */
export const unlessFailed =
  <Query extends { state: { error: unknown } }>(
    interval: Interval | ((query: Query) => Interval),
  ) =>
  (query: Query): Interval => {
    const { error } = query.state
    if (error) return mayPass(error) && AGAIN_MS
    return typeof interval === 'function' ? interval(query) : interval
  }
