// The Idempotency-Key of a POST: asked for again because its answer was lost, it has the same, and nothing is made twice.

/** Whoever asks for the same later means another one. */
const REPEAT_MS = 600_000

let missing: { request: string; key: string; at: number } | null = null

/** Without randomUUID, which browsers keep from pages that came over plain HTTP. */
export const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

export function keyOf(request: string, now: number): string {
  const again = missing?.request === request && now - missing.at < REPEAT_MS
  return again ? missing!.key : newKey()
}

export function keepKey(request: string, key: string, now: number): void {
  missing = { request, key, at: now }
}

/** Once something was changed, the same request is another wish: a recalculation by a new rule. */
export function forgetKey(): void {
  missing = null
}
