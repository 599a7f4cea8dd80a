// How long a piece of work keeps everything else in the process waiting.

/** The longest time at a stretch in which nothing else could be done, as a part of the time it took. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  let [last, longest, over] = [began, 0, false]
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!over) setImmediate(look)
  }
  look()
  await work()
  look()
  over = true
  return longest / (performance.now() - began)
}
