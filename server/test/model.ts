// Model-based tests: random commands run on the service and on a small model of it, which must agree at every step.
import fc from 'fast-check'

export type Command<M extends object, R> = fc.AsyncCommand<M, R>

/** One command; where `fits` says no, it is left out of the run. */
export function command<M extends object, R>(
  name: string,
  run: (model: M, real: R) => Promise<void>,
  fits: (model: M) => boolean = () => true,
): Command<M, R> {
  return { check: fits, run, toString: () => name }
}

/** The n-th of what is known, going round; commands name things before anything is there. */
export function nth<T>(list: readonly T[], n: number): T {
  return list[n % list.length]!
}

/** A failure prints its seed and the shortest list of commands that leads to it. */
export async function checkModel<M extends object, R>(
  commands: fc.Arbitrary<Command<M, R>>[],
  open: () => Promise<{ model: M; real: R }>,
  { runs, most }: { runs: number; most: number },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: most, size: 'max' }), async list => {
      const start = await open()
      await fc.asyncModelRun(() => start, list)
    }),
    { numRuns: runs, endOnFailure: false },
  )
}
