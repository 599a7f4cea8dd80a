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

/** Waits until the work is done, or so long; the work goes on. */
export async function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>()
  const end = startDeadline(ms, late.resolve)
  await Promise.race([work, late.promise]).finally(end)
}

/** An error with the code DEADLINE where the work is not done in time; the work goes on. */
export async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const fail = () =>
    late.reject(Object.assign(new Error('no answer in time'), { code: 'DEADLINE' }))
  return Promise.race([work, late.promise]).finally(startDeadline(ms, fail))
}
