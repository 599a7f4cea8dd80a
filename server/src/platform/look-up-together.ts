// Credentials that name one tenant and arrive while others are being looked up go together in the next transaction:
// a flood of invented ones, for which a tenant's id is all one must know, takes one place in that tenant's queue.

type Waiting<T> = {
  readonly credential: string
  resolve(found: T | null): void
  reject(error: unknown): void
}

/** Finds those of the credentials that exist; a credential may be given as its hash. */
type Find<T> = (tenant_id: string, wanted: readonly string[]) => Promise<ReadonlyMap<string, T>>

const MOST_TOGETHER = 1_000

export function createLookUp<T>(find: Find<T>) {
  const queues = new Map<string, Waiting<T>[]>()

  async function drain(tenant_id: string, queue: Waiting<T>[]): Promise<void> {
    while (queue.length > 0) {
      const group = queue.splice(0, MOST_TOGETHER)
      try {
        const wanted = group.map(one => one.credential)
        const found = await find(tenant_id, wanted)
        for (const one of group) one.resolve(found.get(one.credential) ?? null)
      } catch (error) {
        for (const one of group) one.reject(error)
      }
    }
    queues.delete(tenant_id)
  }

  return (tenant_id: string, credential: string): Promise<T | null> =>
    new Promise((resolve, reject) => {
      const one = { credential, resolve, reject }
      const queue = queues.get(tenant_id)
      if (queue) {
        queue.push(one)
        return
      }
      const fresh = [one]
      queues.set(tenant_id, fresh)
      void drain(tenant_id, fresh)
    })
}
