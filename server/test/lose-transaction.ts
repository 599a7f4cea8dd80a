// Lets one transaction of a service fail, as if the database went away before it: to cut an operation of several off.
import { unavailable } from '../src/platform/errors.ts'
import type { Service } from './service.ts'

export type Loss = {
  /** How many transactions there were. */
  begun(): number
  /** From here on all go through again. */
  end(): void
}

/**
 * The n-th from now on, counted from 1, of those that may write. What the service writes every few seconds of its own
 * accord is written before, so that none of it is counted.
 */
export async function loseTransaction(
  { app, context: { db } }: Service,
  nth: number,
): Promise<Loss> {
  await app.flush()
  const { inTenant } = db
  let begun = 0
  db.inTenant = (...asked) => {
    begun++
    return begun === nth ? Promise.reject(unavailable()) : inTenant(...asked)
  }
  return {
    begun: () => begun,
    end: () => {
      db.inTenant = inTenant
    },
  }
}
