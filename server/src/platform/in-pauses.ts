// Goes through a list without keeping everybody else waiting for its end.
import { setImmediate } from 'node:timers/promises'

const LONGEST_MS = 20

/** Like `map`; where it takes long, what else waits in this process has its turn in between. */
export async function inPauses<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const done: R[] = []
  let began = performance.now()
  for (const item of items) {
    done.push(work(item))
    if (performance.now() - began < LONGEST_MS) continue
    await setImmediate()
    began = performance.now()
  }
  return done
}
