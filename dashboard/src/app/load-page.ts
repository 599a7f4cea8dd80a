// Fetches the code of a page. A window that loads anew finds what a newer build has in its place; where the service is
// not reached at all it would find the browser's own page, so there it stays and says so.
import { isReached, NOT_REACHED } from './call-api.ts'

export function fetching<T>(fetchCode: () => Promise<T>): () => Promise<T> {
  return async () => {
    try {
      return await fetchCode()
    } catch (error) {
      throw (await isReached()) ? error : new Error(NOT_REACHED)
    }
  }
}
