// A deadline for an answer: what came while this process stood still is read before it is called late.

/** Returns how to end it. */
export function startDeadline(ms: number, late: () => void): () => void {
  let over = false
  // Timers come first in a turn of the loop; what arrived is read before the end of that turn.
  const timer = setTimeout(() => setImmediate(() => over || late()), ms)
  return () => {
    over = true
    clearTimeout(timer)
  }
}
