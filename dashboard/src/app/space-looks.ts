// When a page looks again while changes come in one after the other: soon after the first, then with a gap between.
import { secondsToSpare } from './request-budget.ts'

/** Several changes in a row are one look. */
const GATHER_MS = 400
/** A look asks for about ten things, and a session may have several windows. */
const GAP_MS = 5_000
/** While few requests of the minute are left. */
const LONG_GAP_MS = 20_000

export function spaceLooks(look: () => unknown) {
  let pending: ReturnType<typeof setTimeout> | undefined
  let last = Number.NEGATIVE_INFINITY
  const act = () => {
    pending = undefined
    last = performance.now()
    look()
  }
  const drop = () => {
    clearTimeout(pending)
    pending = undefined
  }
  const ask = () => {
    const gap = secondsToSpare() > 0 ? LONG_GAP_MS : GAP_MS
    pending ??= setTimeout(act, Math.max(GATHER_MS, last + gap - performance.now()))
  }
  return { ask, drop }
}
