// Goes through a list without keeping everybody else waiting for its end.
import { setImmediate } from 'node:timers/promises'

const LONGEST_MS = 20

/** For work in many small pieces: where it has taken long since the last pause, one is due. */
export type Pauses = {
  isDue(): boolean
  /** What else waits in this process has its turn. */
  take(): Promise<void>
}

export function createPauses(): Pauses {
  let began = performance.now()
  return {
    isDue: () => performance.now() - began >= LONGEST_MS,
    take: async () => {
      await setImmediate()
      began = performance.now()
    },
  }
}

/** Like `map`; where it takes long, there are pauses in between. */
export async function inPauses<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const done: R[] = []
  const pauses = createPauses()
  for (const item of items) {
    done.push(work(item))
    if (pauses.isDue()) await pauses.take()
  }
  return done
}
