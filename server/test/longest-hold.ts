// How long a piece of work keeps everything else in the process waiting.

/** Of this thread: while another process has the processor, nobody here is kept waiting by the work. */
function spent(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** The longest time at a stretch in which nothing else could be done, as a part of the time it took. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const began = spent()
  let [last, longest, over] = [began, 0, false]
  const look = () => {
    const now = spent()
    longest = Math.max(longest, now - last)
    last = now
    if (!over) setImmediate(look)
  }
  look()
  await work()
  look()
  over = true
  return longest / (spent() - began)
}
