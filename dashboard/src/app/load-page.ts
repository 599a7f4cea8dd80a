// Fetches the code of a page. A window that loads anew finds what a newer build has in its place; where the service is
// not reached at all it would find the browser's own page, so there it stays and says so.

export const NOT_REACHED = 'the server cannot be reached'

const PATIENCE_MS = 5_000

/** Whatever is answered, somebody is there. */
export function isReached(): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) }).then(
    () => true,
    () => false,
  )
}

export function fetching<T>(fetchCode: () => Promise<T>): () => Promise<T> {
  return async () => {
    try {
      return await fetchCode()
    } catch (error) {
      throw (await isReached()) ? error : new Error(NOT_REACHED)
    }
  }
}
