// Where the time of a test file goes apart from its tests: what a helper takes is counted under the name of its phase.
export type Phases = Record<string, number>

let phases: Phases = {}

/** Counts what the work takes, in milliseconds; phases within each other are counted in both. */
export async function timed<T>(phase: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await work()
  } finally {
    phases[phase] = (phases[phase] ?? 0) + performance.now() - began
  }
}

/** What was counted since the last call. */
export function takePhases(): Phases {
  const taken = phases
  phases = {}
  return taken
}
