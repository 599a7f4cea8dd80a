// Keeps large work from crowding out small: only so many at once in a process, the others wait in order.

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

export function takeTurns(most: number): InTurn {
  let running = 0
  const waiting: (() => void)[] = []
  return async work => {
    // Whoever ends hands the place over, so that nobody slips in between.
    if (running >= most) await new Promise<void>(resolve => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
