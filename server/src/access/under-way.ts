// How many requests of each tenant are under way in this process. A tenant that asks for far more than can be done is
// told so at once, before a body is read or the database asked: saying no must cost little, or nobody is served.
import type { ServerResponse } from 'node:http'

/** As many events as are answered in a fraction of a second. More would only make everybody wait, other tenants too. */
const MOST_UNDER_WAY = 300

export type UnderWay = {
  /** Counts a request until its answer is sent or its connection is gone. */
  enter(tenant_id: string, per_minute: number, response: ServerResponse): void
  /** Whether any tenant may have too many under way. */
  isBusy(): boolean
  /** The limit of a tenant that has too many under way; null for others. */
  limitOfFull(tenant_id: string): number | null
}

export function createUnderWay(): UnderWay {
  const tenants = new Map<string, { count: number; per_minute: number }>()
  let all = 0

  function leave(tenant_id: string): void {
    const known = tenants.get(tenant_id)!
    known.count -= 1
    all -= 1
    if (known.count === 0) tenants.delete(tenant_id)
  }

  return {
    enter: (tenant_id, per_minute, response) => {
      // A connection that closed before the credential was known emits no event any more: it would count for ever.
      if (response.destroyed) return
      const known = tenants.get(tenant_id)
      if (known) Object.assign(known, { count: known.count + 1, per_minute })
      else tenants.set(tenant_id, { count: 1, per_minute })
      all += 1
      let gone = false
      const end = () => {
        if (!gone) leave(tenant_id)
        gone = true
      }
      response.once('finish', end).once('close', end)
    },
    isBusy: () => all >= MOST_UNDER_WAY,
    limitOfFull: tenant_id => {
      const known = tenants.get(tenant_id)
      return known && known.count >= MOST_UNDER_WAY ? known.per_minute : null
    },
  }
}
