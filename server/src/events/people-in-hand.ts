// Who is in hand: people, external ids and Idempotency-Keys of the transactions of this process that are under way.

/** What one transaction has to know of those begun before it. */
export type Hand = {
  /** What it wants and they hold. */
  readonly held: ReadonlySet<string>
  /** They have locked their people, or are over. */
  locked(): Promise<void>
  over(): Promise<void>
  /** To be called once this one has locked its own. */
  sayLocked(): void
  /** True: it waits until they are over before it locks anybody. */
  readonly isPatient: boolean
}

export const FREE: Hand = {
  held: new Set(),
  locked: async () => {},
  over: async () => {},
  sayLocked: () => {},
  isPatient: false,
}

/**
 * Who wants something of what is held, and whoever has something in common with them: so each person's events keep their
 * order. In the order given.
 */
export function listSharing<T>(
  group: readonly T[],
  held: ReadonlySet<string>,
  wantedBy: (one: T) => readonly string[],
): Set<T> {
  const found = new Set<T>()
  if (held.size === 0) return found
  const keys = new Set(held)
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const one of group) {
      const own = wantedBy(one)
      if (found.has(one) || !own.some(key => keys.has(key))) continue
      found.add(one)
      for (const key of own) keys.add(key)
    }
  }
  return new Set(group.filter(one => found.has(one)))
}

type Holder = { readonly locked: Promise<void>; readonly over: Promise<void> }

export type Hands = <T>(
  tenant_id: string,
  wanted: ReadonlySet<string>,
  isPatient: boolean,
  work: (hand: Hand) => Promise<T>,
) => Promise<T>

/** Each waits for earlier ones alone, so they never wait in a circle. */
export function createHands(): Hands {
  const holders = new Map<string, Holder>()
  return async (tenant_id, wanted, isPatient, work) => {
    const [locked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const own = { locked: locked.promise, over: over.promise }
    const held = new Set<string>()
    const earlier = new Set<Holder>()
    for (const key of wanted) {
      const other = holders.get(`${tenant_id} ${key}`)
      if (other) {
        held.add(key)
        earlier.add(other)
      }
      holders.set(`${tenant_id} ${key}`, own)
    }
    const all = async (moment: keyof Holder) => {
      await Promise.all([...earlier].map(other => other[moment]))
    }
    try {
      return await work({
        held,
        locked: () => all('locked'),
        over: () => all('over'),
        sayLocked: locked.resolve,
        isPatient,
      })
    } finally {
      for (const key of wanted) {
        const name = `${tenant_id} ${key}`
        if (holders.get(name) === own) holders.delete(name)
      }
      locked.resolve()
      over.resolve()
    }
  }
}
