// Which of the parallel rows of a kept count a writer adds to: whoever works at the same time seldom waits for another.

/**
 * What of one process writes at the same time. Requests share a row; their transactions are short. Those that change
 * people have one of their own: they wait for the audit log with it, a batch of them long.
 */
export const LANES = { requests: 0, due_changes: [1, 2], replays: 3, people: 4 } as const

const SLOTS = 16
/** No writer's: here the worker gathers what stands in the others. */
export const GATHERED_SLOT = SLOTS
const FIRST = Math.floor(Math.random() * SLOTS)

/** Processes may come to the same row; that only waits. */
export function slotOf(lane: number): number {
  return (FIRST + lane) % SLOTS
}
