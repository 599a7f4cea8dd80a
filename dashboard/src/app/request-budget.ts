// How many requests the session may still make this minute: long work leaves some of them to the pages beside it.

/** A page asks for about twenty things when it opens; several may be open. */
const KEPT = 150
const PAUSE_SECONDS = 1

let remaining = Number.POSITIVE_INFINITY

/** Learns it from the header of an answer. */
export function learnBudget(header: string | null): void {
  if (header !== null && /^\d+$/.test(header)) remaining = Number(header)
}

/** How many seconds work that nobody waits for at once holds back before its next request. */
export const secondsToSpare = (): number => (remaining < KEPT ? PAUSE_SECONDS : 0)
