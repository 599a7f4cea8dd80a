// Lets one transaction of a service fail, as if the database went away before it: to cut an operation of several off.
import { unavailable } from '../src/platform/errors.ts'
import type { Service } from './service.ts'

export type Loss = {
  /** How many transactions there were. */
  begun(): number
  /** From here on all go through again. */
  end(): void
}

/** The n-th from now on, counted from 1, of those that may write. */
export function loseTransaction({ context: { db } }: Service, nth: number): Loss {
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
