// What tests have opened is closed after the last test of their file, wherever it was opened: vitest passes over an
// afterAll that is asked for within a test or another hook, and the files of a worker share its process.
const opened: (() => unknown)[] = []

export function afterFile(close: () => unknown): void {
  opened.push(close)
}

/** Counts from 1 in every file, whatever ran before it in the same worker: what is named by it is named alike each time. */
export function countInFile(): () => number {
  let count = 0
  return () => {
    if (count === 0)
      afterFile(() => {
        count = 0
      })
    count += 1
    return count
  }
}

export async function closeOpened(): Promise<void> {
  for (const close of opened.splice(0).reverse()) await close()
}
