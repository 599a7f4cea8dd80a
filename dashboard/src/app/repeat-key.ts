// What is asked for again because its answer was lost: a POST has the same Idempotency-Key, and nothing is made twice.

/** Whoever asks for the same later means another one. */
const REPEAT_MS = 600_000

let missing: { request: string; key: string; at: number } | null = null

/** Without randomUUID, which browsers keep from pages that came over plain HTTP. */
export const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** Whether this is asked for once more because nobody heard what became of it. */
export const isAgain = (request: string, now: number): boolean =>
  missing?.request === request && now - missing.at < REPEAT_MS

export function keyOf(request: string, now: number): string {
  return isAgain(request, now) ? missing!.key : newKey()
}

export function keepKey(request: string, key: string, now: number): void {
  missing = { request, key, at: now }
}

/** Once something was changed, the same request is another wish: a recalculation by a new rule. */
export function forgetKey(): void {
  missing = null
}
