// Lets somebody wait until a condition holds that changes with every turn of the engine.

export type Quiet = {
  /** Looks again, after the turn that calls it has ended. */
  check(): void
  /** Waits until it is quiet, or so long. */
  reached(most_ms?: number): Promise<void>
}

export function createQuiet(isQuiet: () => boolean): Quiet {
  const waiting = new Set<() => void>()
  return {
    check: () =>
      void setImmediate(() => {
        for (const look of waiting) look()
      }),
    reached: (most_ms?: number) =>
      new Promise<void>(resolve => {
        const timer = most_ms === undefined ? undefined : setTimeout(end, most_ms)
        function end(): void {
          clearTimeout(timer)
          waiting.delete(look)
          resolve()
        }
        function look(): void {
          if (isQuiet()) end()
        }
        waiting.add(look)
        look()
      }),
  }
}
