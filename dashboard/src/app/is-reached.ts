// Whether the service answers at all.
export const NOT_REACHED = 'the server cannot be reached'

/** Whatever is answered, somebody is there. */
export function isReached(): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(5_000) }).then(
    () => true,
    () => false,
  )
}
